package convapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/internal/convapi"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// entries are the ids of the entries among events.
func entries(all []event) (ids []string) {
	for _, e := range all {
		if e.name == "entry" {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// A stream tells every entry once and in order, and every state behind what led to
// it.
func TestEvents(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var placed []string
	w := newWorld(t, service(), func(o *convapi.Options) {
		o.Placed = func(_ context.Context, a *sayso.Ask) {
			mu.Lock()
			defer mu.Unlock()
			placed = append(placed, a.ID)
		}
	})
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Set up a service"}`, 201)
	resp, next := w.follow("/conversations/c1/events")
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", "Cache-Control": "no-store"} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	all := w.until(next, "state_change", `"type":"awaiting_user_response"`)
	var asked convapi.StateChange
	if err := json.Unmarshal([]byte(all[len(all)-1].data), &asked); err != nil {
		t.Fatal(err)
	}
	if asked.ToolUseID == "" || len(asked.Questions) != 1 || asked.Questions[0].Question != "Which database?" || asked.Questions[0].Options[1].Label != "SQLite" {
		t.Errorf("what is asked: %+v", asked)
	}
	mu.Lock()
	if !slices.Contains(placed, asked.Ask) {
		t.Errorf("the question was told before it could be answered: %v", placed)
	}
	mu.Unlock()
	all = append(all, w.until(next, "rest", `"type":"awaiting_user_response"`)...)
	w.want("POST", "/conversations/c1/respond", `{"answers":{"Which database?":"SQLite"}}`, 200)
	all = append(all, w.until(next, "rest", `"type":"idle"`)...)
	if got := entries(all); !slices.Equal(got, []string{"0", "1", "2", "3"}) {
		t.Errorf("entries %v", got)
	}
	revision, said := 0, ""
	for _, e := range all {
		switch e.name {
		case "state_change":
			var c convapi.StateChange
			if err := json.Unmarshal([]byte(e.data), &c); err != nil || c.Revision <= revision || c.Conversation != "c1" {
				t.Errorf("after revision %d: %s, %v", revision, e.data, err)
			}
			revision = c.Revision
		case "delta":
			var d convapi.Delta
			if err := json.Unmarshal([]byte(e.data), &d); err != nil {
				t.Error(err)
			}
			said += d.Text
		case "entry":
			if strings.Contains(e.data, `"content"`) {
				t.Errorf("the host's own form is told: %s", e.data)
			}
		}
	}
	if said != "done" {
		t.Errorf("the model was heard to say %q", said)
	}
}

// heldBack are asks that are not put before they may be.
type heldBack struct {
	hub.Asker
	tried, may chan struct{}
}

func (h *heldBack) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	select {
	case h.tried <- struct{}{}:
	default:
	}
	<-h.may
	return h.Asker.Submit(ctx, a)
}

// A conversation whose ask nobody can answer yet is not told to be at rest, to a
// client that comes at that moment either.
func TestEventsBeforeTheAskIsPut(t *testing.T) {
	t.Parallel()
	h := &heldBack{tried: make(chan struct{}, 1), may: make(chan struct{})}
	w := newWorld(t, service(), func(o *convapi.Options) { o.Heartbeat = 20 * time.Millisecond }, func(o *agent.Options) {
		h.Asker, o.Asks = o.Asks, h
	})
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Set up a service"}`, 201)
	<-h.tried
	_, next := w.follow("/conversations/c1/events")
	for _, e := range w.until(next, "", "") { // up to the first comment
		if e.name == "rest" {
			t.Errorf("told before the ask was put: %+v", e)
		}
	}
	close(h.may)
	w.until(next, "rest", `"type":"awaiting_user_response"`)
	w.want("POST", "/conversations/c1/respond", `{"answers":{"Which database?":"SQLite"}}`, 200)
}

// A client that comes back goes on behind what it has.
func TestEventsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, service(), nil)
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Set up a service"}`, 201)
	w.rest("c1", "awaiting_user_response")
	w.want("POST", "/conversations/c1/respond", `{"answers":{"Which database?":"SQLite"}}`, 200)
	w.rest("c1", "idle")
	for _, c := range []struct {
		name, query string
		header      []string
		want        []string
	}{
		{"from the beginning", "", nil, []string{"0", "1", "2", "3"}},
		{"behind an event", "", []string{"Last-Event-ID", "1"}, []string{"2", "3"}},
		{"behind an event of the query", "?lastEventId=2", nil, []string{"3"}},
		{"the header counts", "?lastEventId=2", []string{"Last-Event-ID", "0"}, []string{"1", "2", "3"}},
		{"behind the last", "", []string{"Last-Event-ID", "3"}, nil},
		{"behind what is not there", "", []string{"Last-Event-ID", "99"}, nil},
		{"before the first", "", []string{"Last-Event-ID", "-7"}, []string{"0", "1", "2", "3"}},
		{"nonsense", "", []string{"Last-Event-ID", "nonsense"}, []string{"0", "1", "2", "3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, next := w.follow("/conversations/c1/events"+c.query, c.header...)
			all := w.until(next, "rest", `"type":"idle"`)
			if got := entries(all); !slices.Equal(got, c.want) {
				t.Errorf("entries %v, want %v", got, c.want)
			}
			if e := all[len(all)-2]; e.name != "state_change" || !strings.Contains(e.data, `"type":"idle"`) {
				t.Errorf("before the rest comes %+v", e)
			}
		})
	}
}

// What a sub-agent does and asks is told in the stream of its conversation.
func TestEventsOfSubAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modeltest.Route(
		modeltest.Steps(modeltest.Use("spawn_agents", map[string]any{"agents": []any{map[string]any{"name": "scout", "task": "the task"}}}), modeltest.Say("done")),
		modeltest.RouteTo{Word: "the task", Script: modeltest.Steps(asks("Which way?", "left", "right"), modeltest.Say("found"))},
	), nil)
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Go"}`, 201)
	_, next := w.follow("/conversations/c1/events")
	w.until(next, "state_change", `"question":"Which way?"`)
	w.rest("c1", "awaiting_sub_agents")
	w.want("GET", "/conversations/c1", "", 200, `"agents":[{"id":"c1~`)
	w.want("POST", "/conversations/c1/respond", `{"answers":{"Which way?":"left"}}`, 200)
	all := w.until(next, "delta", `"text":"found"`)
	if e := all[len(all)-1]; !strings.Contains(e.data, `"agent":"c1~`) {
		t.Errorf("who speaks: %s", e.data)
	}
	all = w.until(next, "rest", `"type":"idle"`)
	if !slices.ContainsFunc(all, func(e event) bool {
		return e.name == "state_change" && strings.Contains(e.data, `"type":"ended"`) && strings.Contains(e.data, `"agent":"c1~`)
	}) {
		t.Errorf("the end of the sub-agent is not told: %+v", all)
	}
}

// A stream that nothing happens in is kept alive, and tells what another host has
// done meanwhile.
func TestEventsOfAnotherHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modeltest.Steps(modeltest.Say("one"), modeltest.Say("two")), func(o *convapi.Options) { o.Heartbeat = 20 * time.Millisecond })
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Go"}`, 201)
	w.rest("c1", "idle")
	_, next := w.follow("/conversations/c1/events")
	w.until(next, "", "") // a comment
	if err := w.open("b").Send(w.ctx, "c1", "m2", "On"); err != nil {
		t.Fatal(err)
	}
	all := w.until(next, "entry", `"text":"two"`)
	if got := entries(all); !slices.Equal(got, []string{"2", "3"}) {
		t.Errorf("entries %v", got)
	}
}

// The stream of a conversation that is removed ends.
func TestEventsOfWhatIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, service(), nil)
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Go"}`, 201)
	_, next := w.follow("/conversations/c1/events")
	w.until(next, "rest", `"type":"awaiting_user_response"`)
	w.want("DELETE", "/conversations/c1?force=true", "", 200)
	for _, ok := next(); ok; _, ok = next() {
	}
}

// Many clients follow one conversation, and all are told the same.
func TestEventsToMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modeltest.Steps(modeltest.Say("done")), nil)
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Go"}`, 201)
	var wg sync.WaitGroup
	for range 8 {
		_, next := w.follow("/conversations/c1/events")
		wg.Go(func() {
			var got []string
			for {
				e, ok := next()
				if !ok {
					t.Errorf("the stream ended after %v", got)
					return
				}
				if e.name == "entry" {
					got = append(got, e.id)
				}
				if e.name == "entry" && strings.Contains(e.data, `"text":"Again"`) {
					break
				}
			}
			if want := []string{"0", "1", "2"}; !slices.Equal(got, want) {
				t.Errorf("entries %v, want %v", got, want)
			}
		})
	}
	w.rest("c1", "idle")
	w.want("POST", "/conversations/c1/messages", fmt.Sprintf(`{"text":%q}`, "Again"), 202)
	wg.Wait()
}
