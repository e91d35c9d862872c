package attacktest

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// sendSlowly begins requests that never end, a byte at a time, and returns what waits
// until the hub has closed them all.
func sendSlowly(w *world) func(*world) {
	address := strings.TrimPrefix(w.url, "http://")
	const post = "POST /v1/asks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n"
	took := map[string]time.Duration{}
	var mu sync.Mutex
	var all sync.WaitGroup
	enough, stop := context.WithCancel(context.Background())
	w.t.Cleanup(func() { stop(); all.Wait() }) // or the hub would wait for them when it ends
	for name, begin := range map[string]string{
		"head": "GET /v1/asks HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ", "body": post + "Authorization: Bearer " + w.keys["alice"] + "\r\n\r\n", "body without a key": post + "\r\n",
	} {
		all.Go(func() {
			start := time.Now()
			conn, err := net.Dial("tcp", address)
			if err != nil {
				return
			}
			defer conn.Close()
			conn.SetDeadline(start.Add(patience))
			defer context.AfterFunc(enough, func() { conn.Close() })()
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				io.Copy(io.Discard, conn)
			}()
			drip := time.NewTicker(200 * time.Millisecond)
			defer drip.Stop()
			for text := begin; ; text = "x" {
				_, err := io.WriteString(conn, text)
				select {
				case <-closed:
				case <-drip.C:
					if err == nil {
						continue
					}
				}
				break
			}
			mu.Lock()
			defer mu.Unlock()
			took[name] = time.Since(start)
		})
	}
	return func(w *world) {
		all.Wait()
		for _, name := range []string{"head", "body", "body without a key"} {
			w.t.Logf("a slow %s is let go after %v", name, took[name].Round(time.Millisecond))
			if took[name] == 0 || took[name] > patience/2 {
				w.t.Errorf("a slow %s is not let go: %v", name, took[name])
			}
		}
	}
}

// revokedKey revokes a key while its streams and waits are open.
func revokedKey(w *world) {
	key := w.keys["temp"]
	a := w.asked(w.keys["alice"], "Wait for it?")
	ended := make(chan string, 3)
	for _, path := range []string{"/v1/events", "/v1/conversations/c/events", "/v1/asks/" + a.text("id") + "?wait=5m"} {
		req, _ := http.NewRequest("GET", w.url+path, nil)
		req.Header.Set("Authorization", "Bearer "+key)
		opened := make(chan struct{})
		go func() {
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err == nil && resp.StatusCode == 200 {
				close(opened)
				for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
				}
				resp.Body.Close()
			}
			ended <- path
		}()
		if strings.HasSuffix(path, "events") {
			<-opened
		}
	}
	id := strings.Split(key, "_")[2]
	if _, bad, code := w.sayso("keys", "revoke", id); code != 0 {
		w.t.Fatalf("revoking: %s", bad)
	}
	revoked := time.Now()
	for range 3 {
		select {
		case path := <-ended:
			w.t.Logf("%.20s ended %v after the key was revoked", path, time.Since(revoked).Round(time.Millisecond))
		case <-time.After(patience / 6):
			w.t.Fatal("a stream or a wait goes on with a revoked key")
		}
	}
	if r := w.do("GET", "/v1/asks", key, nil); r.status != 401 {
		w.t.Errorf("a revoked key: %d, want 401", r.status)
	}
}

// wantsMore answers what this hub cannot be sure enough for, and asks for what a hub
// must not keep.
func wantsMore(w *world) {
	a := w.asked(w.keys["alice"], "Are you sure?", "minAssurance", 2)
	if r := w.do("PUT", "/v1/asks/"+a.text("id")+"/answer", w.keys["bob"], yes(a.text("digest"))); r.status != 403 {
		w.t.Errorf("a key answers an ask that wants a login: %d %s", r.status, r.body)
	}
	b := w.browser()
	b.do("POST", "/ask/"+a.text("id"), url.Values{"digest": {a.text("digest")}, "q0": {"option:y"}, "do": {"send"}})
	if got := w.do("GET", "/v1/asks/"+a.text("id"), w.keys["alice"], nil).text("status"); got != "pending" {
		w.t.Errorf("an ask that wants a login is %s", got)
	}
	secret := message{"questions": []any{message{"id": "q", "text": "Your token?", "secret": true}}}
	if r := w.do("POST", "/v1/asks", w.keys["alice"], secret); r.status != 422 {
		w.t.Errorf("a secret is asked for: %d %s", r.status, r.body)
	}
}

// forOnePerson reads and answers what is for somebody else.
func forOnePerson(w *world) {
	const text = "For bob only?"
	a := w.asked(w.keys["alice"], text, "to", []string{"bob"})
	for _, status := range w.touch(a, w.keys["eve"]) {
		if status != 404 && status != 403 {
			w.t.Errorf("eve on an ask to bob: %d", status)
		}
	}
	for _, path := range []string{"/v1/asks?limit=1000", "/v1/asks?status=any&limit=1000&to=bob"} {
		if strings.Contains(string(w.do("GET", path, w.keys["eve"], nil).body), text) {
			w.t.Errorf("eve reads an ask to bob in %s", path)
		}
	}
	if r := w.do("PUT", "/v1/asks/"+a.text("id")+"/answer", w.keys["bob"], yes(a.text("digest"))); r.status != 200 {
		w.t.Errorf("bob: %d %s", r.status, r.body)
	}
}
