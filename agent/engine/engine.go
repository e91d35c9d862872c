// Package engine opens what a host keeps things in: a hub for its asks and a
// journal for its conversations, side by side in one folder or in one NATS account.
//
// Most programs call [Start] with a folder. Programs that share an engine with
// others connect to it and call [Open].
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// Options say how to open an engine. Nil means the defaults.
type Options struct {
	Tenant   string       // default: "home"
	Prefix   string       // of streams and subjects; default: none
	MaxStore int64        // bytes that everything together may use, of Start; default: three quarters of the free disk
	Hub      *hub.Options // default: those of the hub
	Logger   *slog.Logger // default: discards
}

// Engine is an open hub and an open journal.
type Engine struct {
	Hub     *hub.Hub
	Journal *journal.NATS
	Tenant  string

	close []func(context.Context) error // in the order they are called
}

// journalShards is how many streams a new journal in a folder has. Sixteen
// conversations that write at the same time get four times as many records to a busy
// disk with four as with one; eight gave no more.
const journalShards = 4

// Start starts a server of this process alone, in a folder, and opens the engine
// there.
func Start(ctx context.Context, dir string, o *Options) (*Engine, error) {
	if o == nil {
		o = &Options{}
	}
	server, err := natsserver.Start(ctx, &natsserver.Options{Dir: dir, MaxStore: o.MaxStore, Logger: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	conn, err := server.Conn(ctx, "sayso-agent")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("engine: %w", err), server.Close(context.WithoutCancel(ctx)))
	}
	e, err := open(ctx, conn, server, o)
	if err != nil {
		return nil, errors.Join(err, server.Close(context.WithoutCancel(ctx)))
	}
	e.close = append(e.close, server.Close)
	return e, nil
}

// Open opens the engine at the end of a connection, which stays the caller's.
func Open(ctx context.Context, conn *nats.Conn, o *Options) (*Engine, error) {
	return open(ctx, conn, nil, o)
}

// open takes the server, if it is one of this process.
func open(ctx context.Context, conn *nats.Conn, server *natsserver.Server, o *Options) (*Engine, error) {
	if o == nil {
		o = &Options{}
	}
	e := &Engine{Tenant: o.Tenant}
	asks, logs := &natsstore.Options{Prefix: o.Prefix}, &journal.NATSOptions{Prefix: o.Prefix}
	if server != nil {
		asks.Mark, logs.Mark = server, server
		logs.Shards = journalShards
	}
	if e.Tenant == "" {
		e.Tenant = "home"
	}
	store, err := natsstore.Open(ctx, conn, asks)
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	e.close = append(e.close, func(context.Context) error { return store.Close() })
	logs.Tenant = e.Tenant
	if e.Journal, err = journal.OpenNATS(ctx, conn, logs); err != nil {
		return nil, errors.Join(fmt.Errorf("engine: %w", err), e.Close(ctx))
	}
	if e.Hub, err = hub.Open(ctx, store, o.Hub); err != nil {
		return nil, errors.Join(fmt.Errorf("engine: %w", err), e.Close(ctx))
	}
	e.close = append([]func(context.Context) error{func(context.Context) error { e.Hub.Stop(); return nil }}, e.close...)
	return e, nil
}

// Close ends everything that was opened, the hub first.
func (e *Engine) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	var errs []error
	for _, f := range e.close {
		errs = append(errs, f(ctx))
	}
	e.close = nil
	return errors.Join(errs...)
}
