package clustertest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// What hubs over one storage share: keys, secrets, sign-ins, quotas.

const webPort = "7778"

// The quota of the tests below: little, so that three times as much is seen soon.
const (
	sharedRate  = 20
	sharedBurst = 40
	sharedFlag  = "rate=20,burst=40,streams=3"
)

// TestSharedNodes: three nodes have the same keys, handles, sign-ins and quotas.
func TestSharedNodes(t *testing.T) {
	clusters(t)
	c := startCluster(t, "--quota", sharedFlag, "--web", "0.0.0.0:"+webPort)
	c.sharesKeys()
	c.sharesHandles()
	c.sharesSignIns()
	c.sharesQuotas()
}

// TestSharedGateways: so do two gateways on somebody else's NATS.
func TestSharedGateways(t *testing.T) {
	clusters(t)
	c, _ := startExternal(t, "--quota", sharedFlag)
	c.sharesKeys()
	c.sharesHandles()
	c.sharesQuotas()
}

// status makes a request at one hub with a key and returns the status.
func (c *cluster) status(at int, key, method, path, body string) int {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, "https://"+c.hosts[at]+path, strings.NewReader(body))
	must(c.t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.one(at).RoundTrip(r)
	must(c.t, err)
	resp.Body.Close() // also a stream's, which has no end
	return resp.StatusCode
}

// sharesKeys: a key that was made at one hub works at all when the command returns, and
// a revoked one at none, nor does what was begun with it.
func (c *cluster) sharesKeys() {
	t := c.t
	t.Helper()
	for i := range 6 {
		made := i % len(c.doors)
		key := c.doors[made].run("keys", "create", "--role", "answerer", "--for", fmt.Sprint("new-", i))
		for at := range c.doors {
			if code := c.status(at, key, "GET", "/v1/me", ""); code != http.StatusOK {
				t.Errorf("key %d was made at hub %d, and hub %d says %d", i, made, at, code)
			}
		}
		stream := c.stream((made+1)%len(c.doors), key)
		id := strings.Split(key, "_")[2]
		c.doors[made].run("keys", "revoke", id)
		begin := time.Now()
		stream(patience)
		t.Logf("key %d: its stream at another hub ended %v after the command", i, time.Since(begin).Round(time.Millisecond))
		for at := range c.doors {
			for c.status(at, key, "GET", "/v1/me", "") != http.StatusUnauthorized {
				if time.Since(begin) > patience {
					t.Fatalf("hub %d takes a revoked key", at)
				}
				<-time.After(10 * time.Millisecond)
			}
		}
		t.Logf("key %d: refused by all hubs %v after the command", i, time.Since(begin).Round(time.Millisecond))
		list := c.doors[(made+1)%len(c.doors)].run("keys", "list")
		if want := regexp.MustCompile(`(?m)^` + id + ` .* revoked \S+ +last used `); !want.MatchString(list) {
			t.Errorf("another hub lists the key as\n%s", list)
		}
	}
}

// stream opens an event stream at a hub; the function that it returns waits for its end.
func (c *cluster) stream(at int, key string) (ended func(time.Duration)) {
	t := c.t
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", "https://"+c.hosts[at]+"/v1/events", nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	resp, err := c.one(at).RoundTrip(r)
	must(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("hub %d opens no stream: %s", at, resp.Status)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
	}()
	return func(limit time.Duration) {
		t.Helper()
		select {
		case <-done:
		case <-time.After(limit):
			t.Fatalf("the stream at hub %d goes on", at)
		}
	}
}

// sharesHandles: what one hub stores, all find by its handle.
func (c *cluster) sharesHandles() {
	t := c.t
	t.Helper()
	a := &sayso.Ask{Questions: []sayso.Question{{Text: "Which database?"}}}
	a.Normalize()
	tk, err := c.one(0).client(t, c.asker).Submit(t.Context(), a)
	must(t, err)
	for at := range c.doors {
		if got, err := c.one(at).client(t, c.asker).Get(t.Context(), tk.Handle); err != nil || got.Ask.ID != tk.Ask.ID {
			t.Errorf("hub %d finds %+v, %v", at, got, err)
		}
	}
}

// sharesSignIns: a sign-in address of one hub is good at another, once, and so is the
// session that it begins, until it is ended at a third.
func (c *cluster) sharesSignIns() {
	t := c.t
	t.Helper()
	link := c.doors[0].run("web", "--no-open")
	_, token, ok := strings.Cut(link, "#")
	if !ok {
		t.Fatalf("sayso web prints %q", link)
	}
	web := func(at int, method, path, cookie string, form url.Values) *http.Response {
		t.Helper()
		host, _, _ := net.SplitHostPort(c.hosts[at])
		address := net.JoinHostPort(host, webPort)
		r, err := http.NewRequestWithContext(t.Context(), method, "https://"+address+path, strings.NewReader(form.Encode()))
		must(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if cookie != "" {
			r.Header.Set("Cookie", cookie)
		}
		resp, err := newRoute(t, c.certs, &statuses{}, address).RoundTrip(r)
		must(t, err)
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
		return resp
	}
	in := web(1, "POST", "/login", "", url.Values{"token": {token}})
	if in.StatusCode != http.StatusSeeOther || len(in.Cookies()) == 0 {
		t.Fatalf("the address of hub 0 at hub 1: %s", in.Status)
	}
	for at := range c.doors {
		if again := web(at, "POST", "/login", "", url.Values{"token": {token}}); again.StatusCode != http.StatusGone {
			t.Errorf("used again at hub %d: %s", at, again.Status)
		}
	}
	cookie := in.Cookies()[0].Name + "=" + in.Cookies()[0].Value
	for at := range c.doors {
		if page := web(at, "GET", "/", cookie, nil); page.StatusCode != http.StatusOK {
			t.Errorf("the session at hub %d: %s", at, page.Status)
		}
	}
	c.doors[2].run("sessions", "end", "--all")
	for at := range c.doors {
		if page := web(at, "GET", "/", cookie, nil); page.StatusCode == http.StatusOK {
			t.Errorf("the ended session at hub %d: %s", at, page.Status)
		}
	}
}

// sharesQuotas: all hubs together allow about what one does.
func (c *cluster) sharesQuotas() {
	t := c.t
	t.Helper()
	// Streams that are open at one hub count at the others.
	watcher := c.doors[0].run("keys", "create", "--role", "answerer", "--for", "watcher")
	for range 3 {
		c.stream(0, watcher)
	}
	for at := range c.doors {
		for begin := time.Now(); c.status(at, watcher, "GET", "/v1/events", "") != http.StatusTooManyRequests; <-time.After(100 * time.Millisecond) {
			if time.Since(begin) > patience {
				t.Fatalf("hub %d opens one stream too many", at)
			}
		}
	}
	busy := c.doors[0].run("keys", "create", "--role", "asker", "--for", "busy")
	var n, through atomic.Int64
	var work sync.WaitGroup
	const d = 15 * time.Second
	end := time.Now().Add(d)
	for at := range c.doors {
		for range 4 {
			work.Go(func() {
				for time.Now().Before(end) {
					if c.status(at, busy, "POST", "/v1/asks", fmt.Sprintf(`{"id":"busy-%d","questions":[{"text":"Which?"}]}`, n.Add(1))) == http.StatusCreated {
						through.Add(1)
					}
				}
			})
		}
	}
	work.Wait()
	one := int64(sharedBurst + sharedRate*d.Seconds())
	// Each other hub may be ahead by its burst and the changes of about two seconds.
	most := one + int64(len(c.doors)-1)*(sharedBurst+2*sharedRate)
	t.Logf("%d hubs let %d of %d changes through in %v; one allows %d", len(c.doors), through.Load(), n.Load(), d, one)
	if got := through.Load(); got > most || got < one/2 {
		t.Errorf("%d changes in %v, want %d to %d", got, d, one/2, most)
	}
}
