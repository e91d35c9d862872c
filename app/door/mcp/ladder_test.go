package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/hub"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The eras of the protocol, and what a client may declare in each.
var (
	eras     = []string{"2025-06-18", "2025-11-25", "2026-07-28"}
	declares = []struct{ name, capabilities string }{
		{"none", `{}`},
		{"form", `{"elicitation":{}}`},
		{"url", `{"elicitation":{"url":{}}}`},
		{"tasks", `{"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`},
	}
	events = []string{"answered", "declined", "cancelled", "elsewhere", "client-dies", "hub-restarts"}
)

// rungs says how each waits: the ladder.
var rungs = map[string]string{
	"2025-06-18 none": "hold", "2025-06-18 form": "elicit", "2025-06-18 url": "elicit", "2025-06-18 tasks": "elicit",
	"2025-11-25 none": "hold", "2025-11-25 form": "elicit", "2025-11-25 url": "elicit", "2025-11-25 tasks": "elicit",
	"2026-07-28 none": "hold", "2026-07-28 form": "input", "2026-07-28 url": "input", "2026-07-28 tasks": "task",
}

// TestLadder: three eras, four ways to declare, six things that happen. Each
// leaves a transcript of the wire, and ends as it must.
func TestLadder(t *testing.T) {
	for _, era := range eras {
		for _, can := range declares {
			t.Run(era+" "+can.name, func(t *testing.T) {
				var got txtar.Archive
				for _, event := range events {
					t.Run(event, func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							l := newLadder(t, era, can.name, can.capabilities, event)
							l.run()
							got.Files = append(got.Files, txtar.File{Name: event, Data: l.transcript()})
						})
					})
				}
				compare(t, filepath.Join("testdata", "wire", era+"-"+can.name+".txtar"), txtar.Format(&got))
			})
		}
	}
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", name, got)
	}
}

// ladder is one cell of the table.
type ladder struct {
	t           *testing.T
	w           *world
	a           *agent
	era, event  string
	can, rung   string
	capabilites string
	start       time.Time
	lines       []line
}

type line struct {
	at   time.Duration
	mine bool
	text string
}

func newLadder(t *testing.T, era, declared, capabilities, event string) *ladder {
	l := &ladder{t: t, w: newWorld(t), era: era, event: event, can: declared, capabilites: capabilities, rung: rungs[era+" "+declared]}
	l.start = time.Now()
	l.a = l.connect("first")
	return l
}

func (l *ladder) connect(instance string) *agent {
	return l.w.connect(&mcp.Options{
		Hold: 40 * time.Second, Instance: instance, Origin: sayso.Origin{Conversation: "c", Workspace: "w"},
		Inbox: func() string { return "https://inbox.example" },
		Gone:  func(instance string) bool { return instance == "first" },
	})
}

func (l *ladder) meta() string {
	if l.era < "2026-07-28" {
		return `{"progressToken":"p"}`
	}
	return `{"io.modelcontextprotocol/protocolVersion":"` + l.era + `","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + l.capabilites + `,"progressToken":"p"}`
}

func (l *ladder) send(format string, args ...any) {
	l.t.Helper()
	text := fmt.Sprintf(format, args...)
	l.lines = append(l.lines, line{time.Since(l.start), true, text})
	l.a.send(text)
}

// receive returns the next message that is no sign of life.
func (l *ladder) receive() message {
	l.t.Helper()
	for {
		m := l.a.receive()
		l.lines = append(l.lines, line{time.Since(l.start), false, m.line})
		if m.Method != "notifications/progress" {
			return m
		}
	}
}

func (l *ladder) hello() {
	l.t.Helper()
	if l.era < "2026-07-28" {
		l.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s","capabilities":%s,"clientInfo":{"name":"test","version":"1"}}}`, l.era, l.capabilites)
		l.receive()
		l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
}

// call calls a tool; more is what else the parameters hold.
func (l *ladder) call(id int, tool, arguments, more string) {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s%s,"_meta":%s}}`, id, tool, arguments, more, l.meta())
}

func (l *ladder) run() {
	l.hello()
	l.call(1, "ask_user", database, "")
	switch l.rung {
	case "hold":
		l.hold()
	case "elicit":
		l.elicit()
	case "input":
		l.input()
	case "task":
		l.task()
	}
	l.a.out.Close()
	if err := <-l.a.done; err != nil {
		l.t.Error(err)
	}
}

const (
	sqlite   = "Which database?\nSQLite"
	declined = "[cancelled by user]"
	given    = 5 * time.Second
)

// person does in the hub what happens there.
func (l *ladder) person() {
	l.t.Helper()
	<-time.After(given)
	ctx := context.Background()
	switch l.event {
	case "declined", "cancelled":
		t := l.w.open()
		status := map[string]sayso.Status{"declined": sayso.StatusDeclined, "cancelled": sayso.StatusCancelled}[l.event]
		if _, err := l.w.client.Answer(ctx, t, &sayso.Outcome{Status: status}); err != nil {
			l.t.Error(err)
		}
	case "hub-restarts":
		l.w.stop()
		<-time.After(3 * time.Second)
		l.w.start()
		<-time.After(time.Second)
		l.w.answer("SQLite")
	default:
		l.w.answer("SQLite")
	}
}

// ends checks what the model reads in the end, and what the hub knows.
func (l *ladder) ends(m message, want string) {
	l.t.Helper()
	if len(m.Result.Content) != 1 || m.Result.Content[0].Text != want {
		l.t.Errorf("the model reads %+v, want %q", m.Result.Content, want)
	}
	page, err := l.w.client.List(context.Background(), &hub.Filter{Status: hub.AnyStatus})
	if err != nil || len(page.Tickets) != 1 {
		l.t.Fatalf("%d tickets, %v", len(page.Tickets), err)
	}
	t := page.Tickets[0]
	status := map[string]sayso.Status{"declined": sayso.StatusDeclined, "cancelled": sayso.StatusCancelled}[l.event]
	if status == "" {
		status = sayso.StatusAnswered
	}
	elsewhere := sayso.Responder{Kind: sayso.ByPerson, Surface: "mcp"}
	here := sayso.Responder{Kind: sayso.ByProgram, Surface: "mcp (test)"}
	if by := t.Outcome.By; t.Status() != status || t.Consumed.IsZero() || by != elsewhere && by != here || len(t.History) != 0 {
		l.t.Errorf("the hub has %s by %+v, consumed %s", t.Status(), by, t.Consumed)
	}
}

func (l *ladder) want() string {
	if l.event == "declined" || l.event == "cancelled" {
		return declined
	}
	return sqlite
}

// again is the next run of the agent, which asks the same.
func (l *ladder) again() {
	l.t.Helper()
	l.a = l.connect("second")
	l.hello()
	l.call(2, "ask_user", database, "")
	m := l.receive()
	if l.rung == "task" {
		l.ends(l.poll(m), sqlite)
		return
	}
	l.ends(m, "This is the answer to the same question, asked before:\n\n"+sqlite)
}

// dies ends the client; the person answers afterwards.
func (l *ladder) dies() {
	l.t.Helper()
	l.a.out.Close()
	if err := <-l.a.done; err != nil {
		l.t.Error(err)
	}
	l.lines = append(l.lines, line{time.Since(l.start), true, "(the client is gone; five seconds later the person answers)"})
	l.person()
	l.again()
}

func (l *ladder) hold() {
	if l.event == "client-dies" {
		l.w.open()
		l.dies()
		return
	}
	go l.person()
	l.ends(l.receive(), l.want())
}

// responds is what the person does in the client.
func (l *ladder) responds() string {
	switch l.event {
	case "declined":
		return `{"action":"decline"}`
	case "cancelled":
		return `{"action":"cancel"}`
	}
	return `{"action":"accept","content":{"question_0":"SQLite"}}`
}

func (l *ladder) elicit() {
	l.t.Helper()
	m := l.receive()
	if m.Method != "elicitation/create" {
		l.t.Fatalf("%+v", m)
	}
	id := string(m.ID)
	url := strings.Contains(string(m.Params), `"mode":"url"`)
	if (l.can == "url") != url {
		l.t.Errorf("asked by %s", m.Params)
	}
	switch {
	case l.event == "client-dies":
		l.dies()
		return
	case l.event == "elsewhere":
		go l.person()
		kinds := []string{}
		var end message
		for range 2 {
			m := l.receive()
			if kinds = append(kinds, m.Method); m.Method == "" {
				end = m
			}
		}
		if !slices.Contains(kinds, "notifications/cancelled") {
			l.t.Errorf("the form was not called back: %q", kinds)
		}
		l.ends(end, sqlite)
		return
	case url && (l.event == "answered" || l.event == "hub-restarts"):
		<-time.After(given)
		l.send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}}`, id)
		go l.person()
	case l.event == "hub-restarts":
		<-time.After(given)
		l.w.stop()
		l.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, l.responds())
		<-time.After(given)
		l.w.start()
	default:
		<-time.After(given)
		l.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, l.responds())
	}
	l.ends(l.receive(), l.want())
}

func (l *ladder) input() {
	l.t.Helper()
	m := l.receive()
	if m.Result.ResultType != "input_required" {
		l.t.Fatalf("%+v", m)
	}
	url := strings.Contains(m.line, `"mode":"url"`)
	if (l.can == "url") != url {
		l.t.Errorf("asked by %s", m.line)
	}
	response := l.responds()
	switch {
	case l.event == "client-dies":
		l.dies()
		return
	case l.event == "elsewhere":
		l.person()
		response = `{"action":"accept","content":{"question_0":"PostgreSQL"}}` // too late
	case url && (l.event == "answered" || l.event == "hub-restarts"):
		response = `{"action":"accept"}`
	case l.event == "hub-restarts":
		l.w.stop()
		l.w.start()
	}
	if l.event != "elsewhere" {
		<-time.After(given)
	}
	l.call(2, "ask_user", database, `,"requestState":"`+m.Result.RequestState+`","inputResponses":{"ask":`+response+`}`)
	if response == `{"action":"accept"}` { // the person goes to the page
		go l.person()
	}
	l.ends(l.receive(), l.want())
}

func (l *ladder) task() {
	l.t.Helper()
	m := l.receive()
	if m.Result.ResultType != "task" || m.Result.Status != "working" {
		l.t.Fatalf("%+v", m)
	}
	switch l.event {
	case "client-dies":
		l.dies()
		return
	case "cancelled": // by the client: that is what it has
		l.send(`{"jsonrpc":"2.0","id":3,"method":"tasks/cancel","params":{"taskId":"%s","_meta":%s}}`, m.Result.TaskID, l.meta())
		l.receive()
		l.send(`{"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"%s","_meta":%s}}`, m.Result.TaskID, l.meta())
		if m := l.receive(); m.Result.Status != "cancelled" {
			l.t.Errorf("%+v", m)
		}
		return
	}
	l.person()
	l.ends(l.poll(m), l.want())
}

// poll returns the result of a task as a message.
func (l *ladder) poll(m message) message {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"%s","_meta":%s}}`, m.Result.TaskID, l.meta())
	got := l.receive()
	if got.Result.Status != "completed" {
		l.t.Fatalf("%+v", got)
	}
	var end message
	if err := json.Unmarshal([]byte(`{"result":`+string(got.Result.Result)+`}`), &end); err != nil {
		l.t.Fatal(err)
	}
	return end
}

var secrets = regexp.MustCompile(`"requestState":"[^"]*"`)

// transcript is what went over the wire. What the server says in one instant has
// no order.
func (l *ladder) transcript() []byte {
	slices.SortStableFunc(l.lines, func(a, b line) int {
		if a.at != b.at || a.mine || b.mine {
			return int(a.at - b.at)
		}
		return strings.Compare(a.text, b.text)
	})
	var b bytes.Buffer
	for _, one := range l.lines {
		mark := "server"
		if one.mine {
			mark = "client"
		}
		at := fmt.Sprintf("%6.1fs", one.at.Seconds())
		if l.event == "hub-restarts" {
			at = "      –" // who lost a hub comes back after a random pause
		}
		fmt.Fprintf(&b, "%s %s %s\n", at, mark, secrets.ReplaceAllString(one.text, `"requestState":"…"`))
	}
	return b.Bytes()
}
