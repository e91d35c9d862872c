package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// KeepApprovals is how long a decided approval is kept, and what is stored beside it:
// the record of who allowed what. What was stored beside an approval that nobody
// decided in this time is gone, and the approval can only be denied.
const KeepApprovals = 90 * 24 * time.Hour

// The large contents of an approval are records of their own: page 2 of a content is
// <hash>.2, below the asker and the conversation of the ask, so that what is asked for
// twice is stored once, and erased with the conversation.
func contentAddress(addr Address, hash string, page int) Address {
	return Address{Tenant: addr.Tenant, Asker: addr.Asker, Conversation: addr.Conversation, ID: hash + "." + strconv.Itoa(page)}
}

// keepContent stores what is too large to be a part of the ask, and takes it out of
// it. What is not here must be stored already.
func (h *Hub) keepContent(ctx context.Context, addr Address, a *sayso.Ask) error {
	if a.Approval == nil {
		return nil
	}
	for _, c := range a.Approval.Contents() {
		if !c.Stored {
			continue
		}
		if c.Text == "" {
			if _, err := h.page(ctx, addr, c.SHA256, 0); err != nil {
				var e sayso.InvalidError
				e.Add(sayso.ErrContent, "approval", fmt.Sprintf("has a content of %d bytes that is not stored here; send its pages first (%s)", c.Size, c.SHA256))
				return &e
			}
			continue
		}
		for i, page := range c.Pages() {
			if err := h.PutContent(ctx, addr, c.SHA256, i, page); err != nil {
				return err
			}
		}
		c.Text = ""
	}
	return nil
}

// PutContent stores one page of a content for the asks of an asker in a conversation:
// of the address, the tenant, the asker and the conversation count. The asks that
// refer to it by its hash come later. Whether the pages are what the hash says is for
// who reads them to check: see [sayso.Ask.WithContent].
func (h *Hub) PutContent(ctx context.Context, of Address, hash string, page int, text string) error {
	addr := contentAddress(of, hash, page)
	if len(text) == 0 || len(text) > sayso.PageSize || page < 0 || page > sayso.MaxContent/sayso.PageSize*2 || !isHash(hash) {
		var e sayso.InvalidError
		e.Add(sayso.ErrContent, "content", fmt.Sprintf("is no page: its hash is %q, its number %d, and it has %d bytes of %d at most", hash, page, len(text), sayso.PageSize))
		return &e
	}
	r := Record{Kind: KindContent, Address: addr, TTL: KeepApprovals, Data: seal(KindContent, addr, []byte("null"), jsonText(text))}
	for tries := 0; ; tries++ {
		was, err := h.store.Get(ctx, KindContent, addr)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("hub: storing content: %w", err)
		}
		if _, err = h.store.Put(ctx, r, was.Revision); err == nil {
			return nil
		}
		if tries == 3 || !errors.Is(err, ErrConflict) && !errors.Is(err, ErrUndecided) {
			return fmt.Errorf("hub: storing content: %w", err)
		}
	}
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// Content returns one page of a content that the ticket refers to, and "" behind the
// last one. It returns [ErrNotFound] for any other.
func (h *Hub) Content(ctx context.Context, t *Ticket, hash string, page int) (string, error) {
	if t.Ask == nil {
		known, err := h.Get(ctx, t.Address)
		if err != nil {
			return "", err
		}
		t = known
	}
	if t.Ask.Approval == nil {
		return "", ErrNotFound
	}
	refers := slices.ContainsFunc(t.Ask.Approval.Contents(), func(c *sayso.Content) bool { return c.Stored && c.SHA256 == hash })
	if !refers {
		return "", ErrNotFound
	}
	text, err := h.page(ctx, t.Address, hash, page)
	if page > 0 && errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return text, err
}

func (h *Hub) page(ctx context.Context, addr Address, hash string, page int) (string, error) {
	r, err := h.store.Get(ctx, KindContent, contentAddress(addr, hash, page))
	if err != nil {
		return "", err
	}
	_, st, err := unseal(r)
	if err != nil {
		return "", err
	}
	return textOf(st)
}

// Contents reads what is stored beside asks. [Hub], every [Inbox] of this package and
// of package client are one.
type Contents interface {
	// Content returns one page of a content that the ticket refers to, and "" behind
	// the last one.
	Content(ctx context.Context, t *Ticket, hash string, page int) (string, error)
}

// Whole returns the ask of the ticket with everything that is stored beside it, for a
// surface that shows all of it, and the hashes of what it read: an answer says that
// they were shown ([sayso.Answer].Opened). An ask that has nothing stored beside it
// comes back as it is. from is a [Contents], such as an inbox.
func Whole(ctx context.Context, from any, t *Ticket) (*sayso.Ask, []string, error) {
	if t.Ask.Approval == nil {
		return t.Ask, nil, nil
	}
	hashes, size := t.Ask.Approval.Unseen()
	if size == 0 {
		return t.Ask, nil, nil
	}
	whole, err := Texts(ctx, from, t)
	if err != nil {
		return nil, nil, err
	}
	a, err := t.Ask.WithContent(whole)
	if err != nil {
		return nil, nil, fmt.Errorf("hub: reading what ask %s would run: %w", t.Ask.ID, err)
	}
	return a, hashes, nil
}

// Texts returns the texts, by their hashes, of what an approval shows and is stored
// beside it, for a surface that draws them itself. They are what their hashes say.
func Texts(ctx context.Context, from any, t *Ticket) (map[string]string, error) {
	if t.Ask.Approval == nil {
		return nil, nil
	}
	pages, ok := from.(Contents)
	if !ok {
		return nil, fmt.Errorf("hub: reading what ask %s would run: %T cannot read it", t.Ask.ID, from)
	}
	hashes, _ := t.Ask.Approval.Unseen()
	whole := map[string]string{}
	for _, hash := range hashes {
		if _, ok := whole[hash]; ok {
			continue
		}
		var b strings.Builder
		for page := 0; b.Len() <= sayso.MaxContent; page++ {
			text, err := pages.Content(ctx, t, hash, page)
			if err != nil {
				return nil, fmt.Errorf("hub: reading what ask %s would run: %w", t.Ask.ID, err)
			}
			if text == "" {
				break
			}
			b.WriteString(text)
		}
		if whole[hash] = b.String(); sayso.NewContent(whole[hash]).SHA256 != hash {
			return nil, fmt.Errorf("hub: reading what ask %s would run: %w: %s", t.Ask.ID, sayso.ErrContent, hash)
		}
	}
	return whole, nil
}
