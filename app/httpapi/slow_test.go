package httpapi

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Slow senders and readers are let go, and good requests do not notice: S21.
func TestSlowClients(t *testing.T) {
	limit := 500 * time.Millisecond
	w := newWorld(t, &Options{BodyTime: limit, WriteTime: limit, Quota: Quota{Open: -1, Rate: -1, Streams: -1}})
	url := w.listen(t, func(s *http.Server) { s.ReadHeaderTimeout = limit })
	held, p99 := besiege(t, w, url, 300, soon)
	if held > 0 {
		t.Errorf("%d slow connections are held", held)
	}
	t.Logf("good requests: p99 %v", p99)
}

// Without the time limits the slow ones stay: the test can fail.
func TestSlowClientsCanFail(t *testing.T) {
	w := newWorld(t, &Options{BodyTime: time.Hour, WriteTime: time.Hour, Quota: Quota{Open: -1, Rate: -1, Streams: -1}})
	url := w.listen(t, func(s *http.Server) { s.ReadHeaderTimeout = 0 })
	if held, _ := besiege(t, w, url, 30, time.Second); held < 15 {
		t.Errorf("only %d of 30 slow connections are held", held)
	}
}

func TestFigure_S21(t *testing.T) {
	figures(t)
	w := newWorld(t, &Options{Quota: Quota{Open: -1, Rate: -1, Streams: -1}})
	url := w.listen(t)
	held, p99 := besiege(t, w, url, 5000, 11*time.Second)
	t.Logf("FIGURE S21 %d ms p99 of good requests beside 5000 slow connections", p99.Milliseconds())
	if held > 0 || p99 > 500*time.Millisecond {
		t.Errorf("%d are held after 10 s, p99 %v", held, p99)
	}
}

// besiege opens slow connections, some slow with the head and some with the body,
// and makes good requests meanwhile. It returns how many slow ones are still open
// after the given time, and how long good requests took.
func besiege(t *testing.T, w *world, url string, n int, after time.Duration) (held int, p99 time.Duration) {
	addr := strings.TrimPrefix(url, "http://")
	start := time.Now()
	over := make(chan struct{})
	conns := make(chan net.Conn, n)
	var work sync.WaitGroup
	work.Go(func() {
		defer close(conns)
		for i := range n {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprint(c, "POST /v1/asks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nX-Slow: ")
			switch i % 3 {
			case 1: // a body that does not come
				fmt.Fprintf(c, "x\r\nAuthorization: Bearer %s\r\n\r\n{", w.key["bot"])
			case 2: // nor from somebody who has no key
				fmt.Fprint(c, "x\r\n\r\n{")
			}
			conns <- c
		}
	})
	var took []time.Duration
	work.Go(func() {
		client := &http.Client{Timeout: soon}
		for {
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
			}
			begin := time.Now()
			req := w.request("ada", "GET", "/v1/asks", "")
			req.RequestURI, req.URL.Host = "", addr
			resp, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			took = append(took, time.Since(begin))
		}
	})
	var all []net.Conn
	for c := range conns {
		all = append(all, c)
	}
	defer func() {
		for _, c := range all {
			c.Close()
		}
	}()
	opened := time.Since(start)
	deadline := time.Now().Add(after)
	for _, c := range all {
		c.SetReadDeadline(deadline)
		for {
			_, err := c.Read(make([]byte, 1024))
			if err == nil {
				continue // a refusal, and then the end
			}
			if e, ok := err.(net.Error); ok && e.Timeout() {
				held++
			}
			break
		}
	}
	close(over)
	work.Wait()
	slices.Sort(took)
	if len(took) > 0 {
		p99 = took[len(took)*99/100]
	}
	t.Logf("%d slow connections opened in %v, %d held after %v; %d good requests", len(all), opened, held, after, len(took))
	return held, p99
}
