package localhub

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso/app/connlimit"
	"github.com/saysohq/sayso/app/httpapi"
)

// opening answers at --listen while the storage is opened: a node waits for the others, and a large storage is read, or
// moved to a new layout, for minutes. Monitors see a process that lives, and people read what it waits for.
type opening struct {
	manager *Manager
	waits   atomic.Pointer[httpapi.NotReady]
	server  *http.Server
	guard   *connlimit.Guard
	ended   chan struct{}
}

// openingConnections is enough for those who ask whether the hub is ready.
const openingConnections = 100

// opens begins to answer; the caller closes it before it listens itself.
func (o *ServeOptions) opens(others *spare) (*opening, error) {
	w := &opening{manager: o.Manager, ended: make(chan struct{})}
	w.says("opening the storage")
	if o.Listen == "" {
		return w, nil
	}
	ln, err := listenTCP("--listen", o.Listen)
	if err != nil {
		return nil, err
	}
	w.guard = connlimit.New(&connlimit.Options{Limits: connlimit.Derive(openingConnections, connlimit.Files())})
	w.server = &http.Server{
		Handler:           httpapi.Opening(func() httpapi.NotReady { return *w.waits.Load() }),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second, MaxHeaderBytes: 8 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // may hold what a client sent
	}
	guardServer(w.guard, w.server)
	at := w.guard.Listen(others.listener(ln))
	if o.TLS != nil {
		at = tls.NewListener(at, o.TLS)
	}
	go func() {
		defer close(w.ended)
		w.server.Serve(at)
	}()
	return w, nil
}

// says sets what the hub waits for.
func (w *opening) says(what string) {
	why := httpapi.NotReady("the hub is starting: " + what)
	w.waits.Store(&why)
	w.manager.Status(what)
}

// close may be called twice.
func (w *opening) close() {
	if w.server != nil {
		w.server.Close()
		<-w.ended
		w.guard.Close()
		w.server = nil
	}
}
