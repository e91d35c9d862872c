package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// collect reads events until n have come.
func collect(t *testing.T, f *follower, n int) []sseEvent {
	t.Helper()
	var got []sseEvent
	err := f.follow(within(t, soon), func(e sseEvent) bool {
		got = append(got, e)
		return len(got) < n
	})
	if err != nil {
		t.Fatalf("%v after %d events: %v", err, len(got), got)
	}
	return got
}

func names(events []sseEvent) string {
	var list []string
	for _, e := range events {
		name := e.name
		if e.name == "ask" {
			var tk api.Ticket
			json.Unmarshal([]byte(e.data), &tk)
			name = fmt.Sprintf("%s %s@%d", tk.Ask.ID, tk.Status, tk.Revision)
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

func TestStream(t *testing.T) {
	w := newWorld(t, nil)
	url := w.listen(t)
	a1 := w.ask(t, "a1")
	toBob := func(a *sayso.Ask) { a.To = []string{"bob"} }
	w.ask(t, "a2", toBob)

	ada := w.follower(url, "ada", "/v1/events")
	if got := names(collect(t, ada, 3)); got != "reset, a1 pending@1, ready" {
		t.Errorf("ada begins with %s", got)
	}
	bob := w.follower(url, "bob", "/v1/events")
	if got := names(collect(t, bob, 4)); !strings.Contains(got, "a1 pending@1") || !strings.Contains(got, "a2 pending@2") {
		t.Errorf("bob begins with %s", got)
	}
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+a1.ID+"/answer", answerBody(a1, "pg"))
	w.ask(t, "a3")
	w.ask(t, "a4", toBob)
	w.ask(t, "a5", func(a *sayso.Ask) { a.Origin.Conversation = "c5" })
	// Revision 4 is of the record that ada is there, since she answered.
	if got := names(collect(t, ada, 3)); got != "a1 answered@3, a3 pending@5, a5 pending@7" {
		t.Errorf("ada goes on with %s", got)
	}
	// What changed while nobody followed has no order but that of each ask.
	got := strings.Split(names(collect(t, bob, 4)), ", ")
	slices.Sort(got)
	if want := []string{"a1 answered@3", "a3 pending@5", "a4 pending@6", "a5 pending@7"}; !slices.Equal(got, want) {
		t.Errorf("bob goes on with %s", got)
	}
	// An id of another store, an old one, one that is none: the stream begins anew.
	store, _, _ := strings.Cut(ada.last, "-")
	for _, last := range []string{"", "0123456789abcdef-3", "x", "-", store + "-999", store + "-0-0.1", "other" + strings.TrimPrefix(ada.last, store)} {
		ada.last = last
		if got := names(collect(t, ada, 4)); !strings.HasPrefix(got, "reset, ") || !strings.HasSuffix(got, ", ready") {
			t.Errorf("behind %q ada goes on with %s", last, got)
		}
	}
	conversation := w.follower(url, "ada", "/v1/conversations/c5/events")
	if got := names(collect(t, conversation, 3)); got != "reset, a5 pending@7, ready" {
		t.Errorf("the conversation begins with %s", got)
	}
	if got := names(collect(t, w.follower(url, "bot2", "/v1/events"), 2)); got != "reset, ready" {
		t.Errorf("another asker sees %s", got)
	}
	for _, e := range collect(t, w.follower(url, "eye", "/v1/events"), 6) {
		if strings.Contains(e.data, "database") {
			t.Errorf("the observer reads %s", e.data)
		}
	}
}

func TestStateStream(t *testing.T) {
	w := newWorld(t, nil)
	url := w.listen(t)
	must[api.CallResult](t, w, "bot", "POST", "/v1/dialects/json/call?wait=1ms", `{"id":"toolu_1","conversation":"c1","arguments":`+toolCall+`}`)
	ada := w.follower(url, "ada", "/conversations/c1/events")
	got := collect(t, ada, 3)
	var waits api.StateChange
	if err := json.Unmarshal([]byte(got[1].data), &waits); err != nil || got[1].name != "state_change" {
		t.Fatalf("%v: %+v", err, got)
	}
	if waits.Type != "awaiting_user_response" || waits.ToolUseID != "toolu_1" || len(waits.Questions) != 1 || waits.Questions[0].Options[1].Label != "SQLite" {
		t.Errorf("%+v", waits)
	}
	must[api.Ticket](t, w, "ada", "POST", "/conversations/c1/respond", `{"ask":"`+waits.Ask+`","digest":"`+waits.Digest+`","answers":{"Which database?":"SQLite"}}`)
	var done api.StateChange
	if err := json.Unmarshal([]byte(collect(t, ada, 1)[0].data), &done); err != nil {
		t.Fatal(err)
	}
	if done.Type != "user_response_received" || done.Status != sayso.StatusAnswered || done.Ask != waits.Ask || done.Questions != nil {
		t.Errorf("%+v", done)
	}
}

// A stream that was away for longer than can be resumed begins anew with what is
// open, and what closed meanwhile is not told as open.
func TestStreamAwayTooLong(t *testing.T) {
	var later atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	w := newWorldOver(t, hub.NewMemory(&hub.MemoryOptions{Now: now}), &hub.Options{Now: now}, nil)
	url := w.listen(t)
	f := w.follower(url, "ada", "/v1/events")
	collect(t, f, 2)
	w.ask(t, "kept")
	gone := w.ask(t, "gone")
	if got := names(collect(t, f, 2)); got != "kept pending@1, gone pending@2" {
		t.Fatalf("the stream goes on with %s", got)
	}
	w.ask(t, "more")
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+gone.ID+"/answer", answerBody(gone, "pg"))
	brief := f.copy()
	if got := names(collect(t, brief, 2)); got != "more pending@3, gone answered@4" {
		t.Errorf("after a moment it goes on with %s", got)
	}
	later.Store(int64(hub.Resumable + time.Second))
	if got := names(collect(t, f, 4)); got != "reset, kept pending@1, more pending@3, ready" {
		t.Errorf("after more than %v it goes on with %s", hub.Resumable, got)
	}
}

// picture is what a client makes of a stream.
type picture struct {
	open, seen map[string]uint64 // revisions
	resets     int
	whole      bool // the snapshot is complete
}

func (p *picture) take(t *testing.T, e sseEvent) {
	t.Helper()
	switch e.name {
	case "reset":
		*p = picture{map[string]uint64{}, map[string]uint64{}, p.resets + 1, false}
	case "ready":
		p.whole = true
	case "ask":
		var tk api.Ticket
		if err := json.Unmarshal([]byte(e.data), &tk); err != nil {
			t.Error(err)
		}
		id := tk.Ask.ID
		if tk.Revision <= p.seen[id] {
			t.Errorf("%s comes again at revision %d", id, tk.Revision)
		}
		p.seen[id] = tk.Revision
		delete(p.open, id)
		if tk.Open() {
			p.open[id] = tk.Revision
		}
	}
}

// Many streams come and go while asks are answered: none is left with a wrong
// picture.
func TestStreamStorm(t *testing.T) {
	const asks, clients, cycles = 200, 20, 5
	w := newWorld(t, &Options{Quota: Quota{Open: -1, Rate: -1, Streams: -1}})
	url := w.listen(t)
	ctx := within(t, time.Minute)
	var work sync.WaitGroup
	work.Go(func() {
		for i := range asks {
			tk := w.ask(t, fmt.Sprint("a", i))
			must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
		}
		w.ask(t, "end")
	})
	for c := range clients {
		work.Go(func() {
			f := w.follower(url, "ada", "/v1/events")
			rng := rand.New(rand.NewPCG(2, uint64(c)))
			var p picture
			for ended := false; !ended && ctx.Err() == nil; {
				stop := 1 + rng.IntN(2*asks/cycles)
				f.follow(ctx, func(e sseEvent) bool {
					p.take(t, e)
					ended = p.whole && p.open["end"] > 0
					stop--
					return !ended && stop > 0
				})
			}
			if len(p.open) != 1 {
				t.Errorf("a client is left with %v", p.open)
			}
		})
	}
	work.Wait()
}

// Streams that are cut right behind their snapshot, while asks come: what the
// snapshot told is not told again.
func TestStreamCutBehindSnapshot(t *testing.T) {
	const asks, before = 100, 50
	w := newWorld(t, &Options{Quota: Quota{Open: -1, Rate: -1, Streams: -1}})
	url := w.listen(t)
	for i := range before {
		w.ask(t, fmt.Sprint("before", i))
	}
	ctx := within(t, time.Minute)
	var work sync.WaitGroup
	work.Go(func() {
		for i := range asks {
			w.ask(t, fmt.Sprint("a", i))
		}
		w.ask(t, "end")
	})
	for ended := false; !ended && ctx.Err() == nil; {
		f := w.follower(url, "ada", "/v1/events")
		var p picture
		for range 2 {
			f.follow(ctx, func(e sseEvent) bool {
				p.take(t, e)
				ended = p.open["end"] > 0
				return !ended && e.name != "ready" && (!p.whole || e.name != "ask")
			})
		}
	}
	work.Wait()
}

// A client that does not read is let go, and nobody waits for it: S21.
func TestStreamSlowReader(t *testing.T) {
	w := newWorld(t, &Options{WriteTime: 200 * time.Millisecond, Quota: Quota{Open: -1, Rate: -1}})
	const buffer = 16 << 10 // of the sockets, which else take megabytes
	url := w.listen(t, func(s *http.Server) {
		s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			c.(*net.TCPConn).SetWriteBuffer(buffer)
			return ctx
		}
	})
	ctx := within(t, soon)
	stuck := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		slow := w.follower(url, "ada", "/v1/events")
		slow.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			if err == nil {
				c.(*net.TCPConn).SetReadBuffer(buffer)
			}
			return c, err
		}
		err := slow.follow(ctx, func(e sseEvent) bool {
			<-stuck
			return true
		})
		if err == nil || ctx.Err() != nil {
			t.Errorf("the slow stream did not end: %v", err)
		}
	})
	work.Go(func() {
		err := w.follower(url, "bob", "/v1/events").follow(ctx, func(e sseEvent) bool { return !strings.Contains(e.data, `"id":"end"`) })
		if err != nil {
			t.Errorf("the good stream ended: %v", err)
		}
	})
	eventually(t, func() bool { return w.limitsInUse() == 2 })
	long := func(a *sayso.Ask) {
		for i := range 15 {
			a.Questions = append(a.Questions, sayso.Question{ID: fmt.Sprint("q", i), Text: strings.Repeat("x", 10_000)})
		}
	}
	for i := 0; w.limitsInUse() == 2 && ctx.Err() == nil; i++ {
		w.ask(t, fmt.Sprint("a", i), long)
	}
	w.ask(t, "end")
	close(stuck)
	work.Wait()
}

// A stream ends with its key, within a second, and so does a wait.
func TestStreamRevoked(t *testing.T) {
	w := newWorld(t, nil)
	url := w.listen(t)
	ctx := within(t, soon)
	tk := w.ask(t, "a1")
	ready := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- w.follower(url, "ada", "/v1/events").follow(ctx, func(e sseEvent) bool {
			if e.name == "ready" {
				close(ready)
			}
			return true
		})
	}()
	waited := make(chan int, 1)
	go func() {
		req := w.request("bob", "GET", "/v1/asks/"+tk.ID+"?wait=1m", "").WithContext(ctx)
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, req)
		waited <- rec.Code
	}()
	<-ready
	eventually(t, func() bool { return w.limitsInUse() == 2 })
	start := time.Now()
	for _, who := range []string{"ada", "bob"} {
		if _, err := w.keys.Revoke(t.Context(), w.ids[who]); err != nil {
			t.Fatal(err)
		}
	}
	<-ended
	if code := <-waited; code != http.StatusUnauthorized {
		t.Errorf("the wait ended with %d", code)
	}
	if ctx.Err() != nil {
		t.Error("what was begun goes on")
	}
	t.Logf("it took %v", time.Since(start))
}

func (w *world) limitsInUse() int {
	streams, waits := w.limits.using()
	return streams + waits
}

// Streams end with the server, and Close waits for nobody.
func TestStreamClose(t *testing.T) {
	w := newWorld(t, nil)
	url := w.listen(t)
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	f := w.follower(url, "ada", "/v1/events")
	f.follow(ctx, func(e sseEvent) bool {
		if e.name == "ready" {
			w.Close()
		}
		return true
	})
	if ctx.Err() != nil {
		t.Error("the stream did not end")
	}
	if rec := w.do("ada", "GET", "/v1/asks", ""); rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" {
		t.Errorf("a closed server says %d", rec.Code)
	}
}

// An idle stream is kept alive, and its id moves on.
func TestStreamHeartbeat(t *testing.T) {
	w := newWorld(t, &Options{Heartbeat: 10 * time.Millisecond})
	url := w.listen(t)
	f := w.follower(url, "ada", "/v1/events")
	collect(t, f, 2)
	before := f.last
	w.ask(t, "a1", func(a *sayso.Ask) { a.To = []string{"bob"} }) // not for ada
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	go func() {
		eventually(t, func() bool { return f.current() != before })
		cancel()
	}()
	f.follow(ctx, func(e sseEvent) bool { t.Errorf("ada is told %v", e); return true })
	if f.last == before {
		t.Error("the id did not move on")
	}
}
