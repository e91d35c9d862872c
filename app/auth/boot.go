package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// Boot is a token that lives as long as the process: what a browser on the same
// machine shows to a loopback port, which every local user can reach.
type Boot struct {
	who Principal
	sum [sha256.Size]byte
}

const bootPrefix = "sayso_boot_"

// NewBoot makes a token for the principal and returns it with its authenticator.
func NewBoot(who Principal) (*Boot, string) {
	token := bootPrefix + random(32)
	return &Boot{who: who, sum: sha256.Sum256([]byte(token))}, token
}

// Authenticate takes the token from the Authorization header.
func (b *Boot) Authenticate(r *http.Request) (*Principal, error) {
	token, err := bearer(r)
	switch {
	case err != nil:
		return nil, err
	case !strings.HasPrefix(token, bootPrefix):
		return nil, ErrNoCredential // some other authenticator's
	case !b.Holds(token):
		return nil, ErrCredential
	}
	who := b.who
	return &who, nil
}

// Holds reports whether this is the token, wherever it came from.
func (b *Boot) Holds(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], b.sum[:]) == 1
}

// random returns n random bytes in lower case base32, which has no character that
// a shell, a URL or the format of a key gives a meaning to.
func random(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return base32Lower.EncodeToString(b)
}
