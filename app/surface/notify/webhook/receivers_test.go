package webhook_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/webhook"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// The programs of the page take what is genuine, once, and refuse the rest.
func TestReceivers(t *testing.T) {
	for file, tool := range map[string]string{"webhook.py": "python3", "webhook.mjs": "node"} {
		t.Run(tool, func(t *testing.T) {
			testenv.Tools(t, tool)
			receive(t, tool, "../../../../docs/examples/"+file)
		})
	}
}

func receive(t *testing.T, tool, file string) {
	port := freePort(t)
	a := &webhook.Address{URL: "http://127.0.0.1:" + port + "/sayso", Secrets: []string{webhook.NewSecret()}}
	older := a.Secrets[0]
	a.Rotate()
	lines := start(t, port, older, tool, file) // which knows the older secret only

	// What is sent is kept, so that it can be sent again with changes.
	var last *http.Request
	var body []byte
	inner := outbound.Client(&outbound.Options{Allow: []string{"127.0.0.1"}})
	defer inner.CloseIdleConnections()
	client := &http.Client{Transport: transport(func(req *http.Request) (*http.Response, error) {
		body, _ = io.ReadAll(req.Body)
		last = req.Clone(context.WithoutCancel(req.Context()))
		req.Body = io.NopCloser(bytes.NewReader(body))
		return inner.Transport.RoundTrip(req)
	})}
	raw, _ := json.Marshal(a)
	to := &notify.Contact{Kind: notify.Webhook, Address: raw}
	c := webhook.New(&webhook.Options{Client: client, Handle: func(a hub.Address) string { return "handle-" + a.ID }})
	ask := &sayso.Ask{ID: "a", AskedAt: time.Now(), Questions: []sayso.Question{{Text: "Which database?"}}}
	ask.Normalize()
	n := &notify.Note{Key: "k", Waiting: 1, Alert: true, Asks: []*hub.Ticket{{Ask: ask, Digest: ask.Digest(), Address: hub.Address{ID: "a"}}}}
	for range 2 { // the second time it is the same message
		if _, err := c.Put(t.Context(), to, n, ""); err != nil {
			t.Fatal(err)
		}
	}
	n.Asks[0].Outcome = &sayso.Outcome{Status: sayso.StatusDeclined}
	n.Over, n.Waiting = true, 0
	if _, err := c.Put(t.Context(), to, n, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ask.waiting pending handle-a", "ask.closed declined handle-a"} {
		if got := <-lines; got != want {
			t.Errorf("the program says %q, want %q", got, want)
		}
	}

	for name, change := range map[string]func(h http.Header, b *[]byte){
		"another body":      func(_ http.Header, b *[]byte) { *b = append(*b, ' ') },
		"another id":        func(h http.Header, _ *[]byte) { h.Set("webhook-id", "msg_x") },
		"an old time":       func(h http.Header, _ *[]byte) { h.Set("webhook-timestamp", fmt.Sprint(time.Now().Unix()-600)) },
		"another time":      func(h http.Header, _ *[]byte) { h.Set("webhook-timestamp", fmt.Sprint(time.Now().Unix()+5)) },
		"another signature": func(h http.Header, _ *[]byte) { h.Set("webhook-signature", "v1,"+strings.Repeat("A", 43)+"=") },
		"no signature":      func(h http.Header, _ *[]byte) { h.Set("webhook-signature", "") },
	} {
		b := bytes.Clone(body)
		req := last.Clone(t.Context())
		change(req.Header, &b)
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
		res, err := inner.Do(&http.Request{Method: "POST", URL: req.URL, Header: req.Header, Body: req.Body, ContentLength: req.ContentLength})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 401 {
			t.Errorf("%s: status %d", name, res.StatusCode)
		}
	}
}

// start runs a program, waits until it listens, and returns what it prints.
func start(t *testing.T, port, secret, tool, file string) <-chan string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, file)
	cmd.Env = append(os.Environ(), "PORT="+port, "SECRETS="+secret)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, done := make(chan string, 16), make(chan struct{})
	go func() {
		defer close(done)
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(errs.String())
		}
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(time.Minute); ; {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			conn.Close()
			return lines
		}
		select {
		case <-tick.C:
		case <-done:
			t.Fatalf("the program ended:\n%s", errs.String())
		case <-end:
			t.Fatal("the program does not listen")
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
