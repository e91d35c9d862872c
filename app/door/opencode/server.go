package opencode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/hub"
)

// Server is an opencode that has an address: "opencode serve", "opencode web", or
// "opencode --port".
type Server struct {
	URL string

	// Username and Password are those of the server, if it wants a password. Default for
	// the name: opencode.
	Username, Password string

	// Client makes the requests. Default: one without a time limit.
	Client *http.Client

	// Patience is for how long a server is tried that cannot be reached. Default: 30
	// seconds.
	Patience time.Duration
}

// ErrAddress is the error of an address that no server can have.
var ErrAddress = errors.New("this is not the address of a server")

// Attach brings what a server asks to the hub, for all projects that it serves, until ctx
// ends or the server is gone. With the plugin in the same opencode, both make the same
// ask, and the person sees one.
func Attach(ctx context.Context, h hub.Asker, s *Server, o *bridge.Options) error {
	base, err := url.Parse(s.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return fmt.Errorf("%w: %q; use one like http://127.0.0.1:4096", ErrAddress, s.URL)
	}
	at := *s
	at.URL = strings.TrimRight(base.String(), "/")
	if at.Client == nil {
		at.Client = &http.Client{}
	}
	if at.Patience == 0 {
		at.Patience = 30 * time.Second
	}
	d := newDoor(h, at.call, o)
	defer d.close()
	dirs := map[string]bool{"": true}
	last := time.Now()
	for {
		err := at.follow(ctx, d, dirs, func() { last = time.Now() })
		if ctx.Err() != nil {
			return nil
		}
		var refused *statusError
		if errors.As(err, &refused) || time.Since(last) > at.Patience {
			return fmt.Errorf("opencode: %s cannot be reached any more: %w", at.URL, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// statusError is a response that says no.
type statusError struct {
	path   string
	status int
}

func (e *statusError) Error() string {
	if e.status == http.StatusUnauthorized {
		return fmt.Sprintf("%s: it wants a password; set OPENCODE_SERVER_PASSWORD", e.path)
	}
	return fmt.Sprintf("%s: status %d", e.path, e.status)
}

// follow reads events until the connection ends. dirs are the projects that are known.
func (s *Server) follow(ctx context.Context, d *door, dirs map[string]bool, alive func()) error {
	const path = "/global/event"
	resp, err := s.do(ctx, "", http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &statusError{path, resp.StatusCode}
	}
	// What happened before the connection is not told.
	for dir := range dirs {
		if err := d.pending(ctx, dir, d.known(dir)); err != nil {
			return err
		}
	}
	r := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		raw, err := readData(r)
		if err != nil {
			return err
		}
		alive()
		var m struct {
			Directory string          `json:"directory"`
			Payload   json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(raw, &m); err != nil || len(m.Payload) == 0 {
			continue
		}
		e, err := readEvent(m.Payload)
		if err != nil {
			d.log.Warn("an event of opencode is not understood", "err", err)
			continue
		}
		if m.Directory != "" && len(dirs) < maxKnown {
			dirs[m.Directory] = true
		}
		d.take(m.Directory, e)
	}
}

// readData returns the data of the next server-sent event that has some.
func readData(r *bufio.Reader) ([]byte, error) {
	var data []byte
	for {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		switch {
		case len(line) == 0 && len(data) > 0:
			return data, nil
		case bytes.HasPrefix(line, []byte("data:")):
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(line[len("data:"):], []byte(" "))...)
		}
		if len(data) > bridge.MaxLine {
			return nil, fmt.Errorf("opencode: an event has more than %d MiB", bridge.MaxLine>>20)
		}
	}
}

// readLine reads a line without its end, of at most [bridge.MaxLine] bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > bridge.MaxLine:
			return nil, fmt.Errorf("opencode: a line has more than %d MiB", bridge.MaxLine>>20)
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// callTime is how long a request may take.
const callTime = 30 * time.Second

// call is a [caller].
func (s *Server) call(ctx context.Context, dir, method, path string, body any) (int, json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	resp, err := s.do(ctx, dir, method, path, body)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, bridge.MaxLine+1))
	if err == nil && len(raw) > bridge.MaxLine {
		err = fmt.Errorf("opencode: the response to %s has more than %d MiB", path, bridge.MaxLine>>20)
	}
	return resp.StatusCode, raw, err
}

func (s *Server) do(ctx context.Context, dir, method, path string, body any) (*http.Response, error) {
	var in io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(raw)
	}
	address := s.URL + path
	if dir != "" {
		address += "?directory=" + url.QueryEscape(dir)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, in)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.Password != "" {
		name := s.Username
		if name == "" {
			name = "opencode"
		}
		req.SetBasicAuth(name, s.Password)
	}
	return s.Client.Do(req)
}
