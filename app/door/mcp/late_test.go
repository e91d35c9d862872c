package mcp_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/hub"
)

const colour = `{"questions":[{"question":"Which colour?","options":[{"label":"Red"},{"label":"Blue"}]}]}`

// TestLate: a call dies, the person answers five seconds later, and the agent
// gets the answer once, by each of the ways that docs/explanation/late-answers.md names.
func TestLate(t *testing.T) {
	origin := sayso.Origin{Conversation: "c"}
	t.Run("the next call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			a := w.connect(&mcp.Options{Origin: origin})
			a.initialize("2025-11-25", `{}`)
			a.send(callTool("1", "ask_user", database))
			a.receive() // a sign of life
			handle := w.open().Handle
			a.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"timed out"}}`)
			a.receive() // the error, which the client ignores
			<-time.After(5 * time.Second)
			w.answer("SQLite")
			for i, want := range []int{2, 1, 1} {
				a.send(callTool("2", "ask_user_async", strings.Replace(colour, "Which", "Which "+strings.Repeat("very ", i), 1)))
				m := a.receive()
				if len(m.Result.Content) != want {
					t.Errorf("call %d: %s", i, m.line)
				}
				if want == 2 && !strings.HasSuffix(m.Result.Content[1].Text, "\n\nWhich database?\nSQLite") {
					t.Errorf("told as %q", m.Result.Content[1].Text)
				}
			}
			if got, err := w.client.Get(context.Background(), handle); err != nil || got.Consumed.IsZero() {
				t.Errorf("the hub was not told: %v", err)
			}
		})
	})
	t.Run("an answer that is changed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			a := w.connect(&mcp.Options{Origin: origin})
			a.initialize("2025-11-25", `{}`)
			a.send(callTool("1", "ask_user", database))
			a.receive() // a sign of life
			w.answer("SQLite")
			told := a.receive()
			if len(told.Result.Content) != 1 {
				t.Fatalf("told: %s", told.line)
			}
			page, err := w.client.List(t.Context(), &hub.Filter{Status: hub.AnyStatus})
			if err != nil || len(page.Tickets) != 1 {
				t.Fatal(page, err)
			}
			closed := page.Tickets[0]
			o := *closed.Outcome
			o.Answers = []sayso.Answer{{QuestionID: o.Answers[0].QuestionID, Other: "Neither"}}
			if _, err := w.client.Amend(t.Context(), closed, &o); err != nil {
				t.Fatal(err)
			}
			for i, want := range []int{2, 1} {
				a.send(callTool("2", "ask_user_async", strings.Replace(colour, "Which", "Which "+strings.Repeat("very ", i), 1)))
				m := a.receive()
				if len(m.Result.Content) != want {
					t.Errorf("call %d: %s", i, m.line)
				}
				if want == 2 && (!strings.HasPrefix(m.Result.Content[1].Text, "Meanwhile the user has changed the answer to a question that you asked before. This one replaces it (handle ") || !strings.HasSuffix(m.Result.Content[1].Text, "Neither")) {
					t.Errorf("told as %q", m.Result.Content[1].Text)
				}
			}
		})
	})
	t.Run("a question that is asked again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			a, stranger := w.connect(&mcp.Options{Origin: origin}), w.connect(&mcp.Options{Origin: origin})
			for _, one := range []*agent{a, stranger} {
				one.initialize("2025-11-25", `{}`)
			}
			a.send(callTool("1", "ask_user", database))
			a.receive() // a sign of life
			asked := w.open()
			w.answer("SQLite")
			a.receive()
			desk, ok := w.client.Inbox().(hub.Desk)
			if !ok {
				t.Fatal("the client has no desk")
			}
			if _, err := desk.AskAgain(t.Context(), asked); err != nil {
				t.Fatal(err)
			}
			for i, step := range []struct {
				agent *agent
				want  int
			}{{a, 1}, {stranger, 1}, {a, 2}, {a, 1}} {
				if i == 1 {
					w.answerAny("PostgreSQL")
				}
				step.agent.send(callTool("2", "ask_user_async", strings.Replace(colour, "Which", "Which "+strings.Repeat("very ", i), 1)))
				m := step.agent.receive()
				if len(m.Result.Content) != step.want {
					t.Errorf("call %d: %s", i, m.line)
				}
				if step.want == 2 && !strings.HasSuffix(m.Result.Content[1].Text, "\n\nWhich database?\nPostgreSQL") {
					t.Errorf("told as %q", m.Result.Content[1].Text)
				}
			}
		})
	})
	t.Run("the next run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			alive := map[string]bool{"first": true, "stranger": true}
			gone := func(instance string) bool { return !alive[instance] }
			run := func(instance, conversation string) *agent {
				a := w.connect(&mcp.Options{Origin: sayso.Origin{Conversation: conversation}, Instance: instance, Gone: gone})
				a.initialize("2025-11-25", `{}`)
				return a
			}
			first, stranger := run("first", "c"), run("stranger", "c")
			stranger.send(callTool("1", "ask_user_async", colour))
			stranger.receive()
			red := w.open()
			first.send(callTool("1", "ask_user", database))
			first.receive()
			synctest.Wait()
			first.out.Close()
			<-first.done
			alive["first"] = false
			<-time.After(5 * time.Second)
			for _, name := range []string{"SQLite", "Red"} {
				w.answerAny(name)
			}
			another := run("third", "elsewhere") // of another conversation
			another.send(callTool("1", "check_answer", `{"handle":"nonsense"}`))
			if m := another.receive(); len(m.Result.Content) != 1 {
				t.Errorf("another conversation is told: %s", m.line)
			}
			second := run("second", "c")
			for _, want := range []int{2, 1} {
				second.send(callTool("1", "ask_user_async", strings.Replace(colour, "Which", strings.Repeat("x", want), 1)))
				m := second.receive()
				if len(m.Result.Content) != want || want == 2 && !strings.Contains(m.Result.Content[1].Text, "SQLite") {
					t.Errorf("want %d: %s", want, m.line)
				}
			}
			// What a program that lives has asked is its own.
			stranger.send(callTool("2", "check_answer", `{"handle":"`+red.Handle+`"}`))
			if m := stranger.receive(); len(m.Result.Content) != 1 || m.Result.Content[0].Text != "Which colour?\nRed" {
				t.Errorf("the other program reads %s", m.line)
			}
		})
	})
	t.Run("a run that ends meanwhile", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			var ends atomic.Uint64
			run := func(instance string) *agent {
				a := w.connect(&mcp.Options{
					Origin: sayso.Origin{Conversation: "c"}, Instance: instance,
					Gone: func(string) bool { return ends.Load() > 0 }, Ends: ends.Load,
				})
				a.initialize("2025-11-25", `{}`)
				return a
			}
			first, second := run("first"), run("second")
			first.send(callTool("1", "ask_user_async", database))
			first.receive()
			w.answerAny("SQLite")
			for _, want := range []int{1, 2, 1} {
				second.send(callTool("1", "check_answer", `{"handle":"nonsense"}`))
				if m := second.receive(); len(m.Result.Content) != want {
					t.Errorf("with %d ends, want %d: %s", ends.Load(), want, m.line)
				}
				ends.Store(1)
			}
		})
	})
}

// TestUnseen: what a program says by itself is not a person's decision. The ask
// stays open, the call is held, and the program is not sent forms again.
func TestUnseen(t *testing.T) {
	for _, action := range []string{"decline", "cancel"} {
		synctest.Test(t, func(t *testing.T) {
			w, l := modernLadder(t)
			l.call(1, "ask_user", database, "")
			m := l.receive()
			l.call(2, "ask_user", database, `,"requestState":"`+m.Result.RequestState+`","inputResponses":{"ask":{"action":"`+action+`"}}`)
			m = l.receive()
			if m.Result.Meta["sayso/status"] != "pending" || time.Since(l.start) != 30*time.Second || !strings.Contains(m.Result.Content[0].Text, "could not show it") {
				t.Errorf("%s after %s: %s", action, time.Since(l.start), m.line)
			}
			if !w.open().Open() {
				t.Error("the ask is closed")
			}
			go func() {
				<-time.After(time.Second)
				w.answer("SQLite")
			}()
			l.call(3, "ask_user", database, "") // the same: taken on, and no form
			if m = l.receive(); m.Result.Content[0].Text != sqlite {
				t.Errorf("then: %s", m.line)
			}

			b := w.connect(&mcp.Options{Hold: 30 * time.Second})
			b.initialize("2025-06-18", `{"elicitation":{}}`)
			b.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":` + colour + `}}`)
			form := b.receive()
			b.send(`{"jsonrpc":"2.0","id":` + string(form.ID) + `,"result":{"action":"` + action + `"}}`)
			if m := b.receive(); m.Result.Meta["sayso/status"] != "pending" {
				t.Errorf("older, %s: %s", action, m.line)
			}
		})
	}
}

// TestWrong: what does not fit the questions is not taken, and asked again a few
// times.
func TestWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, l := modernLadder(t)
		l.call(1, "ask_user", database, "")
		m := l.receive()
		first := m.Result.RequestState
		for i := range 6 {
			<-time.After(5 * time.Second)
			l.call(2+i, "ask_user", database, `,"requestState":"`+m.Result.RequestState+`","inputResponses":{"ask":{"action":"accept","content":{"question_0":"MySQL"}}}`)
			m = l.receive()
			if want := "input_required"; i < 5 && (m.Result.ResultType != want || !strings.Contains(m.line, "This did not fit the questions: ")) {
				t.Errorf("round %d: %s", i, m.line)
			}
		}
		if m.Result.Meta["sayso/status"] != "pending" {
			t.Errorf("in the end: %s", m.line)
		}
		// Every state is used up, and none is good for another call.
		for _, c := range []struct{ name, arguments, state string }{
			{"used", database, first},
			{"made up", database, "AAAA"},
		} {
			l.call(9, "ask_user", c.arguments, `,"requestState":"`+c.state+`","inputResponses":{"ask":{"action":"accept","content":{"question_0":"SQLite"}}}`)
			if m := l.receive(); m.Error == nil || m.Error.Code != -32602 {
				t.Errorf("%s: %s", c.name, m.line)
			}
		}
		if !w.open().Open() {
			t.Error("one of them closed the ask")
		}
	})
}

// TestUnaskedInput: input that comes without a state is passed over, and the
// question is asked; it is no answer, whatever it says.
func TestUnaskedInput(t *testing.T) {
	for _, input := range []string{
		`{"ask":{"action":"accept","content":{"question_0":"SQLite"}}}`,
		`{"ask":{"action":"decline"}}`,
		`{"ask":{"action":"accept","content":{"question_0":"SQLite"}},"more":{"action":"accept","content":{"x":1}}}`,
		`{"wrong":{"action":"accept","content":{"question_0":"SQLite"}}}`,
	} {
		for _, state := range []string{"", `"requestState":"",`} {
			synctest.Test(t, func(t *testing.T) {
				w, l := modernLadder(t)
				l.call(1, "ask_user", database, `,`+state+`"inputResponses":`+input)
				m := l.receive()
				if m.Result.ResultType != "input_required" || m.Result.RequestState == "" {
					t.Fatalf("%s: %s", input, m.line)
				}
				if !w.open().Open() {
					t.Fatalf("%s closed the ask", input)
				}
				<-time.After(5 * time.Second)
				l.call(2, "ask_user", database, `,"requestState":"`+m.Result.RequestState+`","inputResponses":{"ask":{"action":"accept","content":{"question_0":"SQLite"}}}`)
				if m := l.receive(); m.Result.Content[0].Text != sqlite {
					t.Errorf("then: %s", m.line)
				}
			})
		}
	}
}

// TestMissingInput: who comes back without the input is asked for it again, a few
// times, and then waits.
func TestMissingInput(t *testing.T) {
	for _, input := range []string{`{}`, `{"wrong":{"action":"accept","content":{"question_0":"SQLite"}}}`} {
		synctest.Test(t, func(t *testing.T) {
			w, l := modernLadder(t)
			l.call(1, "ask_user", database, "")
			m := l.receive()
			for i := range 5 {
				last := m.Result.RequestState
				l.call(2+i, "ask_user", database, `,"requestState":"`+last+`","inputResponses":`+input)
				m = l.receive()
				if m.Result.ResultType != "input_required" || m.Result.RequestState == last || strings.Contains(m.line, "did not fit") {
					t.Fatalf("round %d: %s", i, m.line)
				}
			}
			l.call(7, "ask_user", database, `,"requestState":"`+m.Result.RequestState+`","inputResponses":`+input)
			if m = l.receive(); m.Result.Meta["sayso/status"] != "pending" || time.Since(l.start) != 30*time.Second {
				t.Errorf("in the end, after %s: %s", time.Since(l.start), m.line)
			}
			if !w.open().Open() {
				t.Error("the ask is closed")
			}
		})
	}
}

// answerAny answers the open ask that has the option.
func (w *world) answerAny(option string) {
	w.t.Helper()
	page, err := w.client.List(context.Background(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, t := range page.Tickets {
		for _, o := range t.Ask.Questions[0].Options {
			if o.Label == option {
				out := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Selected: []string{o.ID}}}}
				if _, err := w.client.Answer(context.Background(), t, out); err != nil {
					w.t.Fatal(err)
				}
				return
			}
		}
	}
	w.t.Fatalf("no open ask has an option %q", option)
}

// modernLadder is a program of the newest era that can show forms, and holds its calls for 30 s.
func modernLadder(t *testing.T) (*world, *ladder) {
	w := newWorld(t)
	l := &ladder{t: t, w: w, era: "2026-07-28", capabilites: `{"elicitation":{}}`, start: time.Now()}
	l.a = w.connect(&mcp.Options{Hold: 30 * time.Second})
	return w, l
}
