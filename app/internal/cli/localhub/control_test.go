package localhub

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStop: the hub ends for the person who comes by the socket and for nobody else,
// what is open stays, and the next hub can start at once.
func TestStop(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{Listen: anyPort})
	if n, err := p.Open(t.Context()); n != 0 || err != nil {
		t.Errorf("before the first hub %d are open, %v", n, err)
	}
	if _, err := p.Stop(t.Context()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("no hub is stopped with %v", err)
	}
	if _, err := p.client().Submit(t.Context(), ask("a1", "Which database?")); err != nil {
		t.Fatal(err)
	}
	info, err := p.Info(t.Context())
	if err != nil || info.Open != 1 || !lives(info.PID) {
		t.Fatalf("%+v, %v", info, err)
	}
	token, err := os.ReadFile(filepath.Join(p.Places.Runtime, "token"))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r, err := http.NewRequest(method, p.url()+controlPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode < 400 {
			t.Errorf("%s on the port: %d", method, resp.StatusCode)
		}
	}
	stopped, err := p.Stop(t.Context())
	if err != nil || stopped.PID != info.PID || stopped.Open != 1 {
		t.Fatalf("%+v, %v", stopped, err)
	}
	if n, err := p.Open(t.Context()); n != 1 || err != nil {
		t.Errorf("after the hub has ended %d are open, %v", n, err)
	}
	if _, err := p.Info(t.Context()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("it answers still: %v", err)
	}
	page, err := p.client().List(t.Context(), nil)
	if err != nil || len(page.Tickets) != 1 {
		t.Errorf("the next hub has %+v, %v", page, err)
	}
}
