package jsonrpc_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/jsonrpc"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

func TestSurfaceQuestion(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{
		Name: "JSON-RPC, client/ask_user", Virtual: true,
		Open: func(w *surfacetest.World) *surfacetest.Person { return openProgram(w, jsonrpc.ClientAskUser) },
	})
}

func TestSurfaceForm(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{
		Name: "JSON-RPC, ask_user_request", Virtual: true,
		Open: func(w *surfacetest.World) *surfacetest.Person { return openProgram(w, jsonrpc.AskUserRequest) },
	})
}

// program is an attached user interface. It shows every string that it is sent, with
// the name of its member, and nothing more.
type program struct {
	w       *surfacetest.World
	method  jsonrpc.Method
	end     *otherEnd
	dialogs map[string]*asked // by the name that the door gave them
	said    string            // the last message that is not a question
	now     *hub.Ticket       // what the person looks at
	answer  any               // what is chosen or typed
}

// asked is a message that the program was sent.
type asked struct {
	ID     json.RawMessage
	Method string
	Params map[string]any
}

func openProgram(w *surfacetest.World, m jsonrpc.Method) *surfacetest.Person {
	p := &program{w: w, method: m, dialogs: map[string]*asked{}}
	p.end = dialDoor(w.T, w.Asker("panel"), &jsonrpc.Options{Attach: m})
	return &surfacetest.Person{
		Show: p.show, Sees: p.sees, SeesAll: p.sees, Says: func() string { p.hear(); return p.said },
		Choose:   func(_ int, id string) { p.answer = p.label(id) },
		Type:     func(_ int, text string) { p.answer = text },
		TypeList: func(_ int, texts []string) { p.answer = texts },
		Send:     func() { p.reply(p.answer) },
		Confirm:  func() { choices := p.choices(); p.reply(choices[len(choices)-1]) },
		Decline:  func() { p.respond(map[string]any{"declined": true}) },
	}
}

func (p *program) show(t *hub.Ticket) {
	p.now, p.answer, p.said = t, "", ""
	p.hear()
}

// hear reads what came.
func (p *program) hear() {
	synctest.Wait()
	for _, line := range p.end.received() {
		m := &asked{}
		if err := json.Unmarshal([]byte(line), m); err != nil {
			p.w.Fatal(err)
		}
		id := fmt.Sprint(m.Params["request_id"])
		if p.method == jsonrpc.AskUserRequest && m.Method != "ui/elsewhere" {
			id = fmt.Sprint(m.Params["requestId"])
		}
		switch {
		case m.Method == string(p.method):
			p.dialogs[id] = m
			if why, ok := m.Params["error"].(string); ok {
				p.said = why
			}
		case strings.HasSuffix(m.Method, "_withdrawn"):
			delete(p.dialogs, id)
			p.said = texts("", m.Params)
		default:
			p.said = texts("", m.Params)
		}
	}
}

func (p *program) sees() string {
	p.hear()
	if d := p.dialogs[p.now.Handle]; d != nil {
		return texts("", d.Params)
	}
	return ""
}

// texts are all strings of a message.
func texts(name string, v any) string {
	switch v := v.(type) {
	case string:
		return name + ": " + v + "\n"
	case []any:
		all := ""
		for _, one := range v {
			all += texts(name, one)
		}
		return all
	case map[string]any:
		all, names := "", []string{}
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			all += texts(name, v[name])
		}
		return all
	}
	return ""
}

// choices are the labels that are offered.
func (p *program) choices() (labels []string) {
	p.hear()
	params := p.dialogs[p.now.Handle].Params
	choices, _ := params["choices"].([]any)
	if questions, ok := params["questions"].([]any); ok {
		choices, _ = questions[0].(map[string]any)["options"].([]any)
	}
	for _, c := range choices {
		if o, ok := c.(map[string]any); ok {
			c = o["label"]
		}
		labels = append(labels, c.(string))
	}
	return labels
}

func (p *program) label(id string) string {
	options := p.now.Ask.Questions[0].Options
	return p.choices()[slices.IndexFunc(options, func(o sayso.Option) bool { return o.ID == id })]
}

func (p *program) reply(answer any) {
	if p.method == jsonrpc.AskUserRequest {
		p.respond(map[string]any{"answers": []any{answer}})
	} else {
		p.respond(map[string]any{"answer": answer})
	}
}

// respond answers the dialog, if it is open. If not, time passes.
func (p *program) respond(result map[string]any) {
	p.hear()
	d := p.dialogs[p.now.Handle]
	if d == nil {
		<-time.After(3 * time.Second)
		p.hear()
		return
	}
	delete(p.dialogs, p.now.Handle)
	message := map[string]any{"jsonrpc": "2.0", "id": d.ID, "result": result}
	if p.method == jsonrpc.AskUserRequest {
		result["requestId"] = d.Params["requestId"]
		message = map[string]any{"jsonrpc": "2.0", "method": "ask_user_response", "params": result}
	}
	line, err := json.Marshal(message)
	if err != nil {
		p.w.Fatal(err)
	}
	p.end.send(p.w.T, string(line))
	p.hear()
}
