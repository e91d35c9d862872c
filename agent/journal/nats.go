package journal

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// LayoutVersion is the newest version of the streams and records that this package
// writes, kept in the metadata of the streams. Version 1 has one stream of logs;
// what has several is version 2, so that a program that would see only the first
// refuses it.
const LayoutVersion = 2

const (
	metaLayout = "sayso_layout"
	metaShards = "sayso_shards" // of the logs; missing: one
)

// The headers of our messages, and those of the server.
const (
	headNonce    = "Sayso-Nonce" // of the Append that wrote the message: a reply that was lost is found again by it
	headExpect   = "Nats-Expected-Last-Subject-Sequence"
	headSequence = "Nats-Sequence"
	headSubject  = "Nats-Subject"
	headPending  = "Nats-Num-Pending"
	headTTL      = "Nats-TTL"
	headStatus   = "Status"
	headWords    = "Description"
)

// NATSOptions are the options of OpenNATS. Nil means the defaults.
type NATSOptions struct {
	Tenant   string // whose conversations; default: "default"
	Prefix   string // of streams and subjects, as in natsstore; default: none
	Replicas int    // of the streams; default: what they have, else 1
	Shards   int    // streams that a new journal spreads its logs over, at most 100: each flushes by itself. One that is there keeps those it has. Default: 1

	// Mark is told of every acknowledged write, so that a later start notices
	// when it is gone, and when records were removed on purpose; the server inside
	// the process is one. Default: nobody.
	Mark interface {
		Note(stream string, seq uint64) error
		Checkpoint() error
	}

	Timeout  time.Duration // of one request; default: 5 s
	RetryFor time.Duration // how long a write is tried again while nobody knows what became of it; default: 15 s
}

// NATS is a Journal in streams of a NATS account, beside those of the asks:
//
//	CNV-00  cnv.00.tenant.conversation   the logs, one message for each record; more of them up to CNV-99
//	HST-00  hst.00.tenant.host           who is there; a message lives as long as it says
type NATS struct {
	nc         *nats.Conn
	o          NATSOptions
	shards     []shard
	hosts      jetstream.Stream
	hostsSpace string

	mu       sync.Mutex
	attended map[Owner]uint64 // the sequence of the last message of an owner
}

var _ Journal = (*NATS)(nil)

// OpenNATS lays out the streams where they are missing. It does not take over the
// connection, which must stay open for as long as the journal is used.
func OpenNATS(ctx context.Context, nc *nats.Conn, opts *NATSOptions) (*NATS, error) {
	j := &NATS{nc: nc, attended: map[Owner]uint64{}}
	if opts != nil {
		j.o = *opts
	}
	if j.o.Tenant == "" {
		j.o.Tenant = "default"
	}
	if j.o.Timeout <= 0 {
		j.o.Timeout = 5 * time.Second
	}
	if j.o.RetryFor <= 0 {
		j.o.RetryFor = 15 * time.Second
	}
	space, name := "", ""
	if j.o.Prefix != "" {
		space, name = j.o.Prefix+".", j.o.Prefix+"-"
	}
	j.hostsSpace = space + "hst.00." + token(j.o.Tenant) + "."
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := j.openShards(ctx, js, space, name); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	hosts := j.stream(name+"HST-00", "sayso: hosts of conversations", space+"hst.00.*.*")
	hosts.MaxMsgsPerSubject, hosts.AllowMsgTTL = 1, true
	if j.hosts, _, err = ensure(ctx, js, hosts, 1); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return j, nil
}

// Append adds a record; see Journal.
func (j *NATS) Append(ctx context.Context, id string, r Record, after uint64) (uint64, error) {
	body, err := encode(r)
	if err != nil {
		return 0, err
	}
	log := j.shard(id)
	seq, err := j.write(ctx, log.stream, &nats.Msg{Subject: log.space + token(id), Data: body, Header: nats.Header{}}, after)
	if err != nil {
		return 0, fmt.Errorf("journal: append: %w", err)
	}
	if j.o.Mark != nil {
		if err := j.o.Mark.Note(log.name, seq); err != nil {
			return 0, fmt.Errorf("journal: append: remember the write: %w", err)
		}
	}
	return seq, nil
}

// Purge removes a log; see Journal.
func (j *NATS) Purge(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, j.o.RetryFor)
	defer cancel()
	log := j.shard(id)
	if err := log.stream.Purge(ctx, jetstream.WithPurgeSubject(log.space+token(id))); err != nil {
		return fmt.Errorf("journal: purge: %w", err)
	}
	if j.o.Mark != nil {
		if err := j.o.Mark.Checkpoint(); err != nil {
			return fmt.Errorf("journal: purge: remember that it was on purpose: %w", err)
		}
	}
	return nil
}

// write publishes a message to a stream until it is known what became of it.
func (j *NATS) write(ctx context.Context, to jetstream.Stream, m *nats.Msg, after uint64) (uint64, error) {
	nonce := rand.Text()
	m.Header[headNonce] = []string{nonce}
	m.Header[headExpect] = []string{strconv.FormatUint(after, 10)}
	until, wait := time.Now().Add(j.o.RetryFor), time.Millisecond
	for {
		seq, err := j.publish(ctx, m)
		var refused *jetstream.APIError
		switch {
		case err == nil:
			return seq, nil
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case errors.As(err, &refused) && refused.Code < 500 && !wrongLast(refused):
			return 0, err
		}
		// Whatever the refusal said, only what is stored counts.
		last, header, _, readErr := lastMessage(ctx, to, m.Subject)
		switch {
		case readErr == nil && header.Get(headNonce) == nonce:
			return last, nil
		case readErr == nil && last != after:
			return 0, ErrConflict
		case time.Now().After(until):
			return 0, err
		}
		if err := sleep(ctx, &wait); err != nil {
			return 0, err
		}
	}
}

// The server has two codes for "another message came first": on a replicated
// stream also while that is being decided.
func wrongLast(e *jetstream.APIError) bool { return e.ErrorCode == 10071 || e.ErrorCode == 10164 }

func (j *NATS) publish(ctx context.Context, m *nats.Msg) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, j.o.Timeout)
	defer cancel()
	reply, err := j.nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return 0, err
	}
	var ack struct {
		Error *jetstream.APIError `json:"error"`
		Seq   uint64              `json:"seq"`
	}
	if err := json.Unmarshal(reply.Data, &ack); err != nil {
		return 0, fmt.Errorf("the server's answer: %w", err)
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	return ack.Seq, nil
}

func sleep(ctx context.Context, d *time.Duration) error {
	t := time.NewTimer(*d)
	defer t.Stop()
	*d = min(2**d, 250*time.Millisecond)
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// token spells any string as a part of a subject, one to one, as natsstore does.
func token(s string) string {
	if plain(s) {
		return s
	}
	return "_" + base64.RawURLEncoding.EncodeToString([]byte(s))
}

func untoken(t string) (string, error) {
	if rest, ok := strings.CutPrefix(t, "_"); ok {
		b, err := base64.RawURLEncoding.Strict().DecodeString(rest)
		return string(b), err
	}
	return t, nil
}

func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}
