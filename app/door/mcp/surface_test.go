package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

func TestSurface(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			surfacetest.Run(t, surfacetest.Surface{
				Name: "MCP form", Virtual: true,
				Open: func(w *surfacetest.World) *surfacetest.Person { return openClient(w, era) },
			})
		})
	}
}

// host is a client that shows forms: every text that the protocol has a place for,
// and nothing more.
type host struct {
	w       *surfacetest.World
	era     string
	a       *agent
	asks    *stored
	calls   int
	form    *shown         // nil: there is none
	replied bool           // to a form of this ask
	said    string         // what else it was told since the person last did something
	content map[string]any // what is chosen and typed
}

// stored is a hub in which the question of a call is always the one that is to be
// shown.
type stored struct {
	hub.Asker
	next *hub.Ticket
}

func (s *stored) Submit(context.Context, *sayso.Ask) (*hub.Ticket, error) { return s.next, nil }

// shown is a form.
type shown struct {
	ID     json.RawMessage // of the request
	State  string          // of the result, from 2026-07-28 on
	Params struct {
		Message         string
		RequestedSchema struct{ Properties map[string]*property }
	}
}

type property struct {
	Title, Description string
	Enum, EnumNames    []string
	OneOf              []option
	Items              struct{ AnyOf []option }
}

type option struct{ Const, Title string }

func openClient(w *surfacetest.World, era string) *surfacetest.Person {
	h := &host{w: w, era: era, asks: &stored{Asker: w.Asker("agent")}}
	h.a = dial(w.T, &mcp.Options{Hub: h.asks, Hold: 20 * time.Second})
	if era < "2026-07-28" {
		h.a.initialize(era, `{"elicitation":{}}`)
	}
	return &surfacetest.Person{
		Show: h.show, Sees: h.sees, SeesAll: h.sees, Says: func() string { h.hear(); return h.said },
		Choose: h.choose, Type: h.fill,
		Send:    func() { h.respond("accept") },
		Confirm: func() { h.content = nil; h.choose(0, ""); h.respond("accept") },
		Decline: func() { <-time.After(5 * time.Second); h.respond("decline") }, // at once would be a program
		Away:    h.leave,
		Silent:  era >= "2026-07-28",
		Limit:   8000,
	}
}

func (h *host) show(t *hub.Ticket) {
	h.asks.next, h.form, h.replied, h.said, h.content = t, nil, false, "", nil
	h.calls++
	h.call("")
	h.hear()
}

// call calls the tool; more is what else the parameters hold.
func (h *host) call(more string) {
	meta := `"progressToken":"p"`
	if h.era >= "2026-07-28" {
		meta += `,"io.modelcontextprotocol/protocolVersion":"` + h.era + `","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`
	}
	h.a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user","arguments":{"questions":[{"question":"Call %d"}]}%s,"_meta":{%s}}}`, h.calls, h.calls, more, meta))
}

// leave ends the call.
func (h *host) leave() {
	h.a.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, h.calls))
	h.hear()
}

// hear reads what came.
func (h *host) hear() {
	synctest.Wait()
	for {
		select {
		case line, ok := <-h.a.in:
			if !ok {
				return
			}
			h.take(line)
		default:
			return
		}
	}
}

func (h *host) take(line []byte) {
	var m struct {
		shown
		Method string
		Error  *struct{ Message string }
		Result struct {
			Content       []struct{ Text string }
			RequestState  string
			InputRequests map[string]shown
		}
	}
	var told struct {
		Params struct {
			Message, Reason string
			RequestID       json.RawMessage
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		h.w.Fatalf("%s: %v", line, err)
	}
	json.Unmarshal(line, &told)
	form := m.shown
	switch {
	case m.Method == "elicitation/create":
	case m.Method == "notifications/cancelled":
		h.said += told.Params.Reason + "\n"
		if h.form != nil && string(h.form.ID) == string(told.Params.RequestID) {
			h.form = nil
		}
		return
	case m.Method == "notifications/progress":
		h.said += told.Params.Message + "\n"
		return
	case string(m.ID) != fmt.Sprint(h.calls):
		return // of a call that was left
	case len(m.Result.InputRequests) > 0:
		form = m.Result.InputRequests["ask"]
		form.State = m.Result.RequestState
	default:
		for _, c := range m.Result.Content {
			h.said += c.Text + "\n"
		}
		h.form = nil
		return
	}
	if h.form = &form; h.replied { // why it is asked again
		why, _, _ := strings.Cut(form.Params.Message, "\n")
		h.said += why + "\n"
	}
}

func (h *host) sees() string {
	h.hear()
	if h.form == nil {
		return ""
	}
	texts := []string{h.form.Params.Message}
	for _, name := range h.fields() {
		p := h.form.Params.RequestedSchema.Properties[name]
		texts = append(texts, p.Title, p.Description)
		texts = append(texts, p.EnumNames...)
		for _, o := range append(p.OneOf, p.Items.AnyOf...) {
			texts = append(texts, o.Title)
		}
	}
	return strings.Join(texts, "\n")
}

func (h *host) fields() (names []string) {
	for name := range h.form.Params.RequestedSchema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (h *host) set(name string, v any) {
	if h.content == nil {
		h.content = map[string]any{}
	}
	h.content[name] = v
}

// choose chooses an option by its place; the last one if none has that id.
func (h *host) choose(i int, id string) {
	h.hear()
	if h.form == nil {
		return
	}
	name := fmt.Sprintf("question_%d", i)
	j := slices.IndexFunc(h.asks.next.Ask.Questions[i].Options, func(o sayso.Option) bool { return o.ID == id })
	at := func(n int) int { return (j + n) % n }
	switch p := h.form.Params.RequestedSchema.Properties[name]; {
	case p == nil:
		h.set(fmt.Sprintf("%s_%d", name, j), true)
	case len(p.Enum) > 0:
		h.set(name, p.Enum[at(len(p.Enum))])
	case len(p.OneOf) > 0:
		h.set(name, p.OneOf[at(len(p.OneOf))].Const)
	default:
		h.set(name, []string{p.Items.AnyOf[at(len(p.Items.AnyOf))].Const})
	}
}

// fill types a text where own words have a place.
func (h *host) fill(i int, text string) {
	h.hear()
	name := fmt.Sprintf("question_%d", i)
	if h.form != nil && h.form.Params.RequestedSchema.Properties[name+"_custom"] != nil {
		name += "_custom"
	}
	h.set(name, text)
}

// respond sends the form, if there is one. If not, time passes.
func (h *host) respond(action string) {
	h.hear()
	h.said = ""
	form := h.form
	if form == nil {
		<-time.After(3 * time.Second)
		h.hear()
		return
	}
	h.form, h.replied = nil, true
	reply := map[string]any{"action": action}
	if action == "accept" {
		reply["content"] = h.content
		if h.content == nil {
			reply["content"] = map[string]any{}
		}
	}
	data, err := json.Marshal(reply)
	if err != nil {
		h.w.Fatal(err)
	}
	if h.era >= "2026-07-28" {
		h.call(`,"requestState":"` + form.State + `","inputResponses":{"ask":` + string(data) + `}`)
	} else {
		h.a.send(`{"jsonrpc":"2.0","id":` + string(form.ID) + `,"result":` + string(data) + `}`)
	}
	h.hear()
}
