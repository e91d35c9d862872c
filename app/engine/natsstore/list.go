package natsstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/hub"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
	maxBatch     = 1024    // what the server gives of the last messages of subjects, at most
	pageBytes    = 8 << 20 // after this much a page ends early
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
	for ; at.shard < end; at = (cursor{shard: at.shard + 1}) {
		sh := s.shards[at.shard]
		scan := scan{stream: sh.stream(ar), filter: s.names.filter(ar, sh.ss, q), from: at.seq, limit: limit - len(page.Records)}
		if page.Records, err = s.fill(ctx, &scan, q, page.Records); err != nil {
			return hub.Page{}, err
		}
		if scan.more {
			page.Next = cursor{at.shard, scan.from}.String()
			return page, nil
		}
		if len(page.Records) >= limit && at.shard+1 < end {
			page.Next = cursor{shard: at.shard + 1}.String()
			return page, nil
		}
	}
	return page, nil
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

// scan walks through the messages of one stream that have a subject, by their sequences.
type scan struct {
	stream, filter string
	from           uint64 // the next sequence to look at
	limit          int
	more           bool // there may be messages from there on
	walk           bool // there are too many to get the last ones at once
}

// fill appends the records of a scan that match the query.
func (s *Store) fill(ctx context.Context, sc *scan, q hub.Query, records []hub.Record) ([]hub.Record, error) {
	want, batch, size := len(records)+sc.limit, sc.limit, 0
	sc.more = true
	for sc.more && len(records) < want && size < pageBytes {
		var bad error
		err := s.batch(ctx, sc, batch, func(seq uint64, m *nats.Msg) bool {
			r, ok, err := s.record(first(m.Header, headSubject), m.Header, m.Data, seq)
			if err != nil {
				bad = err
			}
			if !ok || !q.Match(r) {
				return true
			}
			if len(records) == want {
				return false
			}
			records, size = append(records, r), size+len(r.Data)
			return true
		})
		if err := errors.Join(err, bad); err != nil {
			return records, err
		}
		batch = min(2*batch, maxBatch) // many were passed over
	}
	return records, nil
}

// batch asks for the next messages of a scan and gives each to take, until that says no. It moves the scan on.
func (s *Store) batch(ctx context.Context, sc *scan, n int, take func(uint64, *nats.Msg) bool) error {
	return s.patient(ctx, func() error {
		err := s.directGet(ctx, sc, n, take)
		var api *apiError
		if errors.As(err, &api) && api.Code == 413 && !sc.walk {
			sc.walk = true
			err = s.directGet(ctx, sc, n, take)
		}
		return err
	})
}

// directGet is one request for messages and the answers to it. It makes no consumer.
func (s *Store) directGet(ctx context.Context, sc *scan, n int, take func(uint64, *nats.Msg) bool) error {
	req := struct {
		Seq   uint64   `json:"seq,omitempty"`
		Multi []string `json:"multi_last,omitempty"`
		Next  string   `json:"next_by_subj,omitempty"`
		Batch int      `json:"batch"`
		Bytes int      `json:"max_bytes"`
	}{Seq: sc.from, Batch: n, Bytes: pageBytes}
	if sc.walk {
		req.Seq, req.Next = max(sc.from, 1), sc.filter
	} else {
		req.Multi = []string{sc.filter}
	}
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	inbox := s.nc.NewRespInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer unsubscribe(sub)
	if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+sc.stream, inbox, body); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return err
		}
		if code := first(m.Header, headStatus); code != "" {
			return sc.ended(code, m)
		}
		seq, err := strconv.ParseUint(first(m.Header, headSequence), 10, 64)
		if err != nil {
			return fmt.Errorf("the server's answer: %w", err)
		}
		if !take(seq, m) {
			sc.from = seq
			return nil
		}
		sc.from = seq + 1
	}
}

// ended reads the message that ends a batch.
func (sc *scan) ended(code string, m *nats.Msg) error {
	switch code {
	case "204":
		sc.more = first(m.Header, headPending) != "0"
		return nil
	case "404":
		if !sc.walk && first(m.Header, headDescription) != "No Results" {
			return errors.New("a message that is there cannot be read: the stream is damaged")
		}
		sc.more = false
		return nil
	}
	n, err := strconv.Atoi(code)
	if err != nil {
		return fmt.Errorf("the server's answer has status %q", code)
	}
	return &apiError{Code: n, Description: first(m.Header, headDescription)}
}
