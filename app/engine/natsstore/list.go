package natsstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso/hub"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// List returns a page of records; see hub.Store. All shards that the query concerns are asked at once, and a page has some
// of each, in the order of their revisions. A page may be short of its limit when its records are large.
func (s *Store) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	p, err := s.listAll(ctx, q)
	if err != nil {
		return hub.Page{}, fmt.Errorf("natsstore: list: %w", err)
	}
	return p, nil
}

func (s *Store) list(ctx context.Context, q hub.Query) (hub.Page, error) {
	var page hub.Page
	if err := ctx.Err(); err != nil {
		return page, err
	}
	ar, err := area(q.Kind)
	if err != nil {
		return page, err
	}
	legs, err := s.legs(q, ar)
	if err == nil && q.After != nil {
		err = s.resume(ctx, q, ar, legs)
	}
	if err != nil {
		return page, err
	}
	if err := gather(ctx, legs, q, &page); err != nil {
		return hub.Page{}, err
	}
	page.Next = cursorOf(legs)
	if q.Cursor == "" && q.Due.IsZero() {
		page.Position = &hub.Position{Store: s.named(ar), At: time.Now().UTC(), Parts: make(map[int]uint64, len(legs))}
		for _, l := range legs {
			page.Position.Parts[l.part] = l.covers
		}
	}
	return page, nil
}

// legs returns what the list is made of, each where the page begins.
func (s *Store) legs(q hub.Query, ar string) ([]*leg, error) {
	first, end := s.span(q)
	var legs []*leg
	for part := first; part < end; part++ {
		sh := s.shards[part]
		l := &leg{part: part, known: sh.newest(ar).Load()}
		l.covers = l.known
		if ar == areaAsk && !q.Due.IsZero() {
			l.read = func(ctx context.Context, n, _ int) ([]item, error) { return s.readDue(ctx, sh, l, q, n) }
		} else {
			r := reader{Store: s, leg: l, sh: sh, area: ar, q: q, filter: s.names.filter(ar, sh.ss, q)}
			l.read = r.read
		}
		legs = append(legs, l)
	}
	return legs, beginAt(legs, q.Cursor)
}

// span returns the shards that have what a query selects, the end not among them.
func (s *Store) span(q hub.Query) (first, end int) {
	if one := s.only(q); one >= 0 {
		return one, one + 1
	}
	return 0, len(s.shards)
}

// pageSize returns how many records, and how many bytes of them, a page has at most.
func pageSize(q hub.Query) (limit, bytes int) {
	return min(cmp.Or(max(q.Limit, 0), defaultLimit), maxLimit), cmp.Or(max(q.Bytes, 0), hub.PageBytes)
}

// resume has the legs go on behind a position.
func (s *Store) resume(ctx context.Context, q hub.Query, ar string, legs []*leg) error {
	if !q.After.Fresh(s.named(ar), time.Now()) {
		return hub.ErrPosition
	}
	return each(len(legs), func(i int) error {
		l := legs[i]
		after := q.After.Parts[l.part]
		least := max(after, q.Least[l.part])
		if least > l.known { // nobody here has heard of it
			var last uint64
			if err := s.patient(ctx, func() (err error) {
				last, err = s.last(ctx, s.shards[l.part], ar)
				return err
			}); err != nil {
				return err
			}
			if least > last {
				return hub.ErrPosition
			}
			l.known = least
		}
		l.from, l.after = max(l.from, after+1), true
		l.covers = max(l.known, after)
		return nil
	})
}

// leg is what one shard has of a list.
type leg struct {
	part   int
	from   uint64 // the next sequence to look at
	done   bool   // there is nothing more
	after  bool   // only what is behind a position
	walk   bool   // message by message
	known  uint64 // what is read must not be older than this
	covers uint64 // all up to here is in the list
	read   func(ctx context.Context, n, bytes int) ([]item, error)
}

// item is a record that a leg looked at.
type item struct {
	seq    uint64
	size   int
	match  bool
	record hub.Record
}

// gather fills the page from the legs. Each round asks all those that have more for their share at once.
func gather(ctx context.Context, legs []*leg, q hub.Query, page *hub.Page) error {
	limit, bytes := pageSize(q)
	full := func() bool { return len(page.Records) >= limit || page.Scanned >= bytes }
	for !full() {
		var active []*leg
		for _, l := range legs {
			if !l.done {
				active = append(active, l)
			}
		}
		if len(active) == 0 {
			return nil
		}
		n := (limit - len(page.Records) + len(active) - 1) / len(active)
		items := make([][]item, len(active))
		if err := each(len(active), func(i int) (err error) {
			items[i], err = active[i].read(ctx, n, max((bytes-page.Scanned)/len(active), 1))
			return err
		}); err != nil {
			return err
		}
		for i, l := range active {
			for _, it := range items[i] {
				if full() {
					l.from, l.done = it.seq, false // for the next page
					break
				}
				page.Looked, page.Scanned = page.Looked+1, page.Scanned+it.size
				if it.match {
					page.Records = append(page.Records, it.record)
				}
			}
		}
	}
	return nil
}

// cursor is where a page goes on in one shard.
type cursor struct {
	shard int
	seq   uint64
	walk  bool // message by message: finding out again that there are too many takes as long as a page
}

// walks begins a cursor that goes on message by message.
const walks = "w"

func (c cursor) String() string {
	text := strconv.Itoa(c.shard) + "." + strconv.FormatUint(c.seq, 36)
	if c.walk {
		text = walks + text
	}
	return text
}

func parseCursor(s string) (cursor, error) {
	if s == "" {
		return cursor{}, nil
	}
	text, walk := strings.CutPrefix(s, walks)
	a, b, _ := strings.Cut(text, ".")
	shard, err1 := strconv.Atoi(a)
	seq, err2 := strconv.ParseUint(b, 36, 64)
	if err := errors.Join(err1, err2); err != nil || shard < 0 || shard >= maxShards {
		return cursor{}, fmt.Errorf("%q is not a cursor of this store", s)
	}
	return cursor{shard, seq, walk}, nil
}

// cursorOf spells where the legs go on, those that have more.
func cursorOf(legs []*leg) string {
	var words []string
	for _, l := range legs {
		if !l.done {
			words = append(words, cursor{l.part, l.from, l.walk && !l.after}.String())
		}
	}
	return strings.Join(words, "-")
}

// beginAt has the legs go on where the cursor says.
func beginAt(legs []*leg, text string) error {
	if text == "" {
		return nil
	}
	for _, l := range legs {
		l.done = true
	}
	for word := range strings.SplitSeq(text, "-") {
		at, err := parseCursor(word)
		i := at.shard - legs[0].part
		if word == "" || err != nil || i < 0 || i >= len(legs) {
			return fmt.Errorf("%q is not a cursor of this list", text)
		}
		legs[i].from, legs[i].done, legs[i].walk = at.seq, false, at.walk
	}
	return nil
}
