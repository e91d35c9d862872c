package localhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/httpapi"
)

// controlPath is where the user's own programs ask about the hub, and stop it. It is
// not part of the API: only the same user reaches it, through the socket.
const controlPath = "/local/hub"

// Info is what a hub says about itself.
type Info struct {
	Build      console.Build `json:"build"`
	PID        int           `json:"pid"`
	Background bool          `json:"background"` // a command started it, and nobody looks at its output
	Open       int           `json:"open"`       // questions of the person; -1: the storage does not say
	Clients    int           `json:"clients"`    // requests that it serves now
	Warnings   []Warning     `json:"warnings,omitempty"`
	Storage    string        `json:"storage"` // where the questions are
	Synced     Sync          `json:"synced"`
	Since      time.Time     `json:"since"` // when it opened its store
}

var (
	// ErrNotRunning says that no hub serves the state folder.
	ErrNotRunning = errors.New("no hub is running")

	// ErrNotYours says that the socket is of another user's hub.
	ErrNotYours = errors.New("this hub belongs to another user")

	// ErrOlder says that the hub does not know [Starter.Info] and [Starter.Stop].
	ErrOlder = errors.New("this hub is of an older version, which cannot be stopped from here")

	errStopped = errors.New("somebody stopped it")
)

// control tells the person's own programs about the hub, and ends it for them.
type control struct {
	peers      *auth.Peers
	api        *httpapi.Server
	use        *use
	warn       *warned
	engine     *Engine
	background bool
	since      time.Time
	stop       func()
}

// beside serves the person's own programs, and lets everybody else through. Asking
// is not use: a status bar does not keep the hub from ending.
func (c *control) beside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != controlPath || r.Method != http.MethodGet && r.Method != http.MethodDelete {
			next.ServeHTTP(w, r)
			return
		}
		if _, err := c.peers.Authenticate(r); err != nil {
			next.ServeHTTP(w, r)
			return
		}
		// A hub whose storage does not answer can be looked at and stopped, too.
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		open, err := c.api.Waiting(ctx, Tenant)
		cancel()
		if err != nil {
			open = -1
		}
		w.Header().Set("Cache-Control", "no-store")
		json.NewEncoder(w).Encode(Info{console.ThisBuild(), os.Getpid(), c.background, open, c.use.underWay(), c.warn.now(), c.engine.where, c.engine.Synced(), c.since})
		if r.Method == http.MethodDelete {
			c.stop()
		}
	})
}

// Info asks the hub about itself. It starts none: if none runs, the error is
// [ErrNotRunning].
func (s *Starter) Info(ctx context.Context) (*Info, error) { return s.control(ctx, http.MethodGet) }

// Stop ends the hub in order, and returns once another one could start, with what
// the hub said about itself. If none runs, the error is [ErrNotRunning].
func (s *Starter) Stop(ctx context.Context) (*Info, error) {
	info, err := s.control(ctx, http.MethodDelete)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the hub did not end in time; its log is "+s.Places.Log()))
	defer cancel()
	f, err := lock(ctx, s.Places.hubLock(), func() bool {
		next, err := s.Info(ctx)
		return err == nil && next.PID != info.PID // a command needed one meanwhile
	})
	switch {
	case errors.Is(err, errNotNeeded):
	case err != nil:
		return nil, err
	default:
		f.Close()
	}
	return info, nil
}

// refusal returns what it means that the hub does not serve a request of its owner, nil
// if the status alone does not tell.
func refusal(status int) error {
	switch status {
	case http.StatusUnauthorized:
		return ErrNotYours
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return ErrOlder
	}
	return nil
}

// own returns a client for one request to the hub that runs.
func (s *Starter) own(ctx context.Context) (*http.Client, error) {
	conn, err := s.Attach(ctx)
	switch {
	case err != nil && absent(err):
		return nil, ErrNotRunning
	case errors.Is(err, os.ErrPermission):
		return nil, ErrNotYours
	case err != nil:
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	}}, nil
}

func (s *Starter) control(ctx context.Context, method string) (*Info, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+controlPath, nil)
	if err != nil {
		return nil, err
	}
	c, err := s.own(ctx)
	if err != nil {
		return nil, err
	}
	c.Timeout = 10 * time.Second
	resp, err := c.Do(r)
	if err != nil {
		return nil, fmt.Errorf("asking the hub: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	switch {
	case err != nil:
		return nil, fmt.Errorf("asking the hub: %w", err)
	case refusal(resp.StatusCode) != nil:
		return nil, refusal(resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("asking the hub: %s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	var info Info
	if err := json.Unmarshal(body, &info); err != nil {
		return nil, fmt.Errorf("reading what the hub says: %w", err)
	}
	return &info, nil
}

// noteWaiting writes down how many questions are open when the hub ends, for
// [Starter.Open]. Nothing else depends on it.
func (p Places) noteWaiting(api *httpapi.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n, err := api.Waiting(ctx, Tenant)
	if err != nil || n == 0 {
		os.Remove(p.open())
		return
	}
	os.WriteFile(p.open(), []byte(strconv.Itoa(n)+"\n"), 0o600)
}

// Open returns how many questions are open, and starts no hub: if none runs, it is
// what the last one noted when it ended.
func (s *Starter) Open(ctx context.Context) (int, error) {
	info, err := s.Info(ctx)
	if err == nil && info.Open < 0 {
		return 0, errors.New("the hub cannot read its storage; check: sayso doctor")
	}
	if err == nil {
		return info.Open, nil
	}
	if !errors.Is(err, ErrNotRunning) {
		return 0, err
	}
	b, err := os.ReadFile(s.Places.open())
	if err != nil {
		return 0, nil // the last hub left none, or there was none
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, nil
	}
	return n, nil
}
