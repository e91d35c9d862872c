package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"sync"

	"github.com/saysohq/sayso/hub"
)

// A model copies a handle letter by letter, and the hub's handles have a hundred.
// The model gets a short one: 85 bits of the hash of the hub's handle, which nobody
// can make up, and 15 bits by which a slip of the model is noticed. Programs that
// read the metadata, and tasks, keep the hub's handle, and every tool takes both.
//
// A short handle says nothing by itself. It is looked up among what this caller was
// given, and else among the asks that the hub lists for this caller, so it is of no
// use to anybody else.

const (
	shortBody  = 17 // letters that name the ask
	shortCheck = 3  // letters that are a sum of those
	shortGroup = 5  // letters between two hyphens
)

// shortLetters has no letters that look like others: those are read as what they look like.
var (
	shortLetters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	shortAlike   = strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1", "u", "v")
)

// ShortHandle returns the handle that a model is given for the ask that has this
// handle in the hub: 23 characters.
func ShortHandle(handle string) string {
	sum := sha256.Sum256([]byte("sayso short handle 1\x00" + handle))
	return grouped(checked(shortLetters.EncodeToString(sum[:])[:shortBody]))
}

// checked adds the sum.
func checked(body string) string {
	sum := sha256.Sum256([]byte("sayso short handle sum\x00" + body))
	return body + shortLetters.EncodeToString(sum[:])[:shortCheck]
}

func grouped(letters string) string {
	var b strings.Builder
	for i, c := range letters {
		if i > 0 && i%shortGroup == 0 {
			b.WriteByte('-')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// readShort returns a short handle as ShortHandle writes it. isShort is whether it has
// the form of one, and ok whether its sum is right, too.
func readShort(name string) (short string, isShort, ok bool) {
	if len(name) > 2*(shortBody+shortCheck) {
		return "", false, false
	}
	letters := shortAlike.Replace(strings.ToLower(strings.TrimSpace(name)))
	if len(letters) != shortBody+shortCheck {
		return "", false, false
	}
	for _, c := range letters {
		if !strings.ContainsRune("0123456789abcdefghjkmnpqrstvwxyz", c) {
			return "", false, false
		}
	}
	return grouped(letters), true, checked(letters[:shortBody]) == letters
}

// shorts are the handles that callers were given in short.
type shorts struct {
	mu   sync.Mutex
	all  map[string]string // the hub's handle by caller and short handle
	were map[string]string // those before the last maxShorts
}

// maxShorts is how many are remembered at least. One that was forgotten is found in
// the hub.
const maxShorts = 10_000

func (s *shorts) put(who, short, handle string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || len(s.all) >= maxShorts {
		s.all, s.were = map[string]string{}, s.all
	}
	s.all[who+"\x00"+short] = handle
}

func (s *shorts) get(who, short string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if handle := s.all[who+"\x00"+short]; handle != "" {
		return handle
	}
	return s.were[who+"\x00"+short]
}

// short returns the handle of an ask for the model.
func (c *call) short(t *hub.Ticket) string {
	short := ShortHandle(t.Handle)
	c.d.shorts.put(c.who, short, t.Handle)
	return short
}

// maxSearch is how many asks are looked through for a short handle: of a program
// that was started again, or of another process that serves the same hub.
const maxSearch = 10_000

// find returns the hub's handle of the ask that a model names, by either handle.
func (c *call) find(ctx context.Context, name string) (string, error) {
	short, isShort, ok := readShort(name)
	switch {
	case !isShort:
		return name, nil
	case !ok:
		return "", hub.ErrHandle
	}
	if handle := c.d.shorts.get(c.who, short); handle != "" {
		return handle, nil
	}
	conversations := []string{c.origin.Conversation}
	if conversations[0] != "" {
		conversations = append(conversations, "") // all of them
	}
	for _, conversation := range conversations {
		n, found := 0, ""
		err := hub.Each(ctx, c.hub, &hub.Filter{Conversation: conversation, Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
			if n++; ShortHandle(t.Handle) == short {
				found = t.Handle
			}
			return found == "" && n < maxSearch
		})
		if err != nil {
			return "", err
		}
		if found != "" {
			c.d.shorts.put(c.who, short, found)
			return found, nil
		}
	}
	return "", hub.ErrNotFound
}
