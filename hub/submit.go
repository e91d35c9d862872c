package hub

import (
	"bytes"
	"context"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// MaxName is the most bytes of a name: of a tenant, a person, a conversation, an ask.
const MaxName = 256

const maxAsk = MaxData / 2 // bytes of an ask as stored, so that an answer finds room

// Submit stores an ask and returns its ticket. The ask must be normalized; an
// [*sayso.InvalidError] says what is wrong with it. One without an id gets one.
//
// The same ask submitted again, after a crash say, is the same ticket, open or
// closed, and Replayed says so. Other questions of the same asker under the same
// id are a [*ChangedError]. [ErrFull] means that the room takes no more asks.
//
// An approval that is new may come back closed: see [Options].Decide.
func (h *Hub) Submit(ctx context.Context, tenant string, a *sayso.Ask) (*Ticket, error) {
	t, err := h.newTicket(ctx, tenant, a)
	if err != nil {
		return nil, err
	}
	if t, err = h.decided(ctx, t); err != nil {
		return nil, err
	}
	return h.admit(ctx, t)
}

// newTicket puts an ask in order without storing it, but for what is stored beside it.
func (h *Hub) newTicket(ctx context.Context, tenant string, a *sayso.Ask) (*Ticket, error) {
	c := a.Clone() // the caller may go on to use its own
	fresh := h.drawn.take(c.ID)
	if c.ID == "" {
		var err error
		if c.ID, err = h.drawID(); err != nil {
			return nil, err
		}
		fresh = true
	}
	if c.AskedAt.IsZero() {
		c.AskedAt = h.now()
	}
	t := &Ticket{Address: AddressOf(tenant, c), Ask: c, Digest: c.Digest(), fresh: fresh}
	if err := t.valid(); err != nil {
		return nil, err
	}
	err := h.keepContent(ctx, t.Address, c)
	if err != nil {
		return nil, err
	}
	if t.ask, err = json.Marshal(c); err != nil {
		return nil, fmt.Errorf("hub: encoding the ask: %w", err)
	}
	if len(t.ask) > maxAsk {
		var e sayso.InvalidError
		e.Add(sayso.ErrTooLong, "", fmt.Sprintf("the ask has %d bytes; use at most %d", len(t.ask), maxAsk))
		return nil, &e
	}
	return t, nil
}

// NewID draws an id that no ask has had. An ask that is submitted to this hub under
// it soon need not be looked for first.
func (h *Hub) NewID() (string, error) {
	id, err := h.drawID()
	if err == nil {
		h.drawn.add(id)
	}
	return id, err
}

func (h *Hub) drawID() (string, error) {
	b, err := h.draw(16)
	return "ask_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)), err
}

// drawn are ids that were drawn and not used yet.
type drawn struct {
	mu  sync.Mutex
	ids lately[string, struct{}]
}

func (d *drawn) add(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ids.put(id, struct{}{})
}

// take reports whether the id was drawn, once.
func (d *drawn) take(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.ids.all[id]
	delete(d.ids.all, id)
	return ok
}

// exact reports whether who reads the ask gets what was submitted: metadata is the
// caller's own, and what is no UTF-8 is stored as a mark of that.
func (t *Ticket) exact() bool {
	return len(t.Ask.Metadata) == 0 && !bytes.Contains(t.ask, []byte(`\ufffd`))
}

// valid reports everything that keeps an ask out, as an [*sayso.InvalidError].
func (t *Ticket) valid() error {
	var e sayso.InvalidError
	part := func(path, s string, need bool) {
		switch {
		case len(s) > MaxName:
			e.Add(sayso.ErrBadID, path, fmt.Sprintf("has %d bytes; use at most %d", len(s), MaxName))
		case !utf8.ValidString(s):
			e.Add(sayso.ErrBadID, path, "is not valid UTF-8")
		case need && s == "":
			e.Add(sayso.ErrBadID, path, "is empty")
		}
	}
	part("tenant", t.Address.Tenant, true)
	part("id", t.Ask.ID, true)
	part("origin.conversation", t.Address.Conversation, false)
	for i, to := range t.Ask.To {
		part(fmt.Sprintf("to[%d]", i), to, true)
	}
	for i := range t.Ask.Questions {
		if t.Ask.Questions[i].Secret {
			e.Add(ErrSecret, sayso.QuestionPath(i, -1, "secret"), "is set; the hub stores answers in clear, so ask for secrets another way")
		}
	}
	absorb(&e, t.Ask.Validate(sayso.Limits{}))
	if def := t.Ask.OnExpiry.Default; len(def) > 0 {
		absorb(&e, t.Ask.Check(&sayso.Outcome{Status: sayso.StatusExpired, Answers: def}))
	}
	return e.OrNil()
}

func absorb(e *sayso.InvalidError, err error) {
	var inv *sayso.InvalidError
	if errors.As(err, &inv) {
		e.Problems = append(e.Problems, inv.Problems...)
	}
}

// admit stores a new ticket, or returns the one that is stored already.
func (h *Hub) admit(ctx context.Context, t *Ticket) (*Ticket, error) {
	got, written, err := h.update(ctx, t, func(old *Ticket) (*Ticket, error) {
		switch {
		case old.Revision == 0:
			return old, nil
		case old.Digest != t.Digest, old.Ask.Origin.Asker != t.Ask.Origin.Asker:
			return nil, &ChangedError{Address: t.Address, Shown: t.Digest, Stored: old.Digest}
		}
		return nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("hub: submitting: %w", err)
	}
	got.Replayed = !written
	if got.Open() {
		h.deadlines.add(got.Address, got.due(), got.Revision)
	}
	return h.punctual(ctx, got)
}

// nonceOr returns the nonce of the options, or a new one.
func (h *Hub) nonceOr(opts *CloseOptions) (string, error) {
	if opts != nil && opts.Nonce != "" {
		return opts.Nonce, nil
	}
	b, err := h.draw(16)
	return base64.RawURLEncoding.EncodeToString(b), err
}

func (h *Hub) draw(n int) ([]byte, error) {
	b := make([]byte, n)
	h.random.Lock()
	defer h.random.Unlock()
	if _, err := io.ReadFull(h.randomly, b); err != nil {
		return nil, fmt.Errorf("hub: drawing a random number: %w", err)
	}
	return b, nil
}
