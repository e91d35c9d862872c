package natsstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/hub"
)

// The archive has a copy of every closed ticket, in the order in which they were stored. It is what ExportAudit reads, and
// it is where settled tickets are found once the stream of tickets no longer has them (clear.go). Open tickets are not
// copied: the questions are in the record of the closed one.
//
// A copy says where it comes from, so that a reader gets the record that was stored: with its revision, for as long as it
// was to be kept.

// headOrigin is on every copy: the revision of the ticket, when it was stored, in nanoseconds, and for how many seconds it
// is kept from then on, zero for ever.
const headOrigin = "Sayso-Origin"

// archiveStream is the configuration of the archive of a shard.
func (n names) archiveStream(base jetstream.StreamConfig, ss string, o *Options) jetstream.StreamConfig {
	base.Name = n.stream(areaArchive, ss)
	base.Description = "sayso: every closed ticket, for the audit and to be read later"
	base.Subjects = []string{n.space() + areaArchive + "." + ss + ".*.*.*.*.*"}
	base.MaxAge = o.AuditAge
	base.DenyDelete = true
	base.AllowAtomicPublish = true
	return base
}

// archived is a copy of a ticket.
type archived struct {
	hub.Record
	at     uint64        // its sequence in the archive
	stored time.Time     // the record
	copied time.Time     // when the archive got it
	kept   time.Duration // from stored on; zero: for ever
}

// over reports whether the record is to be forgotten.
func (a *archived) over(now time.Time) bool { return a.kept > 0 && !now.Before(a.stored.Add(a.kept)) }

// lists is from when on lists have the record from the archive. Until then they have it from the stream of tickets, which
// keeps it for a while longer, so that a list that is under way finds it in exactly one of them.
func (a *archived) lists(settled time.Duration) time.Time {
	from := a.stored.Add(settled)
	if a.copied.After(from) {
		from = a.copied
	}
	return from
}

// copyFound is copyOf for what a scan found; nil if it is not a closed ticket.
func (s *Store) copyFound(f found) (*nats.Msg, error) {
	if !isClosed(f.header) || first(f.header, headMarker) != "" {
		return nil, nil
	}
	at, err := f.time()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.subject, err)
	}
	return s.copyOf(f, at)
}

// copyOf makes the message for the archive of a closed ticket that was stored at a time.
func (s *Store) copyOf(f found, at time.Time) (*nats.Msg, error) {
	rest, ok := strings.CutPrefix(f.subject, s.names.space()+areaAsk+".")
	if !ok {
		return nil, fmt.Errorf("%w: %q", errSubject, f.subject)
	}
	kept := first(f.header, headTTL)
	if kept == "" {
		kept = "0"
	}
	origin := strconv.FormatUint(f.seq, 10) + " " + strconv.FormatInt(at.UnixNano(), 10) + " " + kept
	m := &nats.Msg{
		Subject: s.names.space() + areaArchive + "." + rest,
		Header:  nats.Header{headState: {first(f.header, headState)}, headOrigin: {origin}},
		Data:    f.data,
	}
	if v := first(f.header, headEarlier); v != "" {
		m.Header[headEarlier] = []string{v}
	}
	return m, nil
}

// origin is where a copy comes from.
type origin struct {
	revision uint64
	stored   time.Time
	kept     time.Duration
}

func originOf(h nats.Header) (o origin, err error) {
	text := first(h, headOrigin)
	part := strings.Fields(text)
	if len(part) != 3 {
		return o, fmt.Errorf("header %s: %q", headOrigin, text)
	}
	var stored, kept int64
	o.revision, err = strconv.ParseUint(part[0], 10, 64)
	if err == nil {
		stored, err = strconv.ParseInt(part[1], 10, 64)
	}
	if err == nil {
		kept, err = strconv.ParseInt(part[2], 10, 64)
	}
	if err != nil {
		return o, fmt.Errorf("header %s: %w", headOrigin, err)
	}
	o.stored, o.kept = time.Unix(0, stored), time.Duration(kept)*time.Second
	return o, nil
}

// original reads a copy.
func (s *Store) original(f found) (*archived, error) {
	o, err := originOf(f.header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.subject, err)
	}
	r, _, err := s.record(f.subject, f.header, f.data, o.revision)
	if err != nil {
		return nil, err
	}
	r.TTL = o.kept
	a := &archived{Record: r, at: f.seq, stored: o.stored, kept: o.kept}
	if first(f.header, headTime) != "" { // not from everywhere
		if a.copied, err = f.time(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// recall reads a settled ticket that the stream of tickets no longer has. Of a replicated archive it asks the leader: one
// that is cut off believes for some seconds that it still leads, but what it lacks then is younger than what the stream of
// tickets has given up.
func (s *Store) recall(ctx context.Context, sh *shard, addr hub.Address) (hub.Record, error) {
	if s.opts.NoAudit {
		return hub.Record{}, hub.ErrNotFound
	}
	subject := s.names.subject(areaArchive, sh.ss, addr)
	m, err := s.leader(ctx, sh.archive, subject)
	if err != nil {
		return hub.Record{}, err
	}
	if m.gone {
		return hub.Record{}, hub.ErrNotFound
	}
	a, err := s.original(found{subject, m.seq, m.header, m.data})
	if err != nil {
		return hub.Record{}, err
	}
	if !a.Settled || a.over(time.Now()) {
		return hub.Record{}, hub.ErrNotFound
	}
	return a.Record, nil
}

// unused returns hub.ErrConflict if the archive has a ticket at the address.
func (s *Store) unused(ctx context.Context, sh *shard, addr hub.Address) error {
	_, err := s.recall(ctx, sh, addr)
	switch {
	case err == nil:
		return hub.ErrConflict
	case errors.Is(err, hub.ErrNotFound):
		return nil
	}
	return err
}

// remembers reports whether the archive has the ticket at this revision, and the stream of tickets may be given it again.
func (s *Store) remembers(ctx context.Context, stream, subject string, revision uint64) (bool, error) {
	sh := s.shards[s.streams[stream]]
	if stream != sh.ask {
		return false, nil
	}
	_, _, addr, err := s.names.parse(subject)
	if err != nil {
		return false, err
	}
	r, err := s.recall(ctx, sh, addr)
	if errors.Is(err, hub.ErrNotFound) {
		return false, nil
	}
	return err == nil && r.Revision == revision, err
}
