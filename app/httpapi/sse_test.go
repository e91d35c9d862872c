package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// sseEvent is an event as a client reads it.
type sseEvent struct{ id, name, data string }

// follower is a client of an event stream that keeps the last id, as the standard
// has it: an event that was cut short does not count.
type follower struct {
	client *http.Client
	url    string
	key    string
	mu     sync.Mutex
	last   string
}

// follow reads events until the stream ends or fn returns false.
func (f *follower) follow(ctx context.Context, fn func(sseEvent) bool) error {
	req, err := http.NewRequestWithContext(ctx, "GET", f.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+f.key)
	if f.last != "" {
		req.Header.Set("Last-Event-ID", f.last)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return f.read(resp.Body, fn)
}

func (f *follower) read(r io.Reader, fn func(sseEvent) bool) error {
	lines := bufio.NewReader(r)
	var e sseEvent
	for id := f.last; ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line == "\n":
			f.mu.Lock()
			f.last = id
			f.mu.Unlock()
			if e.data != "" {
				e.id = id
				if !fn(e) {
					return nil
				}
			}
			e = sseEvent{}
		case field == "id":
			id = value
		case field == "event":
			e.name = value
		case field == "data":
			e.data = value
		}
	}
}

// current returns the last id while the stream is read.
func (f *follower) current() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// copy returns another client that has come as far.
func (f *follower) copy() *follower {
	return &follower{client: f.client, url: f.url, key: f.key, last: f.current()}
}

func (w *world) follower(url, who, path string) *follower {
	return &follower{client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, url: url + path, key: w.key[who]}
}

// proxy is a way to the server that can be cut.
type proxy struct {
	*toxiproxy.Proxy
	t testing.TB
}

func newProxy(t testing.TB, url string) *proxy {
	t.Helper()
	metrics := toxiproxy.NewMetricsContainer(prometheus.NewRegistry())
	p := &proxy{toxiproxy.NewProxy(toxiproxy.NewServer(metrics, zerolog.Nop()), "cut", "127.0.0.1:0", strings.TrimPrefix(url, "http://")), t}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func (p *proxy) url() string { return "http://" + p.Listen }

// cutAfter ends connections once so many bytes came back; negative: never.
func (p *proxy) cutAfter(bytes int) {
	p.t.Helper()
	p.Toxics.ResetToxics(context.Background())
	if bytes < 0 {
		return
	}
	_, err := p.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(
		`{"name":"cut","type":"limit_data","stream":"downstream","attributes":{"bytes":%d}}`, bytes)))
	if err != nil {
		p.t.Fatal(err)
	}
}

// within bounds a test that waits for something.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until something that nobody announces is so.
func eventually(t testing.TB, so func() bool) {
	t.Helper()
	ctx := within(t, soon)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Error("it did not come to be")
			return
		}
	}
}
