package webpush

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// tokenFor is how long a push service may take a token; 24 h is the most it accepts.
const tokenFor = 12 * time.Hour

// SharedKey returns the key by which push services know the hub. All processes over
// the store have the same one. A subscription is bound to it: where it is lost, every
// browser has to subscribe again.
func SharedKey(ctx context.Context, store hub.Store) (*ecdsa.PrivateKey, error) {
	secret, err := auth.SharedSecret(ctx, store, "vapid", "")
	if err != nil {
		return nil, err
	}
	return keyOf(secret)
}

// keyOf derives the key from a secret: 64 bits more than it needs make all keys as
// likely as each other, near enough (FIPS 186-5, A.2.1).
func keyOf(secret []byte) (*ecdsa.PrivateKey, error) {
	const size = 40
	if len(secret) < 32 {
		return nil, errors.New("webpush: the secret is too short for a key")
	}
	b, err := hkdf.Key(sha256.New, secret, nil, "sayso vapid key", size)
	if err != nil {
		return nil, err
	}
	one := big.NewInt(1)
	most := new(big.Int).Sub(elliptic.P256().Params().N, one)
	d := new(big.Int).SetBytes(b)
	d.Mod(d, most).Add(d, one)
	return ecdsa.ParseRawPrivateKey(elliptic.P256(), d.FillBytes(make([]byte, 32)))
}

// vapid signs for the push service of that origin (RFC 8292).
func vapid(key *ecdsa.PrivateKey, audience, subject string, now time.Time) (string, error) {
	claims, err := json.Marshal(struct {
		Aud string `json:"aud"`
		Exp int64  `json:"exp"`
		Sub string `json:"sub"`
	}{audience, now.Add(tokenFor).Unix(), subject})
	if err != nil {
		return "", err
	}
	text := b64.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + b64.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", fmt.Errorf("webpush: signing for a push service: %w", err)
	}
	// Both numbers, 32 bytes each, and not ASN.1 (RFC 7518, 3.4).
	sig := make([]byte, 64)
	r.FillBytes(sig[:32])
	s.FillBytes(sig[32:])
	public, err := key.PublicKey.Bytes()
	if err != nil {
		return "", err
	}
	return "vapid t=" + text + "." + b64.EncodeToString(sig) + ", k=" + b64.EncodeToString(public), nil
}
