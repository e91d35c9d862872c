package natsstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/saysohq/sayso/hub"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// List returns a page of records, shard by shard in the order of their revisions; see hub.Store. A page may be short of its
// limit when its records are large.
func (s *Store) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	p, err := s.list(ctx, q)
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
	at, err := parseCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	first, end := 0, len(s.shards)
	if q.Tenant != "" && q.Person != nil {
		first = shardOf(q.Tenant, *q.Person, len(s.shards))
		end = first + 1
	}
	if at.shard < first {
		at = cursor{shard: first}
	}
	limit := min(cmp.Or(max(q.Limit, 0), defaultLimit), maxLimit)
	q.Bytes = cmp.Or(max(q.Bytes, 0), hub.PageBytes)
	for ; at.shard < end && len(page.Records) < limit && page.Scanned < q.Bytes; at = (cursor{shard: at.shard + 1}) {
		sh := s.shards[at.shard]
		part := s.listShard
		if ar == areaAsk && !q.Due.IsZero() {
			part = s.listDue
		}
		next, err := part(ctx, sh, ar, q, at.seq, limit, &page)
		if err != nil {
			return hub.Page{}, err
		}
		if next > 0 {
			page.Next = cursor{at.shard, next}.String()
			return page, nil
		}
	}
	if at.shard < end {
		page.Next = at.String()
	}
	return page, nil
}

// listShard adds to the page what matches in one shard from a sequence on, and returns the sequence to go on with, zero at
// the end.
func (s *Store) listShard(ctx context.Context, sh *shard, ar string, q hub.Query, from uint64, limit int, page *hub.Page) (next uint64, err error) {
	sc := scan{stream: sh.stream(ar), filters: []string{s.names.filter(ar, sh.ss, q)}, from: from, more: true}
	for n := limit - len(page.Records); sc.more && len(page.Records) < limit && page.Scanned < q.Bytes; n = min(2*n, maxBatch) { // more, as many were passed over
		var bad error
		err := s.next(ctx, &sc, n, func(f found) bool {
			if len(page.Records) == limit || page.Scanned >= q.Bytes {
				return false
			}
			page.Looked, page.Scanned = page.Looked+1, page.Scanned+len(f.data)
			r, ok, err := s.record(f.subject, f.header, f.data, f.seq)
			bad = errors.Join(bad, err)
			if ok && q.Match(r) {
				page.Records = append(page.Records, r)
			}
			return true
		})
		if err := errors.Join(err, bad); err != nil {
			return 0, err
		}
	}
	if sc.more {
		next = sc.from
	}
	return next, nil
}

// cursor is where a page begins.
type cursor struct {
	shard int
	seq   uint64
}

func (c cursor) String() string { return strconv.Itoa(c.shard) + "." + strconv.FormatUint(c.seq, 36) }

func parseCursor(s string) (cursor, error) {
	if s == "" {
		return cursor{}, nil
	}
	a, b, _ := strings.Cut(s, ".")
	shard, err1 := strconv.Atoi(a)
	seq, err2 := strconv.ParseUint(b, 36, 64)
	if err := errors.Join(err1, err2); err != nil || shard < 0 || shard >= maxShards {
		return cursor{}, fmt.Errorf("%q is not a cursor of this store", s)
	}
	return cursor{shard, seq}, nil
}
