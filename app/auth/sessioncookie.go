package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// A cookie reads s1.<tenant>.<person>.<id>.<secret>, each in base64url: where the
// record is, and a secret of 256 bits. The record has the SHA-256 of all of it.
const (
	cookieVersion = "s1"
	maxCookie     = 4 * maxName
)

var cookieText = base64.RawURLEncoding.Strict()

func newCookie(n *Session) string {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails
	parts := []string{cookieVersion}
	for _, part := range [][]byte{[]byte(n.Tenant), []byte(n.Person), []byte(n.ID), secret} {
		parts = append(parts, cookieText.EncodeToString(part))
	}
	return strings.Join(parts, ".")
}

// parseCookie returns where the record of a cookie is.
func parseCookie(cookie string) (addr hub.Address, ok bool) {
	parts := strings.Split(cookie, ".")
	if len(cookie) > maxCookie || len(parts) != 5 || parts[0] != cookieVersion {
		return addr, false
	}
	for i, to := range []*string{&addr.Tenant, &addr.Person, &addr.ID, nil} {
		b, err := cookieText.DecodeString(parts[i+1])
		if err != nil || len(b) > maxName {
			return addr, false
		}
		if to != nil {
			*to = string(b)
		}
	}
	return addr, addr.Tenant != "" && addr.ID != ""
}

func sumOf(cookie string) [sha256.Size]byte { return sha256.Sum256([]byte(cookie)) }

// sessionData is what a record holds beside its address.
type sessionData struct {
	SHA256    string          `json:"sha256"`
	Assurance sayso.Assurance `json:"assurance"`
	Device    string          `json:"device"`
	Created   time.Time       `json:"created"`
	Used      time.Time       `json:"used"`
	Until     time.Time       `json:"until"`
	Run       string          `json:"run,omitempty"`
	Paired    bool            `json:"paired,omitempty"`
}

func (n *Session) record(sum [sha256.Size]byte, now time.Time) (hub.Record, error) {
	data, err := json.Marshal(sessionData{
		SHA256: hex.EncodeToString(sum[:]), Assurance: n.Assurance, Device: n.Device,
		Created: n.Created, Used: n.Used, Until: n.Until, Run: n.Run, Paired: n.Paired,
	})
	return hub.Record{
		Kind: hub.KindSession, Address: hub.Address{Tenant: n.Tenant, Person: n.Person, ID: n.ID},
		TTL: max(n.Until.Sub(now), time.Second), Data: data,
	}, err
}

func parseRecord(r hub.Record) (n *Session, sum [sha256.Size]byte, err error) {
	var d sessionData
	if err := json.Unmarshal(r.Data, &d); err != nil {
		return nil, sum, fmt.Errorf("auth: reading session %q: %w", r.Address.ID, err)
	}
	if b, err := hex.DecodeString(d.SHA256); err != nil || copy(sum[:], b) != len(sum) {
		return nil, sum, fmt.Errorf("auth: reading session %q: no checksum", r.Address.ID)
	}
	return &Session{
		ID: r.Address.ID, Tenant: r.Address.Tenant, Person: r.Address.Person, Assurance: d.Assurance, Device: d.Device,
		Created: d.Created, Used: d.Used, Until: d.Until, Run: d.Run, Paired: d.Paired,
	}, sum, nil
}

// Authenticate returns who has the cookie. The principal's Bind ends with the
// session. If renewed is not zero, the session was prolonged, and the cookie is
// to be kept for so long. [ErrCredential] says that the cookie does not hold;
// any other error, that nobody can tell now.
func (s *Sessions) Authenticate(ctx context.Context, cookie string) (who *Principal, renewed time.Duration, err error) {
	addr, ok := parseCookie(cookie)
	if !ok {
		return nil, 0, s.refuse("malformed", Session{})
	}
	for {
		changes := s.changes.Load()
		r, err := s.store.Get(ctx, hub.KindSession, addr)
		if errors.Is(err, hub.ErrNotFound) {
			return nil, 0, s.refuse("unknown", Session{})
		}
		if err != nil {
			return nil, 0, fmt.Errorf("auth: reading a session: %w", err)
		}
		n, sum, err := parseRecord(r)
		if err != nil {
			return nil, 0, err
		}
		now := s.opts.Now().UTC()
		own := sumOf(cookie)
		if subtle.ConstantTimeCompare(sum[:], own[:]) != 1 {
			return nil, 0, s.refuse("secret", *n)
		}
		if why := s.holds(r, n, now); why != "" {
			return nil, 0, s.refuse(why, *n)
		}
		if now.Sub(n.Used) >= s.opts.Renew {
			n.Used, n.Until = now, s.until(n, now)
			next, err := n.record(sum, now)
			if err == nil {
				_, err = s.store.Put(ctx, next, r.Revision)
			}
			if errors.Is(err, hub.ErrConflict) {
				continue // it was prolonged by another request, or ended
			}
			if err == nil { // otherwise it holds as it is
				renewed = n.Until.Sub(now)
			}
		}
		life, ok := s.attach(addr, n.Until, changes)
		if !ok {
			continue // one was ended meanwhile: it may have been this
		}
		return &Principal{Tenant: n.Tenant, ID: n.Person, Role: Answerer, Assurance: n.Assurance, Session: n.ID, life: life}, renewed, nil
	}
}

func (s *Sessions) refuse(why string, n Session) error {
	s.opts.Note(SessionEvent{What: "refused", Why: why, Session: n})
	return &RejectedError{Why: why, Tenant: n.Tenant, Session: n.ID, Role: Answerer}
}
