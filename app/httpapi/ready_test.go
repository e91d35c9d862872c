package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/metrics"
	"github.com/saysohq/sayso/hub"
)

// TestNotReady: the server says what it waits for, to people and to programs, and
// writes it into the log once.
func TestNotReady(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[time.Time]
	start := time.Now()
	now.Store(&start)
	var why atomic.Pointer[error]
	w := newWorld(t, &Options{Now: func() time.Time { return *now.Load() }, Ready: func(context.Context) error {
		if err := why.Load(); err != nil {
			return *err
		}
		return nil
	}})
	set := func(err error) {
		next := now.Load().Add(time.Second)
		now.Store(&next)
		if why.Store(nil); err != nil {
			why.Store(&err)
		}
	}
	for _, c := range []struct {
		err                  error
		accept, want, reason string
		status               int
	}{
		{nil, "*/*", "ok\n", "", 200},
		{fmt.Errorf("%w: node-3 at 10.0.0.3", NotReady("waiting for the storage: no leader")), "text/html,*/*", "waiting for the storage: no leader\n", "", 503},
		{fmt.Errorf("%w: node-3 at 10.0.0.3", NotReady("waiting for the storage: no leader")), "", `"detail":"waiting for the storage: no leader"`, "", 503},
		{errors.New("10.0.0.3 is off"), "text/plain", "the hub is not ready; its log says why\n", "", 503},
		{nil, "text/plain", "ok\n", "", 200},
	} {
		set(c.err)
		rec := w.do("nobody", "GET", "/readyz", "", "Accept", c.accept)
		if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.want) || strings.Contains(rec.Body.String(), "10.0.0.3") {
			t.Errorf("%v to %q: %d %s", c.err, c.accept, rec.Code, rec.Body)
		}
	}
	log := w.log.text()
	if strings.Count(log, `msg="not ready" error="waiting`) != 1 || strings.Count(log, "ready again") != 1 || strings.Contains(log, "level=ERROR") {
		t.Errorf("the log has\n%s", log)
	}
}

// TestOpening: before the hub is open the process lives, and clients are told why to
// come back.
func TestOpening(t *testing.T) {
	t.Parallel()
	h := Opening(func() NotReady { return "the hub is starting: waiting" })
	for _, c := range []struct {
		path, accept, want string
		status             int
	}{
		{"/healthz", "", "ok\n", 200},
		{"/readyz", "text/html", "the hub is starting: waiting\n", 503},
		{"/readyz", "", `"detail":"the hub is starting: waiting"`, 503},
		{"/v1/asks", "application/json", api.ProblemURN + api.Unavailable, 503},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		r.Header.Set("Accept", c.accept)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.want) || (rec.Header().Get("Retry-After") == "1") != (c.status == 503) {
			t.Errorf("%s to %q: %d %v %s", c.path, c.accept, rec.Code, rec.Header(), rec.Body)
		}
	}
}

// TestDrain: a server that drains says so and serves on.
func TestDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.Drain()
	if rec := w.do("nobody", "GET", "/readyz", ""); rec.Code != 503 || !strings.Contains(rec.Body.String(), "draining") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if rec := w.do("nobody", "GET", "/healthz", ""); rec.Code != 200 {
		t.Errorf("healthz: %d", rec.Code)
	}
	w.ask(t, "a1")
	if m := w.do("eye", "GET", "/metrics", "").Body.String(); !strings.Contains(m, "\nsayso_ready 0\n") {
		t.Errorf("the metrics have no sayso_ready 0:\n%s", m)
	}
}

// TestCloseTells: who waits when the server closes is told to try again at once,
// and a stream ends with an early retry.
func TestCloseTells(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	tk := w.ask(t, "a1")
	reply := w.beside(t.Context(), "bot", "GET", "/v1/asks/"+tk.ID+"?wait=1h", "")
	req, err := http.NewRequestWithContext(t.Context(), "GET", w.listen(t)+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.key["ada"])
	stream, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	events := bufio.NewReader(stream.Body)
	if first, err := events.ReadString('\n'); err != nil || first != "retry: 2000\n" {
		t.Fatalf("the stream begins with %q: %v", first, err)
	}
	eventually(t, func() bool { _, waits := w.limits.using(); return waits == 1 })
	w.Close()
	rec := <-reply
	p := decoded[api.Problem](t, rec.Body.Bytes())
	if rec.Code != 503 || rec.Header().Get("Retry-After") != "0" || !strings.Contains(p.Detail, "shutting down") {
		t.Errorf("the waiter is told %d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	if rest, err := io.ReadAll(events); err != nil || strings.Count(string(rest), "retry: ") != 1 {
		t.Errorf("the stream ends with\n%s%v", rest, err)
	}
	rec = w.do("ada", "GET", "/v1/events", "") // one that comes too late
	if rec.Code != 503 || rec.Header().Get("Retry-After") != "0" {
		t.Errorf("a late stream is told %d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	late := &call{s: w.Server, r: httptest.NewRequest("GET", "/v1/events", nil)} // and one that had not begun to follow
	if err := late.stopped(context.Canceled); !errors.Is(err, hub.ErrStopped) {
		t.Errorf("a stream that has not begun is told %v", err)
	}
	if log := w.log.text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("the end is an error:\n%s", log)
	}
}

// TestClientGone: that a client went away is nobody's error.
func TestClientGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	tk := w.ask(t, "a1")
	ctx, hangUp := context.WithCancel(t.Context())
	reply := w.beside(ctx, "bot", "GET", "/v1/asks/"+tk.ID+"?wait=1h", "")
	eventually(t, func() bool { _, waits := w.limits.using(); return waits == 1 })
	hangUp()
	<-reply
	if log := w.log.text(); strings.Contains(log, "level=ERROR") || !strings.Contains(log, "status=499") {
		t.Errorf("the log has\n%s", log)
	}
	if m := w.do("eye", "GET", "/metrics", "").Body.String(); !strings.Contains(m, `route="/v1/asks/{id}",status="499"} 1`) {
		t.Errorf("the metrics have\n%s", m)
	}
}

// TestRequestSeconds: what a request waits for a person is not its time.
func TestRequestSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &Options{Metrics: []metrics.Source{func(_ context.Context, w *metrics.Writer) {
			w.One("sayso_more", metrics.Gauge, "More.", 7)
		}}, Version: "v1.2.3"})
		tk := w.ask(t, "a1")
		if rec := w.do("bot", "GET", "/v1/asks/"+tk.ID+"?wait=10m", ""); rec.Code != http.StatusOK {
			t.Fatal(rec.Code, rec.Body)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		<-w.beside(ctx, "ada", "GET", "/v1/events", "")
		w.do("bot", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
		w.do("nobody", "GET", "/v1/asks", "")
		m := w.do("eye", "GET", "/metrics", "").Body.String()
		for _, line := range []string{
			`sayso_request_seconds_sum{method="GET",route="/v1/asks/{id}"} 0`,
			`sayso_request_seconds_count{method="GET",route="/v1/asks/{id}"} 1`,
			`sayso_request_seconds_sum{method="GET",route="/v1/events"} 0`,
			`sayso_build_info{version="v1.2.3"} 1`,
			`sayso_ready 1`,
			`sayso_asks_waiting 1`,
			`sayso_auth_failures_total{kind="credential"} 1`,
			`sayso_auth_failures_total{kind="role"} 1`,
			`sayso_more 7`,
		} {
			if !strings.Contains(m, line+"\n") {
				t.Errorf("no line %s in\n%s", line, m)
			}
		}
	})
}
