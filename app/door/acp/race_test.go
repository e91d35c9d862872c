package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/acp"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/hub"
)

// asked is an editor that takes forms, an agent that has asked in it, and a hub.
func asked(t *testing.T, h hub.Asker) (editor, agent *program) {
	editor, agent, _ = between(t, h, nil)
	editor.send(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientCapabilities":{"elicitation":{"form":{}}}}}`)
	synctest.Wait()
	agent.send(t, `{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"form","sessionId":"ses_1","toolCallId":"toolu_1","message":"Which database?","requestedSchema":{"type":"object","properties":{"question_0":{"type":"string"}}}}}`)
	synctest.Wait()
	agent.received()
	editor.received()
	return editor, agent
}

const sqlite = `{"jsonrpc":"2.0","id":"sayso-1","result":{"action":"accept","content":{"question_0":"SQLite"}}}`

// demanding is a hub that requires a stronger sign-in than an editor has.
type demanding struct{ hub.Asker }

func (d demanding) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	c := a.Clone()
	c.MinAssurance = sayso.AssuranceLogin
	return d.Asker.Submit(ctx, c)
}

// TestRefused: a question whose answer the hub refused stays open, the person is
// told, and it is withdrawn when the agent calls it off.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		editor, agent := asked(t, demanding{w.Client("editor")})
		editor.send(t, sqlite)
		synctest.Wait()
		if said := strings.Join(editor.received(), "\n"); !strings.Contains(said, "Your answer was not taken") || !strings.Contains(said, "sayso inbox") {
			t.Errorf("the person was told %q", said)
		}
		if got := agent.received(); len(got) > 0 || !w.Find("Which database?").Open() {
			t.Errorf("it is over: %q", got)
		}
		agent.send(t, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`)
		synctest.Wait()
		if now := w.Find("Which database?"); now.Status() != sayso.StatusCancelled {
			t.Errorf("the agent called it off, and it is %s", now.Status())
		}
	})
}

// forgetful is a hub that once had the ask in memory only.
type forgetful struct {
	hub.Asker
	submitted, relayed int
}

func (f *forgetful) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	f.submitted++
	return f.Asker.Submit(ctx, a)
}

func (f *forgetful) Relay(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	if f.relayed++; f.relayed == 1 {
		return nil, hub.ErrNotFound
	}
	return f.Asker.Relay(ctx, t, o)
}

// TestForgotten: what was said in the editor is not lost with the hub's memory.
func TestForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		h := &forgetful{Asker: w.Client("editor")}
		editor, agent := asked(t, h)
		editor.send(t, sqlite)
		synctest.Wait()
		if now := w.Find("Which database?"); now.Status() != sayso.StatusAnswered || h.submitted != 2 {
			t.Errorf("submitted %d times, it is %s", h.submitted, now.Status())
		}
		if got := agent.received(); len(got) != 1 || !strings.Contains(got[0], "SQLite") {
			t.Errorf("the agent was told %q", got)
		}
	})
}

// TestChangedLater: the agent has the answer and was prompted since. If the person then
// changes it, or asks again, the agent is told with its next prompt.
func TestChangedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		c := w.Client("editor")
		editor, agent := asked(t, c)
		w.Say("Which database?", "SQLite")
		synctest.Wait()
		agent.received()
		wantTold := func(text string) {
			t.Helper()
			time.Sleep(time.Minute)
			editor.send(t, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"ses_1","prompt":[{"type":"text","text":"go on"}]}}`)
			synctest.Wait()
			if got := strings.Join(agent.received(), "\n"); !strings.Contains(got, text) || text == "" && strings.Contains(got, "The user has") {
				t.Errorf("the agent is prompted with %s, want %q", got, text)
			}
		}
		wantTold("")
		was := w.Find("Which database?")
		o := *was.Outcome
		o.Answers = []sayso.Answer{{QuestionID: o.Answers[0].QuestionID, Other: "MySQL"}}
		if _, err := c.Amend(t.Context(), was, &o); err != nil {
			t.Fatal(err)
		}
		wantTold("MySQL")
		wantTold("")
		again, err := c.Inbox().(hub.Desk).AskAgain(t.Context(), w.Find("Which database?"))
		if err != nil {
			t.Fatal(err)
		}
		o.Answers[0].Other = "DuckDB"
		if _, err := c.Answer(t.Context(), again, &o); err != nil {
			t.Fatal(err)
		}
		wantTold("DuckDB")
		wantTold("")
	})
}

// TestResolverInHub: a Go agent gets the answer of whoever is first, an editor that
// cannot answer is left out, and an ask whose agent has gone stays open.
func TestResolverInHub(t *testing.T) {
	type reply struct {
		o   *sayso.Outcome
		err error
	}
	ask := func(ctx context.Context, r *acp.Resolver, a *sayso.Ask) chan reply {
		done := make(chan reply, 1)
		go func() {
			o, err := r.Ask(ctx, a)
			done <- reply{o, err}
		}()
		synctest.Wait()
		return done
	}
	editorSays := func(said string) caller {
		return func(ctx context.Context) (json.RawMessage, error) {
			if said == "" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return json.RawMessage(said), nil
		}
	}
	const question = "Which framework do you prefer?"
	for name, tc := range map[string]struct {
		editor string
		change func(*sayso.Ask)
		by     string
	}{
		"the editor is first":   {`{"action":"accept","content":{"question_0":"Vue"}}`, nil, "editor"},
		"another surface is":    {"", nil, "web"},
		"not in an editor":      {`{"action":"accept","content":{"question_0":"React"}}`, func(a *sayso.Ask) { a.Questions[0].Body = strings.Repeat("x", 9000) }, "web"},
		"blank forms":           {`{"action":"accept","content":{}}`, nil, "web"},
		"forms nobody can read": {`{"action":"accept","content":{"question_0":7}}`, nil, "web"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := hubfake.New(t)
				a := twoQuestions()
				if tc.change != nil {
					tc.change(a)
				}
				done := ask(t.Context(), &acp.Resolver{Hub: w.Client("agent"), Forms: editorSays(tc.editor)}, a)
				if tc.by == "web" {
					w.Say(question, "Vue")
				}
				got := <-done
				if got.err != nil || got.o.By.Surface != tc.by || got.o.Answers[0].Selected[0] != "o2" {
					t.Errorf("got %+v, %v", got.o, got.err)
				}
				if now := w.Find(question); now.Outcome.By.Surface != tc.by || now.Consumed.IsZero() {
					t.Errorf("the hub has %+v", now.Outcome)
				}
			})
		})
	}
	t.Run("the agent goes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := hubfake.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			done := ask(ctx, &acp.Resolver{Hub: w.Client("agent"), Forms: editorSays("")}, twoQuestions())
			cancel()
			if got := <-done; !errors.Is(got.err, context.Canceled) || !w.Find(question).Open() {
				t.Errorf("got %+v, %v", got.o, got.err)
			}
		})
	})
	t.Run("nobody", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := hubfake.New(t)
			w.Stop()
			done := ask(t.Context(), &acp.Resolver{Hub: w.Client("agent")}, twoQuestions())
			if got := <-done; !errors.Is(got.err, sayso.ErrUnreachable) {
				t.Errorf("got %+v, %v", got.o, got.err)
			}
		})
	})
}

// caller is an editor that replies the same to every form.
type caller func(ctx context.Context) (json.RawMessage, error)

func (c caller) Call(ctx context.Context, _ string, _ any) (json.RawMessage, error) { return c(ctx) }
