package localhub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/metrics"
)

// monitor serves the metrics to anybody who reaches its address: a listener of its
// own, so that monitors need no key and no name of the hub. They hold no text and no
// name, but how much is asked is nobody's business outside.
type monitor struct {
	server *http.Server
	ended  chan struct{}
}

// monitored begins to serve; without an address there is nothing to end.
func (o *ServeOptions) monitored(api *httpapi.Server, log *slog.Logger) (*monitor, error) {
	if o.Metrics == "" {
		return nil, nil
	}
	ln, err := listenTCP("--metrics", o.Metrics)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" { // a web page
			http.Error(w, "the metrics are not for web pages", http.StatusForbidden)
			return
		}
		var all metrics.Writer
		api.WriteMetrics(r.Context(), &all)
		w.Header().Set("Content-Type", metrics.ContentType)
		fmt.Fprint(w, all.String())
	})
	m := &monitor{ended: make(chan struct{}), server: &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 8 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // may hold what a client sent
	}}
	go func() {
		defer close(m.ended)
		if err := m.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			log.Error("serving metrics", "error", err.Error())
		}
	}()
	log.Info("serving metrics", "url", "http://"+ln.Addr().String()+"/metrics")
	return m, nil
}

func (m *monitor) close() {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	m.server.Shutdown(ctx)
	m.server.Close()
	<-m.ended
}
