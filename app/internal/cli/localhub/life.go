package localhub

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/app/httpapi"
)

// shutdownTime is how long requests have to end once they are told to.
const shutdownTime = 5 * time.Second

// life is what happens to a hub that serves, from outside: signals, and time.
type life struct {
	o         *ServeOptions
	log       *slog.Logger
	warn      *warned
	api       *httpapi.Server
	inbox     *webInbox
	server    *http.Server
	notifying *notifying
	ends      atomic.Bool

	hosts []string      // as the settings have them now
	pause time.Duration // of the drain
}

func newLife(o *ServeOptions, log *slog.Logger, warn *warned, api *httpapi.Server, inbox *webInbox, server *http.Server, n *notifying) *life {
	return &life{o: o, log: log, warn: warn, api: api, inbox: inbox, server: server, notifying: n, hosts: o.Hosts, pause: o.Drain}
}

// closing has each response of a hub that ends close its connection, so that the
// next request on it goes to another gateway.
func (l *life) closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.ends.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// drain has /readyz fail, and serves on for as long as load balancers may need to
// see that. A hub that ends because nobody uses it need not wait.
func (l *life) drain(because error) {
	l.ends.Store(true)
	l.api.Drain()
	if l.pause <= 0 || errors.Is(because, errIdle) {
		return
	}
	l.log.Info("draining: /readyz fails, and requests are served on", "for", l.pause.String())
	timer := time.NewTimer(l.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case s := <-l.o.Again:
		l.log.Warn("not waiting any longer", "signal", s.String())
	}
}

// shutdown ends all requests, those of programs and of browsers at the same time.
// Whoever waits is told to try again; then the storage can be closed.
func (l *life) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	ctx, calm := hurry(ctx, l.o.Again)
	defer calm()
	var both sync.WaitGroup
	for _, server := range []*http.Server{l.server, l.inbox.server} {
		both.Go(func() {
			server.Shutdown(ctx)
			server.Close()
		})
	}
	both.Wait()
}

// hurry returns a context that ends with the next signal, until calm is called.
func hurry(ctx context.Context, again <-chan os.Signal) (_ context.Context, calm func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-again:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); <-done }
}

// watch looks after certificates and reloads until settle is called.
func (l *life) watch(ctx context.Context) (settle func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		daily := time.NewTicker(24 * time.Hour)
		defer daily.Stop()
		var wanted <-chan os.Signal
		if l.o.Reload != nil {
			wanted = l.o.Reload.Wanted
		}
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-daily.C:
				l.warn.certificates(l.o.Certificates, now)
			case <-wanted:
				l.reload()
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Reload says when to read the settings again, and how.
type Reload struct {
	Wanted <-chan os.Signal
	Read   func() (*Settings, error)
}

// Settings are those that can change while a hub runs.
type Settings struct {
	Quota httpapi.Quota
	Hosts []string
	Drain time.Duration

	Changed []string // names of settings that have changed since the last time
	Restart []string // those of them that need a restart
}

// reload makes new settings count. If they cannot be read, the old ones stay.
func (l *life) reload() {
	l.o.Manager.Reloading()
	defer l.o.Manager.Ready()
	for _, c := range l.o.Certificates {
		cert, key := c.Files()
		switch changed, err := c.Reload(cert, key); {
		case err != nil:
			l.log.Error("the certificate cannot be read again; the one before stays in use", "setting", c.Name, "error", err.Error())
		case changed:
			l.log.Info("using a new certificate", "setting", c.Name, "file", cert, "until", c.Until().UTC().Format(time.RFC3339))
		}
	}
	l.warn.certificates(l.o.Certificates, time.Now())
	l.notifying.readServices()
	s, err := l.o.Reload.Read()
	if err != nil {
		l.log.Error("the settings cannot be read again; the hub keeps those it has", "error", strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	l.pause = s.Drain
	l.api.SetQuota(withOpen(s.Quota))
	if !slices.Equal(l.hosts, s.Hosts) {
		l.hosts = s.Hosts
		l.api.Pages().SetHosts(s.Hosts)
		l.inbox.setHosts(s.Hosts)
	}
	effective := slices.DeleteFunc(slices.Clone(s.Changed), func(name string) bool { return slices.Contains(s.Restart, name) })
	l.log.Info("read the settings again", "changed", names(effective))
	if len(s.Restart) > 0 {
		l.log.Warn("some settings have changed and need a restart", "settings", names(s.Restart))
	}
}

func names(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}
