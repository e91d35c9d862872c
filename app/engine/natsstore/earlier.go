package natsstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/hub"
)

// Layout 1 had neither the asker in its subjects nor the version in the names of its streams:
//
//	ASK-ss  ask.ss.tenant.person.conversation.id   tickets
//	DRF-ss  drf.ss.tenant.person.conversation.id   drafts
//	AUX-ss  ses.ss.…, use.ss.…                     small records
//	DUE-ss  due.ss.…                               which tickets have a deadline
//	AUD-ss  aud.ss.tenant                          a copy of everything that was in ASK-ss

// earlierLayout is the layout that this version moves to its own.
const earlierLayout = "1"

// The streams of layout 1 that hold records. Drafts come after the tickets they belong to.
var earlierAreas = [...]string{areaAsk, areaDraft, areaAux}

// earlier names a stream of layout 1.
func (n names) earlier(area, ss string) string {
	name := strings.ToUpper(area) + "-" + ss
	if n.prefix == "" {
		return name
	}
	return n.prefix + "-" + name
}

// now spells a subject of layout 1 as this one does: without an asker. It is false for what is no record.
func (n names) now(subject string) (string, bool) {
	rest, ok := strings.CutPrefix(subject, n.space())
	part := strings.Split(rest, ".")
	if !ok || len(part) != subjectTokens-1 {
		return "", false
	}
	return n.space() + strings.Join(slices.Insert(part, 4, token("")), "."), true
}

// then spells where layout 1 had the record of this kind, given its address there.
func (n names) then(area string, a hub.Address, shards int) (stream, subject string) {
	ss := shardToken(shardOf(a.Tenant, a.Person, shards))
	parts := []string{area, ss, token(a.Tenant), token(a.Person), token(a.Conversation), token(a.ID)}
	return n.earlier(area, ss), n.space() + strings.Join(parts, ".")
}

// parked is the only subject that a stream of layout 1 takes once its records are being moved: of fences.
func (n names) parked(stream string) string { return n.space() + "parked." + stream }

// earlierRecord reads a message of layout 1. The record has no asker yet, and lives for as long as its message has left.
// It is false for what is no record, or no longer.
func (s *Store) earlierRecord(f found, now time.Time) (r hub.Record, ok bool, err error) {
	subject, ok := s.names.now(f.subject)
	if !ok {
		return r, false, nil
	}
	r, ok, err = s.record(subject, f.header, f.data, f.seq)
	if err != nil || !ok || r.TTL == 0 {
		return r, ok, err
	}
	at, err := f.time()
	r.TTL -= now.Sub(at)
	return r, r.TTL > 0, err
}

// errLags says that the replica that answers has not got as far as the fence.
var errLags = errors.New("no replica has everything yet")

// walkEarlier gives the messages of a stream of layout 1, in order and in batches. The stream takes no more writes but
// fences: what comes before one that was acknowledged is all there is. A replica that has not got the fence lags.
func (s *Store) walkEarlier(ctx context.Context, stream string, each func([]found) error) error {
	own := s.names.parked(stream)
	var fence uint64
	err := s.patient(ctx, func() (err error) {
		fence, err = s.publish(ctx, &nats.Msg{Subject: own})
		return err
	})
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	sc := scan{stream: stream, filters: []string{">"}, walk: true}
	var wait backoff
	until := time.Now().Add(s.opts.RetryFor)
	for whole := false; !whole; {
		sc.more = true
		for sc.more {
			var batch []found
			err := s.next(ctx, &sc, moveBatch, func(f found) bool {
				if f.subject == own {
					whole = whole || f.seq >= fence
				} else {
					batch = append(batch, f)
				}
				return true
			})
			if err != nil {
				return err
			}
			if len(batch) > 0 {
				if err := each(batch); err != nil {
					return err
				}
				until = time.Now().Add(s.opts.RetryFor)
			}
		}
		if whole {
			break
		}
		if time.Now().After(until) {
			return errLags
		}
		if err := wait.sleep(ctx); err != nil {
			return err
		}
	}
	return nil
}
