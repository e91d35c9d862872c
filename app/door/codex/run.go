package codex

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/hub"
)

// Host is how surfaces name Codex, and the place where a person is who answers in its
// own dialog.
const Host = "codex"

// Options are the options of [Run]. Home must be set.
type Options struct {
	// Home is the folder of Codex: see [Home].
	Home string

	// Place says what people call a folder, and which branch is checked out there.
	// Default: the last part of its path, and none.
	Place func(dir string) (workspace, branch string)

	// Working is called when a turn of Codex begins while none was under way, and what
	// it returns when none is any more. Default: nobody is told.
	Working func() (rests func())

	Log *slog.Logger // default: none is kept
}

// Home returns the folder of Codex by the environment; empty if nothing names it.
func Home(getenv func(string) string) string {
	if dir := getenv("CODEX_HOME"); dir != "" {
		return dir
	}
	if dir := getenv("HOME"); dir != "" {
		return filepath.Join(dir, ".codex")
	}
	return ""
}

// Socket is where Codex listens.
func Socket(home string) string {
	return filepath.Join(home, "app-server-control", "app-server-control.sock")
}

const (
	look = 2 * time.Second // how often to look for the socket, and to connect again

	// settled is how old the socket must be. Codex takes the name of the first program
	// that connects for its own, and that must be the one that the person started.
	settled = 3 * time.Second
)

// Run connects Codex to the hub whenever it runs, until ctx ends.
func Run(ctx context.Context, h hub.Asker, o *Options) error {
	own := *o
	if own.Log == nil {
		own.Log = slog.New(slog.DiscardHandler)
	}
	if own.Working == nil {
		own.Working = func() func() { return func() {} }
	}
	socket := Socket(own.Home)
	for said := ""; ; {
		wait := look
		if info, err := os.Stat(socket); err == nil {
			if age := time.Since(info.ModTime()); age >= 0 && age < settled {
				wait = settled - age
			} else if err := connected(ctx, h, socket, &own); ctx.Err() == nil && err.Error() != said {
				said = err.Error() // once: a socket may lie there for long
				own.Log.Info("not connected to Codex", "socket", socket, "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// connected is one connection, from its beginning to its end.
func connected(ctx context.Context, h hub.Asker, socket string, o *Options) error {
	c, err := dial(ctx, socket)
	if err != nil {
		return err
	}
	defer c.ws.CloseNow()
	s := &session{
		conn: c, opts: o, home: o.Home, threads: map[string]*joined{}, active: map[string]bool{}, told: map[string]bool{},
		bridge: bridge.New(h, &bridge.Options{Host: Host, Place: o.Place, Log: o.Log}),
	}
	ctx, cancel := context.WithCancel(ctx)
	s.ctx = ctx
	read := make(chan error, 1)
	go func() { read <- c.read(ctx, s.handle) }()
	err = s.begin(ctx)
	if err == nil {
		o.Log.Info("connected to Codex", "socket", socket)
		err = <-read
		cancel()
	} else {
		cancel()
		<-read
	}
	s.work.Wait()
	s.bridge.Close() // requests for permission are withdrawn, questions stay open
	s.rest()
	return err
}
