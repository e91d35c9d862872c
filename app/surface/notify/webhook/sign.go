package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The sizes of a key, from the specification.
const (
	minKey = 24
	maxKey = 64
)

const secretPrefix = "whsec_"

// NewSecret returns a secret that nobody has.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // does not fail
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

var errSecret = errors.New("webhook: a secret is whsec_ and 24 to 64 bytes in base64") // without the secret

func parseSecret(s string) ([]byte, error) {
	text, ok := strings.CutPrefix(s, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < minKey || len(key) > maxKey {
		return nil, errSecret
	}
	return key, nil
}

// sign returns the signatures of a message, one with each key, as the header has them.
func sign(keys [][]byte, id string, at time.Time, body []byte) string {
	var all []string
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
		mac.Write(body)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(all, " ")
}
