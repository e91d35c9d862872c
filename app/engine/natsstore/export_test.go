package natsstore

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// For the tests of package natsstore_test.
var (
	Token   = token
	Untoken = untoken
	ShardOf = shardOf

	Acknowledged = acknowledged
	CheckServer  = checkServer
)

// What natsserver reads.
const (
	MetaMoved   = metaMoved
	MovedRemove = movedRemove
)

// BackupOf writes a backup of some streams, as a version with that layout would have.
func BackupOf(ctx context.Context, nc *nats.Conn, dir string, layout int, streams ...string) error {
	o, err := (&Options{}).withDefaults()
	if err != nil {
		return err
	}
	s := &Store{nc: nc, opts: o, ask: nc.RequestMsgWithContext, requests: make(gate, maxRequests), scans: make(gate, maxScans)}
	b := backup{Version: backupVersion, Layout: layout, Taken: time.Now().UTC()}
	for _, name := range streams {
		st, err := s.snapshot(ctx, name, BackupFolder(dir))
		if err != nil {
			return err
		}
		b.Streams = append(b.Streams, st)
	}
	return b.write(BackupFolder(dir))
}

// Ask is how a store sends a request and gets the answer.
type Ask = func(context.Context, *nats.Msg) (*nats.Msg, error)

// Meddle puts something between the store and the server. Nothing else may use the store meanwhile.
func (s *Store) Meddle(f func(Ask) Ask) { s.ask = f(s.ask) }

// Lose loses the notifications that the function selects, before the store hears of them; nil: none.
func (s *Store) Lose(f func(*nats.Msg) bool) {
	if f == nil {
		s.lose.Store(nil)
		return
	}
	s.lose.Store(&f)
}

// Checks returns how often a watch was compared with what is stored.
func (s *Store) Checks() uint64 { return s.doubts.done.Load() }

// Receive takes the answers to a request for messages, and returns what it took and where it would go on.
func Receive(ctx context.Context, answers ...*nats.Msg) (taken []uint64, from uint64, err error) {
	ch := make(chan *nats.Msg, len(answers))
	for _, m := range answers {
		ch <- m
	}
	sc := scan{from: 1, more: true}
	err = sc.receive(ctx, ch, func(f found) bool {
		taken = append(taken, f.seq)
		return true
	})
	return taken, sc.from, err
}

// Copy brings the archive up to date.
func (s *Store) Copy(ctx context.Context) error {
	for _, sh := range s.shards {
		if err := s.bringUpToDate(ctx, sh); err != nil {
			return err
		}
	}
	return nil
}

// Clear removes what is settled and copied, as if a day had passed.
func (s *Store) Clear(ctx context.Context) error {
	for _, sh := range s.shards {
		sh.copying.mu.Lock()
		err := s.clear(ctx, sh, time.Now().Add(24*time.Hour))
		sh.copying.look = time.Time{}
		sh.copying.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}
