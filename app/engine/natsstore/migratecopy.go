package natsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/hub"
)

// headEarlier is on a record that was moved: where layout 1 had it.
const headEarlier = "Sayso-Earlier"

// moveBatch is how many records are moved at a time.
const moveBatch = 512

// copied is what a record of layout 1 becomes: one message, or two with the entry of its deadline.
type copied struct {
	stream string
	msg    *nats.Msg
	asIs   *hub.Record // where to put a ticket whose place another one has
	have   stored      // what is there
}

// pass goes through all records and copies those that are not there as they should be. It returns how many were not.
func (m *migration) pass(ctx context.Context) (missing int, err error) {
	m.report.Moved, m.report.Damaged = 0, 0
	err = m.each(ctx, earlierAreas[:], func(cfg *jetstream.StreamConfig) error {
		err := m.walkEarlier(ctx, cfg.Name, func(batch []found) error {
			n, err := m.move(ctx, cfg.Name, batch)
			missing += n
			m.report.Moved += len(batch)
			m.tell(false)
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", cfg.Name, err)
		}
		return nil
	})
	return missing, err
}

// move copies what is missing of a batch.
func (m *migration) move(ctx context.Context, stream string, batch []found) (missing int, err error) {
	now := time.Now()
	var all []*copied
	for _, f := range batch {
		r, ok, err := m.earlierRecord(f, now)
		if err != nil {
			return 0, fmt.Errorf("message %d: %w", f.seq, err)
		}
		if !ok {
			continue
		}
		next, err := m.readdress(ctx, r)
		if err != nil {
			return 0, fmt.Errorf("message %d: %w", f.seq, err)
		}
		all = append(all, m.copies(next, &r, m.from(stream, f.seq))...)
	}
	return m.store(ctx, all)
}

// readdress returns the record as this layout has it. One that is damaged stays as it is, and its damage is noticed as
// before: the sum of a record without an asker is that of layout 1.
func (m *migration) readdress(ctx context.Context, r hub.Record) (hub.Record, error) {
	var next hub.Record
	var err error
	switch r.Kind {
	case hub.KindTicket:
		next, err = hub.Readdress(r)
	case hub.KindDraft:
		var of hub.Address
		if of, err = m.askOf(ctx, r); err != nil {
			return r, err
		}
		next, err = hub.ReaddressDraft(r, of)
	default:
		return r, nil
	}
	if err != nil {
		m.report.Damaged++
		return r, nil
	}
	return next, nil
}

// askOf returns where the ask of a draft is now: in the person's own inbox or in the shared one.
func (m *migration) askOf(ctx context.Context, draft hub.Record) (hub.Address, error) {
	for _, person := range []string{draft.Address.Person, ""} {
		at := draft.Address
		at.Person = person
		stream, subject := m.names.then(areaAsk, at, m.earlier)
		var ask *hub.Record
		sc := scan{stream: stream, filters: []string{subject}}
		err := m.next(ctx, &sc, 1, func(f found) bool {
			if r, ok, err := m.earlierRecord(f, time.Now()); err == nil && ok {
				ask = &r
			}
			return true
		})
		if err != nil {
			return at, fmt.Errorf("look for the ask of a draft: %w", err)
		}
		if ask != nil {
			if next, err := hub.Readdress(*ask); err == nil {
				return next.Address, nil
			}
		}
	}
	return draft.Address, nil // nobody will find it, as nobody would have without its ask
}

// copies returns the messages of a record, given what it was before, and where.
func (m *migration) copies(next hub.Record, was *hub.Record, from string) (all []*copied) {
	sh := newShard(m.names, shardOf(next.Address.Tenant, next.Address.Person, m.shards))
	ar, _ := area(next.Kind) // it came from one
	if d := m.entry(sh, next); d != nil {
		all = append(all, &copied{stream: sh.due, msg: d})
	}
	msg := m.message(ar, sh, next)
	msg.Header[headEarlier] = []string{from}
	c := &copied{stream: sh.stream(ar), msg: msg}
	if was != nil && was.Address != next.Address {
		c.asIs = was
	}
	return append(all, c)
}

// as reports whether what is stored is the copy.
func (c *copied) as(h nats.Header, data []byte) bool {
	for _, key := range []string{headState, headDue, headEarlier} {
		if first(h, key) != first(c.msg.Header, key) {
			return false
		}
	}
	return bytes.Equal(data, c.msg.Data) && (first(h, headTTL) == "") == (first(c.msg.Header, headTTL) == "")
}

// store stores what is missing and returns how many that were.
func (m *migration) store(ctx context.Context, all []*copied) (missing int, err error) {
	byStream := map[string][]*copied{}
	var order []string
	for _, c := range all {
		if byStream[c.stream] == nil {
			order = append(order, c.stream)
		}
		byStream[c.stream] = append(byStream[c.stream], c)
	}
	var others, todo []*copied
	for _, stream := range order {
		if err := m.find(ctx, stream, byStream[stream]); err != nil {
			return 0, fmt.Errorf("stream %s: %w", stream, err)
		}
		for _, c := range byStream[stream] {
			from := first(c.msg.Header, headEarlier)
			switch {
			case c.have.seq > 0 && c.as(c.have.header, c.have.data):
			case c.have.seq > 0 && c.asIs != nil && first(c.have.header, headEarlier) != from:
				// The same ask of the same asker was at two places. The other one stays where it was, without an asker.
				others = append(others, m.copies(*c.asIs, nil, from)...)
			default:
				todo = append(todo, c)
			}
		}
	}
	if err := m.write(ctx, todo); err != nil {
		return 0, err
	}
	if len(others) > 0 {
		missing, err = m.store(ctx, others)
	}
	return missing + len(todo), err
}

// find reads what is stored where copies belong.
func (m *migration) find(ctx context.Context, stream string, all []*copied) error {
	for len(all) > 0 {
		part := all[:min(len(all), moveBatch)]
		all = all[len(part):]
		sc := scan{stream: stream, more: true}
		at := map[string][]*copied{}
		for _, c := range part {
			if at[c.msg.Subject] = append(at[c.msg.Subject], c); len(at[c.msg.Subject]) == 1 {
				sc.filters = append(sc.filters, c.msg.Subject)
			}
		}
		for sc.more {
			err := m.next(ctx, &sc, moveBatch, func(f found) bool {
				for _, c := range at[f.subject] {
					c.have = stored{seq: f.seq, header: f.header, data: f.data}
				}
				return true
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// write stores copies, many at a time. One that is refused, as another process was faster, is looked at by the next pass.
func (m *migration) write(ctx context.Context, all []*copied) error {
	errs := make([]error, len(all))
	var writers sync.WaitGroup
	next := make(chan int)
	for range min(len(all), writersAtOnce) {
		writers.Go(func() {
			for i := range next {
				errs[i] = m.writeOne(ctx, all[i])
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	writers.Wait()
	return errors.Join(errs...)
}

const writersAtOnce = 32 // with more, one waits longer for its turn than a request may take on a busy disk

func (m *migration) writeOne(ctx context.Context, c *copied) error {
	c.msg.Header[headExpect] = []string{strconv.FormatUint(c.have.seq, 10)}
	staged := &nats.Msg{Subject: m.names.staged(c.stream) + "." + c.msg.Subject, Header: c.msg.Header, Data: c.msg.Data}
	err := m.patient(ctx, func() error {
		seq, err := m.publish(ctx, staged)
		if err == nil {
			_, err = m.noted(c.stream, seq)
		}
		return err
	})
	if refused(err, codeWrongLast) || refused(err, codeInProcess) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", c.stream, err)
	}
	return nil
}
