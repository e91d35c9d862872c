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
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/hub"
)

// Store keeps records in the streams of a NATS account.
type Store struct {
	nc        *nats.Conn
	opts      Options
	names     names
	name      string // of the store among others, in positions
	firstWord string // of the first stream of tickets, as it was opened
	shards    []*shard
	streams   map[string]int // the shards of the streams that are watched
	line      *line
	doubts    *doubts
	routed    bool                                                // notifications pass from server to server, where they may be lost without any sign
	over      context.Context                                     // ends every Watch, with the reason
	end       context.CancelCauseFunc                             // ends it
	lose      atomic.Pointer[func(*nats.Msg) bool]                // tests lose notifications here
	ask       func(context.Context, *nats.Msg) (*nats.Msg, error) // tests lose answers here

	room     quota
	term     term
	requests gate // how much may be asked of the server at once
	scans    gate

	closedHere chan struct{} // wakes the archiver
	listTime   time.Duration // tests make it shorter

	life   string // with writes, a nonce that no other Store has
	writes atomic.Uint64

	earlierAudit int // how many shards of layout 1 may have something to export

	running sync.WaitGroup
}

var _ hub.Store = (*Store)(nil)

// The server has room for some thousand requests of all its clients together, and an answer to a scan may have megabytes.
const (
	maxRequests = 512
	maxScans    = 64
)

// errClosed ends the calls of Watch when the store is closed.
var errClosed = errors.New("natsstore: the store is closed")

// Open lays out the streams where they are missing and returns the store. It does not take over the connection, which must
// stay open until Close.
func Open(ctx context.Context, nc *nats.Conn, opts *Options) (*Store, error) {
	s, err := open(ctx, nc, opts)
	if err != nil {
		return nil, fmt.Errorf("natsstore: open: %w", unsettled(err))
	}
	return s, nil
}

// unsettled marks an error that may be gone when the store is opened again, as in a cluster that has just begun:
// [hub.ErrUndecided].
func unsettled(err error) error {
	if passing(err) {
		return &unsettledError{err}
	}
	return err
}

// unsettledError is [hub.ErrUndecided], in the words of what it wraps.
type unsettledError struct{ error }

func (e *unsettledError) Unwrap() []error { return []error{hub.ErrUndecided, e.error} }

func open(ctx context.Context, nc *nats.Conn, opts *Options) (*Store, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkServer(nc.ConnectedServerVersion()); err != nil {
		return nil, err
	}
	s := &Store{nc: nc, opts: o, names: names{o.Prefix}, ask: nc.RequestMsgWithContext, requests: make(gate, maxRequests), scans: make(gate, maxScans), closedHere: make(chan struct{}, 1), listTime: listTime}
	s.routed = o.Replicas > 1 || nc.ConnectedClusterName() != ""
	var seed [9]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, err
	}
	s.life = base64.RawURLEncoding.EncodeToString(seed[:])
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(o.Timeout))
	if err != nil {
		return nil, err
	}
	move, err := s.unmoved(ctx, js)
	if err == nil && move != nil {
		err = move.copyAll(ctx)
	}
	if err != nil {
		return nil, err
	}
	err = s.patient(ctx, func() error { return layOut(ctx, js, s.names, &s.opts) }) // a cluster may have no leader yet
	if err == nil && move != nil {
		err = move.remove(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.streams = map[string]int{}
	for i := range s.opts.Shards {
		sh := newShard(s.names, i)
		s.shards = append(s.shards, sh)
		for _, name := range []string{sh.ask, sh.draft, sh.aux, sh.due, sh.archive, sh.key} {
			if name != "" {
				s.streams[name] = i
			}
		}
	}
	s.over, s.end = context.WithCancelCause(context.Background())
	if err := s.listen(ctx, s.over); err != nil {
		s.end(err)
		return nil, err
	}
	if !s.opts.NoAudit {
		s.running.Go(func() { s.archive(s.over) })
	}
	return s, nil
}

// Shards returns how many shards the store has.
func (s *Store) Shards() int { return s.opts.Shards }

// Replicas returns on how many servers each record is.
func (s *Store) Replicas() int { return s.opts.Replicas }

// Close ends every Watch and waits for what the store has running. The connection stays open.
func (s *Store) Close() error {
	s.end(errClosed)
	s.running.Wait()
	return nil
}

// shard is a set of streams and what is known of it.
type shard struct {
	ss      string // as it is in names
	ask     string // the names of its streams
	draft   string
	aux     string
	due     string
	archive string
	key     string // only of the first

	known     [len(streamAreas)]atomic.Uint64 // by stream: the newest sequence that anybody here knows of
	fence     fence
	deadlines *deadlines
	copying   copying
	recent    recent
	oldest    struct { // before this sequence no ticket is open
		mu   sync.Mutex
		from uint64
	}
}

func newShard(n names, i int) *shard {
	ss := shardToken(i)
	sh := &shard{ss: ss, ask: n.stream(areaAsk, ss), draft: n.stream(areaDraft, ss), aux: n.stream(areaAux, ss), due: n.stream(areaDue, ss), archive: n.stream(areaArchive, ss), deadlines: newDeadlines()}
	if i == 0 {
		sh.key = n.stream(areaKey, ss)
	}
	return sh
}

func (sh *shard) stream(area string) string {
	switch {
	case area == areaAsk:
		return sh.ask
	case area == areaDraft:
		return sh.draft
	case shared(area):
		return sh.key
	}
	return sh.aux
}

// streamAreas are those whose streams are watched and listed.
var streamAreas = [...]string{areaAsk, areaDraft, areaKey, areaAux}

// know notes that a sequence is there, so that no list from now on is older.
func (sh *shard) know(area string, seq uint64) {
	for at := sh.newest(area); ; {
		if old := at.Load(); seq <= old || at.CompareAndSwap(old, seq) {
			return
		}
	}
}

// newest is the newest sequence that is known of the stream of an area.
func (sh *shard) newest(area string) *atomic.Uint64 {
	if shared(area) {
		area = areaKey
	}
	for i, name := range streamAreas {
		if area == name {
			return &sh.known[i]
		}
	}
	return &sh.known[len(streamAreas)-1]
}

// shardFor returns the shard that has the record of an area at an address.
func (s *Store) shardFor(area string, a hub.Address) *shard {
	if shared(area) {
		return s.shards[0]
	}
	return s.shardOf(a)
}

// shardOf returns the shard of an inbox.
func (s *Store) shardOf(a hub.Address) *shard {
	return s.shards[shardOf(a.Tenant, a.Person, len(s.shards))]
}

// nonce returns a word that marks one write.
func (s *Store) nonce() string {
	return s.life + strconv.FormatUint(s.writes.Add(1), 36)
}
