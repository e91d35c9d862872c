package natsstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso/hub"
)

// A list that may select settled tickets goes on in the archive. So that it has each of them once although they move there
// while it is read, its cursor carries when it began: what lists had from the archive by then comes from there, everything
// else from the stream of tickets, which keeps what lists have from the archive for listTime more.

// wantsArchive reports whether a query may select tickets that only the archive has.
func (s *Store) wantsArchive(q hub.Query) bool {
	yes := func(b *bool) bool { return b == nil || *b }
	return !s.opts.NoAudit && cmp.Or(q.Kind, hub.KindTicket) == hub.KindTicket &&
		q.After == nil && q.Due.IsZero() && yes(q.Closed) && yes(q.Settled)
}

// A cursor of such a list is "cursor@began", where a cursor in the archive begins with this.
const inArchive = "h"

// listAll is list, and goes on in the archive.
func (s *Store) listAll(ctx context.Context, q hub.Query) (hub.Page, error) {
	if !s.wantsArchive(q) {
		return s.list(ctx, q)
	}
	began := time.Now()
	if q.Cursor != "" {
		cursor, text, _ := strings.Cut(q.Cursor, "@")
		ns, err := strconv.ParseInt(text, 36, 64)
		if err != nil {
			return hub.Page{}, fmt.Errorf("%q is not a cursor of this store", q.Cursor)
		}
		q.Cursor, began = cursor, time.Unix(0, ns)
	}
	page, err := s.listBoth(ctx, q, began)
	if page.Next != "" {
		page.Next += "@" + strconv.FormatInt(began.UnixNano(), 36)
	}
	return page, err
}

func (s *Store) listBoth(ctx context.Context, q hub.Query, began time.Time) (hub.Page, error) {
	limit, bytes := pageSize(q)
	q.Bytes = bytes
	var page hub.Page
	at, archive := strings.CutPrefix(q.Cursor, inArchive)
	if !archive {
		var err error
		if page, err = s.list(ctx, q); err != nil {
			return page, err
		}
		if !q.Loose {
			page.Records, err = s.withoutArchived(ctx, page.Records, began)
		}
		if err != nil || page.Next != "" {
			return page, err
		}
		at = ""
	}
	from, err := parseCursor(at)
	if err != nil {
		return page, err
	}
	first, end := s.span(q)
	if from.shard < first {
		from = cursor{shard: first}
	}
	for ; from.shard < end; from = (cursor{shard: from.shard + 1}) {
		for more := true; more; {
			if len(page.Records) >= limit || page.Scanned >= q.Bytes {
				page.Next = inArchive + from.String()
				return page, nil
			}
			if from, err = s.listArchive(ctx, from, q, limit, began, &page); err != nil {
				return hub.Page{}, err
			}
			more = from.seq > 0
		}
	}
	return page, nil
}

// listArchive adds to the page what matches in the archive of a shard from a place on, and returns where to go on, at
// sequence zero at the end.
func (s *Store) listArchive(ctx context.Context, from cursor, q hub.Query, limit int, began time.Time, page *hub.Page) (next cursor, err error) {
	next.shard = from.shard
	sh := s.shards[from.shard]
	sc := scan{stream: sh.archive, filters: []string{s.names.filter(areaArchive, sh.ss, q)}, from: from.seq, more: true, walk: from.walk}
	room := limit - len(page.Records)
	var got []*archived
	var bad error
	err = s.next(ctx, &sc, room, func(f found) bool {
		if len(got) == room || page.Scanned >= q.Bytes {
			return false
		}
		page.Looked, page.Scanned = page.Looked+1, page.Scanned+len(f.data)
		a, err := s.original(f)
		if err != nil {
			bad = err
			return false
		}
		if a.Settled && !a.lists(s.opts.Settled).After(began) && !a.over(time.Now()) && q.Match(a.Record) {
			got = append(got, a)
		}
		return true
	})
	if err := errors.Join(err, bad); err != nil {
		return next, err
	}
	if sc.more {
		next.seq, next.walk = sc.from, sc.walk
	}
	if !q.Loose {
		if got, err = s.lastCopies(ctx, sh, got, sc.walk); err != nil {
			return cursor{}, err
		}
	}
	for _, a := range got {
		page.Records = append(page.Records, a.Record)
	}
	return next, nil
}

// lastCopies leaves out the copies of what was changed since.
func (s *Store) lastCopies(ctx context.Context, sh *shard, got []*archived, walked bool) ([]*archived, error) {
	if walked { // which gives every copy
		last, err := s.lastOf(ctx, sh.archive, s.subjects(areaArchive, got))
		if err != nil {
			return nil, err
		}
		got = slices.DeleteFunc(got, func(a *archived) bool { return last[a.Address].seq != a.at })
	}
	now, err := s.lastOf(ctx, sh.ask, s.subjects(areaAsk, got))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(got, func(a *archived) bool {
		n, ok := now[a.Address]
		return ok && n.seq != a.Revision
	}), nil
}

// withoutArchived leaves out the tickets that the list has from the archive.
func (s *Store) withoutArchived(ctx context.Context, records []hub.Record, began time.Time) ([]hub.Record, error) {
	settled := map[*shard][]*archived{}
	for _, r := range records {
		if r.Settled {
			sh := s.shardOf(r.Address)
			settled[sh] = append(settled[sh], &archived{Record: r})
		}
	}
	there := map[hub.Address]bool{}
	for sh, of := range settled {
		copies, err := s.lastOf(ctx, sh.archive, s.subjects(areaArchive, of))
		if err != nil {
			return nil, err
		}
		for _, r := range of {
			f, ok := copies[r.Address]
			if !ok {
				continue
			}
			a, err := s.original(f)
			if err != nil {
				return nil, err
			}
			there[r.Address] = a.Revision == r.Revision && !a.lists(s.opts.Settled).After(began)
		}
	}
	return slices.DeleteFunc(records, func(r hub.Record) bool { return there[r.Address] }), nil
}

func (s *Store) subjects(area string, of []*archived) []string {
	var all []string
	for _, a := range of {
		all = append(all, s.names.subject(area, s.shardOf(a.Address).ss, a.Address))
	}
	return all
}

// lastOf returns the last message of each subject that has one.
func (s *Store) lastOf(ctx context.Context, stream string, subjects []string) (map[hub.Address]found, error) {
	all := map[hub.Address]found{}
	sc := scan{stream: stream, filters: subjects, more: len(subjects) > 0}
	for sc.more {
		var bad error
		err := s.next(ctx, &sc, maxBatch, func(f found) bool {
			_, _, addr, err := s.names.parse(f.subject)
			bad = errors.Join(bad, err)
			all[addr] = f
			return err == nil
		})
		if err := errors.Join(err, bad); err != nil {
			return nil, err
		}
	}
	return all, nil
}
