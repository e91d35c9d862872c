package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// isWrite reports whether a request is a write of a record.
func isWrite(m *nats.Msg) bool { return strings.HasPrefix(m.Subject, "ask.") }

func answer(code, errCode int, text string) *nats.Msg {
	return &nats.Msg{Data: fmt.Appendf(nil, `{"error":{"code":%d,"err_code":%d,"description":%q}}`, code, errCode, text)}
}

// Whatever becomes of the answers, a write has one effect and the caller learns which.
func TestPutUndecided(t *testing.T) {
	t.Parallel()
	inProcess := answer(400, 10164, "wrong last sequence")
	for _, c := range []struct {
		name   string
		before bool // the write does not reach the server
		reply  *nats.Msg
		err    error
	}{
		{"lost request", true, nil, nats.ErrTimeout},
		{"lost reply", false, nil, nats.ErrTimeout},
		{"no responders", true, nil, nats.ErrNoResponders},
		{"deadline of the request", false, nil, context.DeadlineExceeded},
		{"in process, not made", true, inProcess, nil},
		{"in process, made", false, inProcess, nil},
		{"503, not made", true, answer(503, 10008, "unavailable"), nil},
		{"503, made", false, answer(503, 10008, "unavailable"), nil},
		{"wrong sequence, but made", false, answer(400, 10071, "wrong last sequence: 1"), nil},
		{"wrong sequence, but not made", true, answer(400, 10071, "wrong last sequence: 1"), nil},
		{"gibberish", false, &nats.Msg{Data: []byte("ok")}, nil},
		{"no sequence", false, &nats.Msg{Data: []byte("{}")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := alone(t, nil)
			r := ticket(1, "ann", "one")
			var writes int
			s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
				return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
					if !isWrite(m) {
						return ask(ctx, m)
					}
					if writes++; writes%3 == 0 { // twice in a row
						return ask(ctx, m)
					}
					if !c.before {
						_, err := ask(ctx, m)
						must(t, err)
					}
					return c.reply, c.err
				}
			})
			rev := put(t, s, r, 0)
			got, err := s.Get(t.Context(), r.Kind, r.Address)
			must(t, err)
			if got.Revision != rev {
				t.Fatalf("Put said revision %d, stored is %d", rev, got.Revision)
			}
			r.Data, r.Closed = []byte("two"), true
			put(t, s, r, rev)
			_, err = s.Put(t.Context(), r, rev)
			wantError(t, err, hub.ErrConflict)
		})
	}
}

// A rival's write under way is no verdict until it can be read.
func TestPutRivalInProcess(t *testing.T) {
	t.Parallel()
	srv, nc := serve(t)
	s, rival := open(t, nc, &natsstore.Options{Mark: srv}), open(t, nc, nil)
	r := ticket(1, "ann", "mine")
	tries := 0
	s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
		return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
			if !isWrite(m) {
				return ask(ctx, m)
			}
			if tries++; tries == 3 {
				other := r
				other.Data = []byte("the rival's")
				put(t, rival, other, 0)
			}
			return answer(400, 10164, "wrong last sequence"), nil
		}
	})
	_, err := s.Put(t.Context(), r, 0)
	wantError(t, err, hub.ErrConflict)
	if tries != 3 {
		t.Errorf("gave up after %d tries, the rival's write could be read after 3", tries)
	}
}

func TestPutGivesUp(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{RetryFor: 50 * time.Millisecond})
	s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
		return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
			if isWrite(m) {
				return nil, nats.ErrNoResponders
			}
			return ask(ctx, m)
		}
	})
	_, err := s.Put(t.Context(), ticket(1, "ann", "one"), 0)
	wantError(t, err, hub.ErrUndecided)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Put(ctx, ticket(1, "ann", "one"), 0)
	wantError(t, err, context.Canceled)
}

func TestPutRefusals(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	r := ticket(1, "ann", "one")
	r.Data = make([]byte, hub.MaxData)
	put(t, s, r, 0)
	r.Address.ID, r.Data = "ask_2", make([]byte, hub.MaxData+1)
	if _, err := s.Put(t.Context(), r, 0); err == nil || errors.Is(err, hub.ErrUndecided) {
		t.Errorf("a record that is too large: %v", err)
	}
	r.Kind, r.Data = "letter", nil
	if _, err := s.Put(t.Context(), r, 0); err == nil {
		t.Error("a record of unknown kind is taken")
	}
}

// Sixteen rivals for each of many records: one wins, the others can read the winner when they learn that they lost.
func TestPutOneWinner(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 2})
	for i := range 20 {
		rev := put(t, s, ticket(i, "ann", "open"), 0)
		var wg sync.WaitGroup
		var won atomic.Int32
		for k := range 16 {
			wg.Go(func() {
				r := ticket(i, "ann", fmt.Sprint("answer ", k))
				r.Closed = true
				_, err := s.Put(t.Context(), r, rev)
				if err == nil {
					won.Add(1)
					return
				}
				if !errors.Is(err, hub.ErrConflict) {
					t.Error(err)
				}
				if got, err := s.Get(t.Context(), r.Kind, r.Address); err != nil || !got.Closed {
					t.Errorf("refused, and the winner cannot be read: %v %v", got, err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d rivals won", won.Load())
		}
	}
}

type marks struct {
	mu  sync.Mutex
	all map[string]uint64
	err error
}

func (m *marks) Note(stream string, seq uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all[stream] = max(m.all[stream], seq)
	return m.err
}

func TestMark(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	m := &marks{all: map[string]uint64{}}
	s := open(t, nc, &natsstore.Options{Mark: m})
	var rev uint64
	for i := range 3 {
		rev = put(t, s, ticket(i, "ann", "one"), 0)
	}
	draft := ticket(1, "ann", "draft")
	draft.Kind = hub.KindDraft
	put(t, s, draft, 0)
	if len(m.all) != 2 || m.all["ASK2-00"] != rev || m.all["DRF2-00"] != 1 {
		t.Errorf("marks %v, want the revision %d", m.all, rev)
	}
	m.err = errors.New("the disk is gone")
	_, err := s.Put(t.Context(), ticket(9, "ann", "one"), 0)
	wantError(t, err, m.err)
}

func TestAcknowledged(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]uint64{
		`{"stream":"ASK2-00","seq":17}`:                     17,
		`{"stream":"ASK2-00", "seq":17}`:                    0,
		`{"stream":"ASK2-00","seq":17,"duplicate":true}`:    0,
		`{"stream":"ASK2-00","domain":"d","seq":17}`:        17,
		`{"stream":"ASK2-00","seq":0}`:                      0,
		`{"stream":"ASK2-00","seq":-1}`:                     0,
		`{"stream":"ASK2-00","seq":1x}`:                     0,
		`{"stream":"ASK2-00","seq":99999999999999999999}`:   0,
		`{"stream":"ASK2-00","seq":17`:                      0,
		`{"stream":"ASK2-00`:                                0,
		`{"error":{"code":400},"stream":"ASK2-00","seq":0}`: 0,
		``: 0,
	} {
		if got, ok := natsstore.Acknowledged([]byte(answer)); ok != (want > 0) || ok && got != want {
			t.Errorf("%s: %d, %v", answer, got, ok)
		}
	}
}
