package connlimit

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a listener that accepts, or fails, as its list says.
type scripted struct {
	net.Listener
	next []error
}

func (s *scripted) Accept() (net.Conn, error) {
	if len(s.next) == 0 {
		return nil, net.ErrClosed
	}
	err := s.next[0]
	s.next = s.next[1:]
	if err != nil {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
	}
	return &fake{from: "192.0.2.1"}, nil
}

// TestNoDescriptors: the owner's socket gets one from the others.
func TestNoDescriptors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCrowd(t, Limits{Credential: 9, Anonymous: 9})
		w.do("+1.a !1.a +1.b !1.b .1.b +1.c")
		none := syscall.Errno(syscall.EMFILE)
		ln := w.g.Owner(&scripted{next: []error{none, none, none, none, none, nil}})
		start := time.Now()
		if _, err := ln.Accept(); err != nil {
			t.Fatal(err)
		}
		if got := w.closed(); got != "1.a 1.b 1.c" {
			t.Errorf("closed %q", got)
		}
		if took := time.Since(start); took > 50*time.Millisecond {
			t.Errorf("it took %v to accept", took)
		}
		if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the end is %v", err)
		}

		w.do("+1.d +1.e")
		ln = w.g.Listen(&scripted{next: []error{none, nil, none}})
		if _, err := ln.Accept(); err != nil {
			t.Fatal(err)
		}
		if got := w.closed(); got != "1.a 1.b 1.c 1.d" {
			t.Errorf("closed %q", got)
		}
		w.do("-1.e")
		w.g.shed()
		if _, err := ln.Accept(); !errors.Is(err, syscall.EMFILE) {
			t.Errorf("with nothing to close: %v", err)
		}
	})
}

// TestReport: a line a minute, with all that happened.
func TestReport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		told := map[Reason]int{}
		g := New(&Options{
			Limits: Limits{Credential: 1, Anonymous: 1, AnonymousPerAddress: 1},
			Log:    slog.New(slog.NewTextHandler(&log, nil)),
			Closed: func(r Reason, n int) { told[r] += n },
		})
		c := &crowd{t, g, map[string]net.Conn{}, nil}
		for range 150 { // seconds
			c.do("+1.x +1.y +2.x")
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := strings.Count(log.String(), "level=WARN"); n != 3 {
			t.Errorf("%d lines in 150 s:\n%s", n, log.String())
		}
		if !strings.Contains(log.String(), "address=") || !strings.Contains(log.String(), "without-credential=") {
			t.Errorf("the log does not say why:\n%s", log.String())
		}
		g.Close()
		if told[FromAddress] < 100 || told[WithoutCredential] < 100 {
			t.Errorf("told %v", told)
		}
		lines := log.Len()
		c.do("+1.z +1.z")
		time.Sleep(2 * time.Minute)
		if log.Len() != lines {
			t.Error("the guard logs after its end")
		}
	})
}

// TestServer: the guard follows real requests, also below TLS.
func TestServer(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		g := New(&Options{Limits: Limits{Credential: 2, Anonymous: 2}})
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				Credential(r.Context())
			}
			io.WriteString(w, "ok")
		}))
		server.Listener = g.Listen(server.Listener)
		server.Config.ConnContext, server.Config.ConnState = g.ConnContext, g.ConnState
		if secure {
			server.StartTLS()
		} else {
			server.Start()
		}
		client := server.Client()
		get := func(credential string) {
			r, _ := http.NewRequest("GET", server.URL, nil)
			if credential != "" {
				r.Header.Set("Authorization", credential)
			}
			resp, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		is := func(want [kinds]int) {
			t.Helper()
			var got [kinds]int
			for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(time.Millisecond) {
				g.mu.Lock()
				got = g.count
				g.mu.Unlock()
				if got == want {
					return
				}
			}
			t.Fatalf("secure %v: %v connections, want %v", secure, got, want)
		}
		get("")
		is([kinds]int{anonymous: 1})
		get("key")
		is([kinds]int{idle: 1})
		get("")
		is([kinds]int{anonymous: 1})
		client.CloseIdleConnections()
		is([kinds]int{})
		server.Close()
		g.Close()
	}
}
