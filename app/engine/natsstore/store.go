package natsstore

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/hub"
)

// Store keeps records in the streams of a NATS account.
type Store struct {
	nc      *nats.Conn
	opts    Options
	names   names
	shards  []*shard
	streams map[string]int // the shards of the streams that ring
	bell    *bell
	events  *nats.Subscription
	ask     func(context.Context, *nats.Msg) (*nats.Msg, error) // tests lose answers here

	term     term
	requests gate // how much may be asked of the server at once
	scans    gate

	life   string // with writes, a nonce that no other Store has
	writes atomic.Uint64

	stop    context.CancelFunc
	running sync.WaitGroup
	once    sync.Once
}

var _ hub.Store = (*Store)(nil)

// The server has room for some thousand requests of all its clients together, and an answer to a scan may have megabytes.
const (
	maxRequests = 512
	maxScans    = 32
)

// errClosed ends the calls of Watch when the store is closed.
var errClosed = errors.New("natsstore: the store is closed")

// Open lays out the streams where they are missing and returns the store. It does not take over the connection, which must
// stay open until Close.
func Open(ctx context.Context, nc *nats.Conn, opts *Options) (*Store, error) {
	s, err := open(ctx, nc, opts)
	if err != nil {
		return nil, fmt.Errorf("natsstore: open: %w", err)
	}
	return s, nil
}

func open(ctx context.Context, nc *nats.Conn, opts *Options) (*Store, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{nc: nc, opts: o, names: names{o.Prefix}, ask: nc.RequestMsgWithContext, requests: make(gate, maxRequests), scans: make(gate, maxScans)}
	var seed [9]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, err
	}
	s.life = base64.RawURLEncoding.EncodeToString(seed[:])
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(o.Timeout))
	if err != nil {
		return nil, err
	}
	err = s.patient(ctx, func() error { return layOut(ctx, js, s.names, &s.opts) }) // a cluster may have no leader yet
	if err != nil {
		return nil, err
	}
	s.streams = map[string]int{}
	for i := range s.opts.Shards {
		sh := newShard(s.names, i)
		s.shards = append(s.shards, sh)
		s.streams[sh.ask], s.streams[sh.draft], s.streams[sh.aux] = i, i, i
	}
	life, stop := context.WithCancel(context.Background())
	s.stop = stop
	if err := s.listen(ctx, life); err != nil {
		stop()
		return nil, err
	}
	return s, nil
}

// Shards returns how many shards the store has.
func (s *Store) Shards() int { return s.opts.Shards }

// Close ends every Watch and waits for what the store has running. The connection stays open.
func (s *Store) Close() error {
	s.once.Do(func() {
		s.stop()
	})
	s.running.Wait()
	return nil
}

// shard is a set of streams and what is known of it.
type shard struct {
	ss    string // as it is in names
	ask   string // the names of its streams
	draft string
	aux   string
	due   string
	audit string

	room      quota
	fence     fence
	deadlines *deadlines
}

func newShard(n names, i int) *shard {
	ss := shardToken(i)
	return &shard{ss: ss, ask: n.stream(areaAsk, ss), draft: n.stream(areaDraft, ss), aux: n.stream(areaAux, ss), due: n.stream(areaDue, ss), audit: n.stream(areaAudit, ss), deadlines: newDeadlines()}
}

func (sh *shard) stream(area string) string {
	switch area {
	case areaAsk:
		return sh.ask
	case areaDraft:
		return sh.draft
	}
	return sh.aux
}

func (s *Store) shardOf(a hub.Address) *shard {
	return s.shards[shardOf(a.Tenant, a.Person, len(s.shards))]
}

// nonce returns a word that marks one write.
func (s *Store) nonce() string {
	return s.life + strconv.FormatUint(s.writes.Add(1), 36)
}
