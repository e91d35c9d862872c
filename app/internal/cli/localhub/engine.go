package localhub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/hub"
)

// Advice says what to do with a damaged store.
func (p Places) Advice() string {
	if p.Node() != "" {
		return "This node gets everything from the others if it starts empty: mv " + p.engine() + " " + p.engine() + ".damaged"
	}
	return "See what is lost: sayso verify. Go on without it: sayso accept. Or restore a backup into an empty hub: mv " + p.engine() + " " + p.engine() + ".damaged && sayso restore DIR"
}

// Engine is a hub over its store: on this machine, on this node of a cluster, or on a NATS elsewhere.
type Engine struct {
	Hub   *hub.Hub
	Store hub.Store // of the hub, for what is kept beside its asks
	Rules *rules.Rules

	store     *natsstore.Store
	conn      *nats.Conn
	server    *natsserver.Server // nil: the store is elsewhere
	external  *external          // nil: the store is in this process
	where     string             // the questions are, in words
	elections elections
	keep      bool                          // the server, when the engine is closed
	close     []func(context.Context) error // in the order they are called
}

// Server returns the server of this process, nil if the store is elsewhere.
func (e *Engine) Server() *natsserver.Server { return e.server }

// Conn returns the connection to the storage.
func (e *Engine) Conn() *nats.Conn { return e.conn }

// NATS returns the store with what only it can do: backups, the audit.
func (e *Engine) NATS() *natsstore.Store { return e.store }

// EngineOptions say where the store is and how it is laid out.
type EngineOptions struct {
	Shards    int // how many shards it has to have; default: what it has
	NewShards int // how many a new store gets, if Shards is zero; default: 1
	Replicas  int // on how many servers each record is; default: 1, and 3 in a cluster

	Keep       time.Duration // how long a closed ask can be read; default: 30 days
	KeepUnread time.Duration // how long an outcome is kept that its asker has not fetched; default: 30 days
	NoAudit    bool          // there is no archive of closed asks; default: there is
	MaxAsks    int64         // default: no limit
	MaxBytes   int64         // default: no limit but the disk's

	Cluster *natsserver.ClusterOptions // this process is a node of the cluster; default: it is alone
	NATS    *NATSOptions               // the store is on servers elsewhere; default: in this process

	server   *natsserver.Server // runs already, and is not closed with the engine; default: one is started
	observed *observed          // told of what the hub does; default: nobody is
	waiting  func(what string)  // told what the storage waits for; default: nobody is
}

// keepTicket is how long a closed ticket is kept beside the open ones at most. The archive takes it over after minutes,
// and must have it before it is forgotten.
func (o *EngineOptions) keepTicket() time.Duration {
	if o.Keep == 0 || o.NoAudit {
		return o.Keep
	}
	return max(o.Keep, time.Hour)
}

// clustered is how many servers a record is on, if there is a cluster and nobody says it.
const clustered = 3

// OpenEngine opens the hub over its store. A node of a cluster waits for the others until ctx ends, and says so in the log.
func OpenEngine(ctx context.Context, p Places, log *slog.Logger, opts *EngineOptions) (_ *Engine, err error) {
	if opts == nil {
		opts = &EngineOptions{}
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := p.CheckFormat(); err != nil {
		return nil, err
	}
	e := &Engine{}
	defer func() {
		if err != nil {
			e.Close(context.WithoutCancel(ctx))
		}
	}()
	o := natsstore.Options{
		Shards: opts.Shards, NewShards: opts.NewShards, Replicas: opts.Replicas, AuditAge: opts.Keep, NoAudit: opts.NoAudit,
		MaxAsks: opts.MaxAsks, MaxBytes: opts.MaxBytes, Migrating: tellMigration(log),
	}
	if opts.NATS != nil {
		ctx, err = e.openExternal(ctx, opts.NATS, log, &o)
	} else {
		err = e.openServer(ctx, p, log, opts, &o)
	}
	if err != nil {
		return nil, err
	}
	// An earlier program must not touch what this one is about to write.
	if err := markFormat(p); err != nil {
		return nil, err
	}
	err = opts.patiently(ctx, log, func() (err error) {
		e.store, err = natsstore.Open(ctx, e.conn, &o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", e.external.because(ctx, err))
	}
	e.Store = e.store
	e.closing(func(context.Context) error { return e.store.Close() })
	var key []byte
	err = opts.patiently(ctx, log, func() (err error) {
		key, err = auth.SharedSecret(ctx, e.store, "handle", p.handleKey())
		return err
	})
	if err != nil {
		return nil, e.external.because(ctx, err)
	}
	e.Rules = rules.New(e.store, nil)
	if e.Hub, err = hub.Open(ctx, opts.observed.over(e.store), &hub.Options{
		Stored: opts.observed.hook(), Decide: e.Rules.Decide, Key: key, Keep: opts.keepTicket(), KeepUnconsumed: opts.KeepUnread,
		People: knownPeople(e.store, time.Now),
	}); err != nil {
		return nil, e.external.because(ctx, err)
	}
	e.closing(func(context.Context) error { e.Hub.Stop(); return nil })
	return e, nil
}

// openServer starts the server in the state folder.
func (e *Engine) openServer(ctx context.Context, p Places, log *slog.Logger, opts *EngineOptions, o *natsstore.Options) (err error) {
	cluster := opts.Cluster
	if err := p.checkNode(cluster); err != nil {
		return err
	}
	if e.server = opts.server; e.server == nil {
		e.server, err = natsserver.Start(ctx, &natsserver.Options{Dir: p.engine(), Logger: onlyWarnings(log), Advice: p.Advice(), Cluster: cluster})
		if err != nil {
			return fmt.Errorf("opening the storage: %w", err)
		}
		e.closing(func(ctx context.Context) error {
			if e.keep {
				return nil
			}
			return e.server.Close(ctx)
		})
	}
	e.where = "NATS JetStream in " + p.engine()
	if err := p.markNode(cluster); err != nil {
		return err
	}
	if cluster != nil {
		if err := opts.await(ctx, log, e.server); err != nil {
			return err
		}
		o.Replicas = cmp.Or(o.Replicas, clustered)
		e.where += fmt.Sprintf(", node %s of %d", cluster.ServerName, len(cluster.Routes))
	} else {
		o.Health = e.server
	}
	o.Mark = e.server
	if e.conn, err = e.server.Conn(ctx, "sayso"); err != nil {
		return fmt.Errorf("connecting to the storage: %w", err)
	}
	e.closing(func(context.Context) error { e.conn.Close(); return nil })
	return nil
}

// tellMigration writes into the log how far the records of an earlier version have been moved.
func tellMigration(log *slog.Logger) func(natsstore.Migration) {
	began := false
	return func(m natsstore.Migration) {
		switch {
		case m.Done:
			log.Info("the data folder has the new layout", "records", m.Moved, "damaged", m.Damaged, "took", m.Took.Round(time.Millisecond).String())
		case !began:
			log.Info("moving the records of an earlier version to the new layout; if this is interrupted, the next start goes on with it", "records", m.Records)
		case m.Checking:
			log.Info("checking the records that were moved", "checked", m.Moved, "records", m.Records)
		default:
			log.Info("moving records", "moved", m.Moved, "records", m.Records)
		}
		began = true
	}
}

// Fault returns why the hub can store nothing now: a [*hub.StorageError] if the disk is the reason.
func (e *Engine) Fault(ctx context.Context) error {
	if e.external != nil {
		if err := e.external.fault(e.conn); err != nil {
			return err
		}
		return e.elections.outlasted(e.external.led(ctx, e.store))
	}
	if _, err := e.server.Fault(); err != nil {
		return err
	}
	if err := e.server.Reachable(); err != nil {
		return err
	}
	return e.elections.outlasted(e.server.Led())
}

// longestElection is how long servers may be without a leader: it takes them up to nine seconds to notice that one is dead.
const longestElection = 15 * time.Second

// elections notes since when there has been no leader.
type elections struct {
	mu    sync.Mutex
	since time.Time // zero: there is one
}

// outlasted returns the error once it has lasted for longer than an election. Until then it is no reason to send clients
// away: their requests wait for its end, and at another hub it would be the same.
func (l *elections) outlasted(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.since = time.Time{}
	case l.since.IsZero():
		l.since = time.Now()
	case time.Since(l.since) > longestElection:
		return err
	}
	return nil
}

// onlyWarnings leaves out what the server says about a start that went well.
func onlyWarnings(log *slog.Logger) *slog.Logger {
	return slog.New(warnings{log.Handler()})
}

type warnings struct{ slog.Handler }

func (h warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (e *Engine) closing(f func(context.Context) error) {
	e.close = append([]func(context.Context) error{f}, e.close...)
}

// closing is how long the storage may take to end. A node hands every stream to another node first: on a busy
// machine with three nodes that took 8 s, and 11 s if only one of the others was there. Who ends the process must wait
// longer: the unit, the compose file and the chart do.
const closing = 30 * time.Second

// Close stops everything, the hub first.
func (e *Engine) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closing)
	defer cancel()
	var errs []error
	for _, f := range e.close {
		errs = append(errs, f(ctx))
	}
	e.close = nil
	return errors.Join(errs...)
}
