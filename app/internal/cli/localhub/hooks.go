package localhub

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"

	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// besideHooks serves the hooks of Claude Code, whose requests end with ctx, and
// lets everybody else through to the API.
func besideHooks(ctx context.Context, api http.Handler, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/hooks/claude/{event}", guarded(ctx, api, hook.Handler(claude.Agent(), &hook.HandlerOptions{
		Hub: func(r *http.Request) (hub.Asker, error) {
			return clientOf(api, r, &client.Options{Surface: claude.Surface})
		},
		Log: log,
	})))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// guarded lets through to a door whom the API lets through: the guards, and the
// words of a refusal, are the API's.
func guarded(ctx context.Context, api, door http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bound, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		r = r.WithContext(bound)
		if admitted(api, w, r) {
			door.ServeHTTP(w, r)
		}
	})
}

// admitted asks the API for something that everybody may have who has a
// credential, as the caller, and tells the caller if it refuses.
func admitted(api http.Handler, w http.ResponseWriter, r *http.Request) bool {
	probe, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://localhost/v1/dialects/claude", nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return false
	}
	resp, err := (&inProcess{api, r}).RoundTrip(probe)
	if err != nil {
		http.Error(w, "the server is ending", http.StatusServiceUnavailable)
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return true
	}
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
	return false
}
