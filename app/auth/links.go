package auth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// LinkFor is for how long a sign-in link is good.
const LinkFor = 15 * time.Minute

// linkData is what a record holds of a link, beside whether it was used. Its address
// is the SHA-256 of the link.
type linkData struct {
	Tenant    string          `json:"tenant"`
	Person    string          `json:"person"`
	Assurance sayso.Assurance `json:"assurance"`
	Until     time.Time       `json:"until"`
	Run       string          `json:"run,omitempty"`
	Paired    bool            `json:"paired,omitempty"`
}

// ErrUsed says that a sign-in link was used before.
var ErrUsed = errors.New("auth: the link was used before")

// linkTries bounds how often the store is asked for links: whoever guesses must not
// keep it busy.
func linkTries() *rate.Limiter { return rate.NewLimiter(20, 100) }

// NewLink returns a word that signs the person in once, in any process over the
// store whose sessions have the same Run.
func (s *Sessions) NewLink(ctx context.Context, who *Principal) (string, error) {
	word, now := random(secretBytes), s.opts.Now().UTC()
	data, err := json.Marshal(linkData{who.Tenant, who.ID, who.Assurance, now.Add(LinkFor), s.opts.Run, who.Paired})
	if err == nil {
		_, err = s.store.Put(ctx, hub.Record{Kind: hub.KindLink, Address: linkAddress(word), TTL: LinkFor + tombstone, Data: data, Fresh: true}, 0)
	}
	if err != nil {
		return "", fmt.Errorf("auth: making a sign-in link: %w", err)
	}
	return word, nil
}

// UseLink uses a word of [Sessions.NewLink] up and returns whom it is for.
// [ErrCredential] says that it does not hold, [ErrUsed] that it did, once; any other
// error, that nobody can tell now.
func (s *Sessions) UseLink(ctx context.Context, word string) (*Principal, error) {
	if len(word) != base32Lower.EncodedLen(secretBytes) || !s.links.Allow() {
		return nil, ErrCredential
	}
	r, err := s.store.Get(ctx, hub.KindLink, linkAddress(word))
	if errors.Is(err, hub.ErrNotFound) {
		return nil, ErrCredential
	}
	var d linkData
	if err == nil {
		err = json.Unmarshal(r.Data, &d)
	}
	if err != nil {
		return nil, fmt.Errorf("auth: reading a sign-in link: %w", err)
	}
	now := s.opts.Now()
	if d.Run != s.opts.Run || !now.Before(d.Until) {
		return nil, ErrCredential
	}
	if r.Closed {
		return nil, ErrUsed
	}
	// It stays known, so that its second use can be told from a wrong one.
	_, err = s.store.Put(ctx, hub.Record{Kind: r.Kind, Address: r.Address, Closed: true, TTL: d.Until.Sub(now) + tombstone, Data: r.Data}, r.Revision)
	switch {
	case errors.Is(err, hub.ErrConflict):
		return nil, ErrUsed
	case err != nil:
		return nil, fmt.Errorf("auth: using a sign-in link: %w", err)
	}
	return &Principal{Tenant: d.Tenant, ID: d.Person, Role: Answerer, Assurance: d.Assurance, Paired: d.Paired}, nil
}

func linkAddress(word string) hub.Address {
	sum := sha256.Sum256([]byte(word))
	return hub.Address{Tenant: keyTenant, ID: base32Lower.EncodeToString(sum[:])}
}
