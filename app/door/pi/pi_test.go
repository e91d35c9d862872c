package pi_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/app/door/pi"
	"github.com/saysohq/sayso/hub"
)

type object = map[string]any

// extension is what runs inside pi: it calls, and shows dialogs to somebody who follows
// a script. Whoever has no answer left leaves the dialog open until it is closed.
type extension struct {
	*hubfake.World
	t    *testing.T
	in   *io.PipeWriter
	done chan error

	mu      sync.Mutex
	script  []any // a text: chosen or typed; nil: Esc
	titles  []string
	choices [][]string
	calls   map[int]chan object
	open    []float64 // dialogs that are open
	last    int
}

func at(t *testing.T, do func(x *extension)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		x := &extension{World: hubfake.New(t), t: t, done: make(chan error, 1), calls: map[int]chan object{}}
		in, toServe := io.Pipe()
		fromServe, out := io.Pipe()
		x.in = toServe
		go func() {
			x.done <- pi.Serve(t.Context(), x.Client("pi"), in, out, &bridge.Options{Host: "pi"})
			out.Close()
		}()
		go x.read(fromServe)
		do(x)
		x.in.Close()
		if err := <-x.done; err != nil {
			t.Error(err)
		}
	})
}

func (x *extension) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     *float64
			Method string
			Params struct {
				Kind, Title string
				Options     []string
			}
			Result object
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			x.t.Error(err)
		}
		x.mu.Lock()
		switch {
		case m.Method == "" && m.Error != nil:
			x.calls[int(*m.ID)] <- object{"error": m.Error.Message}
		case m.Method == "":
			x.calls[int(*m.ID)] <- m.Result
		case m.Method == "dialog":
			x.titles, x.choices = append(x.titles, m.Params.Title), append(x.choices, m.Params.Options)
			if len(x.script) == 0 {
				x.open = append(x.open, *m.ID)
				break
			}
			said := x.script[0]
			x.script = x.script[1:]
			go x.send(object{"id": *m.ID, "result": object{"value": said}})
		case m.Method == "close":
			for _, id := range x.open {
				go x.send(object{"id": id, "error": object{"code": 1, "message": "closed"}})
			}
			x.open = nil
		}
		x.mu.Unlock()
	}
}

func (x *extension) send(m object) {
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		x.t.Error(err)
	}
	x.in.Write(append(b, '\n')) // it may have ended
}

// call calls, and returns where the result comes.
func (x *extension) call(method string, params object) chan object {
	params["session"], params["call"] = "s", "c"+strconv.Itoa(x.last)
	reply := make(chan object, 1)
	x.mu.Lock()
	x.last++
	id := x.last
	x.calls[id] = reply
	x.mu.Unlock()
	x.send(object{"id": id, "method": method, "params": params})
	return reply
}

const question = "Which database?"

func asks(more string) object {
	return object{"ui": true, "arguments": json.RawMessage(`{"questions":[{"question":"` + question + `","options":[{"label":"PostgreSQL"},{"label":"SQLite","description":"a file"}]` + more + `}]}`)}
}

// TestQuestion: what is chosen in pi's dialogs is the answer, and the hub has it.
func TestQuestion(t *testing.T) {
	several := `,"multiSelect":true`
	for name, c := range map[string]struct {
		call   object
		script []any
		text   string
		status sayso.Status
	}{
		"chosen":    {asks(""), []any{"2. SQLite: a file"}, `{"answered":true,"answers":[{"question":"Which database?","answer":"SQLite","selectedOption":"SQLite","wasCustom":false}]}`, sayso.StatusAnswered},
		"own words": {asks(""), []any{"Answer in your own words", "none"}, `{"answered":true,"answers":[{"question":"Which database?","answer":"none","wasCustom":true}]}`, sayso.StatusAnswered},
		"several": {asks(several), []any{"1. [ ] PostgreSQL", "2. [ ] SQLite: a file", "1. [x] PostgreSQL", "Answer in your own words", "more", "Done"},
			`{"answered":true,"answers":[{"question":"Which database?","answer":["SQLite","more"],"wasCustom":true}]}`, sayso.StatusAnswered},
		"escape": {asks(""), []any{nil}, `{"answered":false,"answers":[],"cancelled":true}`, sayso.StatusCancelled},
		"words":  {object{"ui": true, "arguments": json.RawMessage(`{"question":"` + question + `"}`)}, []any{"SQLite"}, `{"answered":true,"answers":[{"question":"Which database?","answer":"SQLite","wasCustom":true}]}`, sayso.StatusAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(x *extension) {
				x.script = c.script
				r := <-x.call("ask", c.call)
				if r["text"] != c.text {
					t.Errorf("pi is told %v", r["text"])
				}
				synctest.Wait()
				got := x.All()[0]
				if got.Open() || got.Status() != c.status || got.Outcome.By.Surface != "pi" || got.Outcome.By.Kind != sayso.ByProgram {
					t.Errorf("the hub has %+v", got.Outcome)
				}
			})
		})
	}
}

// TestInbox: an answer from elsewhere closes pi's dialog; without dialogs it is the only
// one; a dialog that pi closes by itself, or that says nonsense, is no answer.
func TestInbox(t *testing.T) {
	for name, c := range map[string]struct {
		ui     bool
		script []any
		shown  int
	}{
		"open": {true, nil, 1}, "none": {false, nil, 0}, "nonsense": {true, []any{"7. Oracle"}, 1}, "empty": {true, []any{""}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(x *extension) {
				x.script = c.script
				call := asks("")
				call["ui"] = c.ui
				reply := x.call("ask", call)
				synctest.Wait()
				if len(x.titles) != c.shown || !x.All()[0].Open() {
					t.Errorf("%d dialogs, %+v", len(x.titles), x.All()[0].Outcome)
				}
				x.Say(question, "SQLite")
				if r := <-reply; !strings.Contains(r["text"].(string), `"answer":"SQLite"`) {
					t.Errorf("pi is told %v", r)
				}
				synctest.Wait()
				if len(x.open) > 0 {
					t.Error("the dialog stays open")
				}
			})
		})
	}
}

// TestTwo: pi has room for one dialog, so the second one waits until the first is gone.
func TestTwo(t *testing.T) {
	at(t, func(x *extension) {
		first := x.call("ask", asks(""))
		synctest.Wait()
		second := x.call("ask", object{"ui": true, "arguments": json.RawMessage(`{"question":"Really?"}`)})
		synctest.Wait()
		if len(x.open) != 1 || len(x.All()) != 2 {
			t.Errorf("%d dialogs at once, %d questions", len(x.open), len(x.All()))
		}
		x.Say(question, "SQLite")
		<-first
		synctest.Wait()
		if len(x.open) != 1 || x.titles[1] != "Really?" {
			t.Errorf("%d dialogs are open: %q", len(x.open), x.titles)
		}
		x.Say("Really?", "yes")
		<-second
	})
}

// TestEnds: an interrupted call is withdrawn; one of a session that ends stays open, and
// its answer comes with the next prompt; a call that cannot be asked is an error.
func TestEnds(t *testing.T) {
	t.Run("interrupted", func(t *testing.T) {
		at(t, func(x *extension) {
			reply := x.call("ask", asks(""))
			synctest.Wait()
			x.send(object{"method": "drop", "params": object{"session": "s", "call": "c0"}})
			if r := <-reply; r["error"] == nil {
				t.Errorf("pi is told %v", r)
			}
			synctest.Wait()
			if got := x.All()[0]; got.Status() != sayso.StatusCancelled || got.Outcome.By.Kind != sayso.ByAsker {
				t.Errorf("the hub has %+v", got.Outcome)
			}
		})
	})
	t.Run("late", func(t *testing.T) {
		at(t, func(x *extension) {
			x.call("ask", asks(""))
			synctest.Wait()
			x.in.Close()
			<-x.done
			x.Say(question, "SQLite")
			<-time.After(time.Minute)
			x.again()
			for _, want := range []string{"chose SQLite", ""} {
				if r := <-x.call("late", object{}); !strings.Contains(r["text"].(string), want) || want == "" && r["text"] != "" {
					t.Errorf("the model is told %v", r)
				}
			}
		})
	})
	t.Run("malformed", func(t *testing.T) {
		at(t, func(x *extension) {
			if r := <-x.call("ask", object{"arguments": json.RawMessage(`{"questions":[]}`)}); r["isError"] != true {
				t.Errorf("pi is told %v", r)
			}
			if r := <-x.call("dance", object{}); r["error"] == nil {
				t.Errorf("pi is told %v", r)
			}
		})
	})
}

// again starts the program again.
func (x *extension) again() {
	synctest.Wait()
	in, toServe := io.Pipe()
	fromServe, out := io.Pipe()
	x.in = toServe
	go func() {
		x.done <- pi.Serve(x.t.Context(), x.Client("pi"), in, out, &bridge.Options{Host: "pi"})
		out.Close()
	}()
	go x.read(fromServe)
}

// decide decides in the inbox.
func (x *extension) decide(offer, words, input string) {
	x.t.Helper()
	synctest.Wait()
	i := slices.IndexFunc(x.All(), (*hub.Ticket).Open)
	if i < 0 {
		x.t.Fatal("nothing is open")
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}, Note: words, Input: input}}}
	if _, err := x.Client("inbox").Answer(x.t.Context(), x.All()[i], o); err != nil {
		x.t.Fatal(err)
	}
}

// TestPermit: a tool runs after an explicit decision only, and as it was decided.
func TestPermit(t *testing.T) {
	bash := object{"ui": true, "tool": "bash", "input": object{"command": "make"}}
	for name, c := range map[string]struct {
		call    object
		script  []any
		decide  []string
		want    string
		dialogs int
	}{
		"allowed here":    {bash, []any{"Allow once"}, nil, `{}`, 1},
		"denied here":     {bash, []any{"Deny"}, nil, `{"block":true,"reason":"The user denied this request."}`, 1},
		"with words":      {bash, []any{"Deny, and tell the agent why", "not now"}, nil, `{"block":true,"reason":"not now"}`, 2},
		"escape":          {bash, []any{nil}, []string{"allow", "", ""}, `{}`, 1},
		"nonsense":        {bash, []any{"Allow always"}, []string{"deny", "", ""}, `{"block":true,"reason":"The user denied this request."}`, 1},
		"allowed there":   {bash, nil, []string{"allow", "", ""}, `{}`, 1},
		"changed there":   {bash, nil, []string{"allow", "", `{"command":"make test"}`}, `{"input":{"command":"make test"}}`, 1},
		"changed badly":   {bash, nil, []string{"allow", "", `[1]`}, `{"block":true,"reason":"The user allowed this with a changed input that cannot be used, so it did not run."}`, 1},
		"stopped there":   {bash, nil, []string{"stop", "enough", ""}, `{"block":true,"reason":"enough","stop":true}`, 1},
		"without dialogs": {object{"tool": "bash", "input": object{"command": "make"}}, nil, []string{"deny", "", ""}, `{"block":true,"reason":"The user denied this request."}`, 0},
		"too long":        {object{"ui": true, "tool": "bash", "input": object{"command": strings.Repeat("make\n", 40)}}, []any{"Allow once"}, []string{"deny", "", ""}, `{"block":true,"reason":"The user denied this request."}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(x *extension) {
				x.script = c.script
				call := object{}
				for k, v := range c.call {
					call[k] = v
				}
				reply := x.call("permit", call)
				if c.decide != nil {
					x.decide(c.decide[0], c.decide[1], c.decide[2])
				}
				got, err := json.Marshal(<-reply)
				if err != nil || string(got) != c.want {
					t.Errorf("pi is told %s", got)
				}
				if len(x.titles) != c.dialogs {
					t.Errorf("dialogs %q", x.titles)
				}
				if c.dialogs > 0 && slices.Contains(x.choices[0], "Allow once") != strings.Contains(x.titles[0], "make") {
					t.Errorf("it offers %q for %q", x.choices[0], x.titles[0])
				}
				synctest.Wait()
				if x.All()[0].Open() {
					t.Error("it is still open")
				}
			})
		})
	}
}

// TestUndecided: a request that is closed without a decision does not run.
func TestUndecided(t *testing.T) {
	for _, ui := range []bool{false, true} {
		at(t, func(x *extension) {
			x.script = []any{nil}
			reply := x.call("permit", object{"ui": ui, "tool": "bash", "input": object{"command": "make"}})
			synctest.Wait()
			if _, err := x.Client("inbox").Answer(x.t.Context(), x.All()[0], &sayso.Outcome{Status: sayso.StatusDeclined}); err != nil {
				t.Fatal(err)
			}
			if r := <-reply; r["block"] != true || r["reason"] != "Nobody decided about this request, so it did not run." {
				t.Errorf("pi is told %v", r)
			}
		})
	}
}

// TestFiles: edits are shown as diffs, and a file that changed after it was shown is
// not edited, wherever it was allowed.
func TestFiles(t *testing.T) {
	for name, script := range map[string][]any{"there": nil, "here": {"Allow once"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "a.txt")
			write := func(s string) {
				if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("one\ntwo\n")
			at(t, func(x *extension) {
				edit := object{"ui": true, "dir": dir, "tool": "edit", "input": object{"path": "a.txt", "edits": []object{{"oldText": "two", "newText": "TWO"}}}}
				reply := x.call("permit", edit)
				synctest.Wait()
				p := x.All()[0].Ask.Approval
				if len(p.Files) != 1 || p.Files[0].Added != 1 || p.Files[0].Removed != 1 || !strings.Contains(x.titles[0], "+TWO") {
					t.Errorf("shown is %+v and %q", p.Files, x.titles)
				}
				write("ONE\ntwo\n")
				if script == nil {
					x.decide("allow", "", "")
				} else {
					x.mu.Lock()
					go x.send(object{"id": x.open[0], "result": object{"value": script[0]}})
					x.open = nil
					x.mu.Unlock()
				}
				if r := <-reply; r["block"] != true || !strings.Contains(r["reason"].(string), "changed after it was shown") {
					t.Errorf("pi is told %v", r)
				}
			})
		})
	}
}
