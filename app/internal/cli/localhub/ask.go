package localhub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// refusedError is what the hub says to one of the person's own programs.
type refusedError struct {
	status int
	said   string
}

func (e *refusedError) Error() string { return "the hub says: " + e.said }

// ask makes a request to a path that is for the person's own programs, and starts the
// hub where it does not run. A hub of an earlier version that does not know the path
// is [ErrOlder].
func (s *Starter) ask(ctx context.Context, method, path string, body, into any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	c := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return s.Dial(ctx) },
	}}
	resp, err := do(ctx, c, method, path, sent.Bytes())
	var wrapped *url.Error
	switch {
	case errors.Is(err, os.ErrPermission):
		return ErrNotYours
	case errors.As(err, &wrapped):
		return wrapped.Err // the rest names an address that nobody typed
	case err != nil:
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
			return fmt.Errorf("reading what the hub says: %w", err)
		}
		return nil
	}
	if err := refusal(resp.StatusCode); err != nil {
		return err
	}
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	return &refusedError{resp.StatusCode, strings.TrimSpace(string(said))}
}

// do makes a request at the socket. A hub that was killed accepts connections for a
// moment, and breaks them off: then the next one starts it anew.
func do(ctx context.Context, c *http.Client, method, path string, body []byte) (*http.Response, error) {
	for tries := 0; ; tries++ {
		r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		resp, err := c.Do(r)
		broken := errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF)
		if !broken || tries == maxStarts || ctx.Err() != nil {
			return resp, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}
