package localhub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// Advice says what to do with a damaged store.
func (p Places) Advice() string {
	return "Restore a backup into that folder, or start empty: mv " + p.engine() + " " + p.engine() + ".damaged"
}

// Engine is a hub over its store on this machine.
type Engine struct {
	Hub    *hub.Hub
	Store  hub.Store // of the hub, for what is kept beside its asks
	server *natsserver.Server
	close  []func(context.Context) error // in the order they are called
}

// EngineOptions say how the store of an engine is laid out when it is made.
type EngineOptions struct {
	Shards    int // how many shards it has to have; default: what it has
	NewShards int // how many a new store gets, if Shards is zero; default: 1
}

// OpenEngine starts the server in the state folder and opens the hub over it.
func OpenEngine(ctx context.Context, p Places, log *slog.Logger, opts *EngineOptions) (_ *Engine, err error) {
	if opts == nil {
		opts = &EngineOptions{}
	}
	if err := p.CheckFormat(); err != nil {
		return nil, err
	}
	key, err := console.Secret(p.handleKey())
	if err != nil {
		return nil, fmt.Errorf("reading the key of the handles: %w", err)
	}
	e := &Engine{}
	defer func() {
		if err != nil {
			e.Close(context.WithoutCancel(ctx))
		}
	}()
	server, err := natsserver.Start(ctx, &natsserver.Options{Dir: p.engine(), Logger: onlyWarnings(log), Advice: p.Advice()})
	if err != nil {
		return nil, fmt.Errorf("opening the storage: %w", err)
	}
	e.server = server
	e.closing(server.Close)
	conn, err := server.Conn(ctx, "sayso")
	if err != nil {
		return nil, fmt.Errorf("connecting to the storage: %w", err)
	}
	// An earlier program must not touch what this one is about to write.
	if err := markFormat(p); err != nil {
		return nil, err
	}
	store, err := natsstore.Open(ctx, conn, &natsstore.Options{Mark: server, Health: server, Shards: opts.Shards, NewShards: opts.NewShards, Migrating: tellMigration(log)})
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	e.Store = store
	e.closing(func(context.Context) error { return store.Close() })
	if e.Hub, err = hub.Open(ctx, store, &hub.Options{Key: key}); err != nil {
		return nil, err
	}
	e.closing(func(context.Context) error { e.Hub.Stop(); return nil })
	return e, nil
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

// Fault returns why the hub can store nothing now, as a [*hub.StorageError].
func (e *Engine) Fault(context.Context) error {
	_, err := e.server.Fault()
	return err
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

// Close stops everything, the hub first.
func (e *Engine) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var errs []error
	for _, f := range e.close {
		errs = append(errs, f(ctx))
	}
	e.close = nil
	return errors.Join(errs...)
}
