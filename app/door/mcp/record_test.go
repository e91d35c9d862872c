package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// only returns the one ask that there is, as the hub has it.
func (w *world) only() *hub.Ticket {
	w.t.Helper()
	page, err := w.hub.List(context.Background(), "t", &hub.Filter{Status: hub.AnyStatus})
	if err != nil || len(page.Tickets) != 1 {
		w.t.Fatalf("%+v, %v", page, err)
	}
	return page.Tickets[0]
}

// TestRecord: what a client replies by itself is stored as a program's, and the hub
// has what the model was told, with the key of an asker and on one's own machine, in
// every version of the protocol, and for tasks.
func TestRecord(t *testing.T) {
	replies := []struct {
		reply  string
		status sayso.Status
	}{
		{`{"action":"accept","content":{"question_0":"SQLite"}}`, sayso.StatusAnswered},
		{`{"action":"accept","content":{"question_0_custom":" my  own "}}`, sayso.StatusAnswered},
		{`{"action":"decline"}`, sayso.StatusDeclined},
		{`{"action":"cancel"}`, sayso.StatusCancelled},
	}
	for role, name := range map[auth.Role]string{auth.Asker: "an asker's key", auth.Everything: "the local socket"} {
		for _, era := range append(eras, "tasks") {
			t.Run(name+", "+era, func(t *testing.T) {
				for _, r := range replies {
					synctest.Test(t, func(t *testing.T) {
						w := newWorldAs(t, role)
						l := &ladder{t: t, w: w, era: era, capabilites: `{"elicitation":{}}`, start: time.Now()}
						if era == "tasks" {
							l.era, l.capabilites = "2026-07-28", declares[3].capabilities
						}
						l.a = w.connect(&mcp.Options{TaskForms: true})
						l.hello()
						l.call(1, "ask_user", database, "")
						m := l.receive()
						if r.status != sayso.StatusAnswered {
							<-time.After(5 * time.Second) // at once it would be no decision
						}
						told := l.replies(m, r.reply)
						got := w.only()
						if got.Status() != r.status {
							t.Fatalf("%s: stored %s", r.reply, got.Status())
						}
						want, err := dialect.Text.Format(got.Ask, got.Outcome)
						if err != nil || told != want.Text {
							t.Errorf("%s: the model is told %q, the hub has %q", r.reply, told, want.Text)
						}
						if by := got.Outcome.By; by.Kind != sayso.ByProgram || by.Surface != "mcp (test)" || by.Assurance != sayso.AssuranceLocal {
							t.Errorf("%s: stored as %+v", r.reply, by)
						}
					})
				}
			})
		}
	}
}

// replies answers the form of a message, and returns what the model is told.
func (l *ladder) replies(m message, reply string) string {
	l.t.Helper()
	switch {
	case m.Method == "elicitation/create":
		l.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, reply)
	case m.Result.RequestState != "":
		l.call(2, "ask_user", database, `,"requestState":"`+m.Result.RequestState+`","inputResponses":{"ask":`+reply+`}`)
	case m.Result.TaskID != "":
		l.aboutTask("update", m.Result.TaskID, `,"inputResponses":{"ask":`+reply+`}`)
		return l.poll(m).Result.Content[0].Text
	default:
		l.t.Fatalf("no form: %s", m.line)
	}
	return l.receive().Result.Content[0].Text
}

// aboutTask makes a request about a task.
func (l *ladder) aboutTask(method, id, more string) message {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":2,"method":"tasks/%s","params":{"taskId":"%s"%s,"_meta":%s}}`, method, id, more, l.meta())
	return l.receive()
}

// risky marks the second option of every ask as dangerous, which no model can.
type risky struct{ hub.Asker }

func (r risky) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	c := a.Clone()
	c.Metadata = a.Metadata
	c.Questions[0].Options[1].Danger = true
	return r.Asker.Submit(ctx, c)
}

// TestTaskDanger: a task asks for the second action, too, and forgets nothing when
// the hub is away.
func TestTaskDanger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		l := &ladder{t: t, w: w, era: "2026-07-28", capabilites: declares[3].capabilities, start: time.Now()}
		l.a = dial(t, &mcp.Options{Hub: risky{w.client}, TaskForms: true})
		l.call(1, "ask_user", database, "")
		id := l.receive().Result.TaskID
		for i, c := range []struct{ reply, next string }{
			{`{"question_0":"SQLite"}`, "“SQLite” is marked as dangerous. Send it all the same?"},
			{`{}`, "Nothing was sent yet. Choose one of the two."},
			{`{"question_0":"No, go back"}`, "Nothing was sent."},
			{`{}`, "Nothing was chosen or typed"},
			{`{"question_0_custom":"sqlite"}`, "“SQLite” is marked as dangerous. Send it all the same?"},
		} {
			<-time.After(5 * time.Second)
			l.aboutTask("update", id, `,"inputResponses":{"ask":{"action":"accept","content":`+c.reply+`}}`)
			if m := l.aboutTask("get", id, ""); m.Result.Status != "input_required" || !strings.Contains(m.line, c.next) {
				t.Fatalf("step %d: %s", i, m.line)
			}
		}
		w.stop()
		l.send(`{"jsonrpc":"2.0","id":2,"method":"tasks/update","params":{"taskId":"%s","inputResponses":{"ask":{"action":"accept","content":{"question_0":"Yes, send “SQLite”"}}},"_meta":%s}}`, id, l.meta())
		<-time.After(time.Minute)
		w.start()
		l.receive()
		if m := l.aboutTask("get", id, ""); m.Result.Status != "completed" || !strings.Contains(m.line, `Which database?\nSQLite`) {
			t.Error(m.line)
		}
	})
}

// TestAgainAfterHanging: a client that gave up waiting while the hub was away may come
// with the same input again; the person need not.
func TestAgainAfterHanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, l := modernLadder(t)
		l.call(1, "ask_user", database, "")
		again := `,"requestState":"` + l.receive().Result.RequestState + `","inputResponses":{"ask":{"action":"accept","content":{"question_0":"SQLite"}}}`
		<-time.After(5 * time.Second)
		w.stop()
		l.call(2, "ask_user", database, again)
		<-time.After(30 * time.Second)
		l.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		l.receive() // the error, which the client ignores
		w.start()
		l.call(3, "ask_user", database, again)
		if m := l.receive(); len(m.Result.Content) == 0 || m.Result.Content[0].Text != sqlite {
			t.Fatal(m.line)
		}
		l.call(4, "ask_user", database, again)
		if m := l.receive(); m.Error == nil {
			t.Errorf("taken twice: %s", m.line)
		}
	})
}

// TestTooLong: a question that a form cannot show whole is not sent as one. The client
// gets its address if it can open pages, and the model is told where it is.
func TestTooLong(t *testing.T) {
	long := strings.Replace(database, `"question":`, fmt.Sprintf(`"body":%q,"question":`, strings.Repeat("line of the body ", 500)), 1)
	for _, era := range eras {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			connect := func(capabilities string) *ladder {
				l := &ladder{t: t, w: w, era: era, capabilites: capabilities, start: time.Now()}
				l.a = w.connect(&mcp.Options{Hold: 20 * time.Second, Inbox: func() string { return "https://inbox.example" }})
				l.hello()
				l.call(1, "ask_user", long, "")
				return l
			}
			l := connect(`{"elicitation":{}}`)
			m := l.a.receive() // a sign of life
			if !strings.Contains(m.line, "answer it in the inbox: sayso inbox") {
				t.Errorf("%s: told %s", era, m.line)
			}
			if m = l.receive(); m.Result.Meta["sayso/status"] != "pending" || !strings.Contains(m.Result.Content[0].Text, "could not show it; it waits in the inbox") {
				t.Errorf("%s: %s", era, m.line)
			}
			l = connect(`{"elicitation":{"form":{},"url":{}}}`)
			if m = l.receive(); !strings.Contains(m.line, `"url":"https://inbox.example/ask/`) {
				t.Errorf("%s: %s", era, m.line)
			}
		})
	}
}
