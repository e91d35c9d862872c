package jsonrpc_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/app/door/jsonrpc"
	"github.com/saysohq/sayso/dialect"
)

// dangerous asks two questions, one of which has a dangerous option.
func dangerous() *sayso.Ask {
	a := &sayso.Ask{ID: "r", Questions: []sayso.Question{
		{Text: "Name?"},
		{Text: "What of the table?", Options: []sayso.Option{{Label: "Keep"}, {Label: "Drop", Description: "All rows are gone", Danger: true}}},
	}}
	a.Normalize()
	return a
}

// TestDanger: a dangerous choice counts after a second one that names it, and not
// after anything else. What else was said need not be said again.
func TestDanger(t *testing.T) {
	const (
		sure = "“Drop” is marked as dangerous: All rows are gone. Send it all the same?"
		yes  = "Yes, send “Drop”"
		back = "No, go back"
		name = "Name?"
		what = "What of the table?\n  - Keep\n  - Drop [dangerous]\n     All rows are gone"
	)
	type step struct{ asked, answer string }
	for _, c := range []struct {
		name  string
		steps []step
		want  string // the option that is stored
	}{
		{"confirmed", []step{{name, `"orders"`}, {what, `"drop"`}, {sure, `"` + yes + `"`}}, "o2"},
		{"thought better of", []step{{name, `"orders"`}, {what, `"Drop"`}, {sure, `"` + back + `"`}, {what, `"Keep"`}}, "o1"},
		{"declined, then kept", []step{{name, `"orders"`}, {what, `"Drop"`}, {sure, ``}, {what, `"Keep"`}}, "o1"},
		{"pressed twice", []step{{name, `"orders"`}, {what, `"Drop"`}, {sure, `"Drop"`}, {sure, `"` + yes + `"`}}, "o2"},
		{"a blind yes", []step{{name, `"orders"`}, {what, `"Drop"`}, {sure, `"yes"`}, {sure, `""`}, {sure, `null`}, {sure, `true`}, {sure, `["` + back + `","` + yes + `"]`}, {sure, `"` + yes + `"`}}, "o2"},
		{"blank beside an answer", []step{{name, `""`}, {what, `"Keep"`}}, "o1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ui, heard, say := newUI(t, nil)
				var got *sayso.Outcome
				done := make(chan error, 1)
				go func() {
					var err error
					got, err = ui.Ask(t.Context(), dangerous())
					done <- err
				}()
				for i, s := range c.steps {
					m := read(t, heard)
					if m.Params.Question != s.asked {
						t.Fatalf("step %d: asked %q, want %q", i, m.Params.Question, s.asked)
					}
					result := `{"answer":` + s.answer + `}`
					if s.answer == "" {
						result = `{"declined":true}`
					}
					fmt.Fprintf(say, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
				}
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				if ans, _ := got.Answer("q2"); !slices.Equal(ans.Selected, []string{c.want}) {
					t.Errorf("answered %+v", got)
				}
			})
		})
	}
}

// sent is a message to the user interface.
type sent struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Question, Status, Reason, Answer, Title, Error string
		RequestID                                      string `json:"requestId"`
		Questions                                      []dialect.PiQuestion
	}
	Result json.RawMessage
}

func read(t *testing.T, r *bufio.Reader) (m sent) {
	t.Helper()
	if err := json.Unmarshal([]byte(line(t, r)), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDangerForm is the same for a form: the response that chooses it is not
// accepted, the one that confirms it is.
func TestDangerForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ui, heard, say := newUI(t, &jsonrpc.UIOptions{Method: jsonrpc.AskUserRequest})
		done := make(chan *sayso.Outcome, 1)
		go func() {
			o, err := ui.Ask(t.Context(), dangerous())
			if err != nil {
				t.Error(err)
			}
			done <- o
		}()
		var next sent
		for i, c := range []struct{ asked, answers, result string }{
			{"Name?", `["orders","Drop"]`, `{"accepted":false,"error":"“Drop” is marked as dangerous: All rows are gone. Send it all the same?"}`},
			{"“Drop” is marked as dangerous: All rows are gone. Send it all the same?", `["orders","Drop"]`, `{"accepted":false,"error":"nothing was sent yet; choose one of the two"}`},
			{"“Drop” is marked as dangerous: All rows are gone. Send it all the same?", `["No, go back"]`, `{"accepted":false,"error":"nothing was sent"}`},
			{"Name?", `["orders","Drop"]`, `{"accepted":false,"error":"“Drop” is marked as dangerous: All rows are gone. Send it all the same?"}`},
			{"“Drop” is marked as dangerous: All rows are gone. Send it all the same?", `["Yes, send “Drop”"]`, `{"accepted":true}`},
		} {
			if next.Method == "" {
				next = read(t, heard)
			}
			if next.Params.Questions[0].Question != c.asked || next.Params.RequestID != "r" {
				t.Fatalf("step %d: asked %+v", i, next.Params)
			}
			next = sent{}
			fmt.Fprintf(say, `{"jsonrpc":"2.0","id":1,"method":"ask_user_response","params":{"requestId":"r","answers":%s}}`+"\n", c.answers)
			got := read(t, heard)
			if got.Method != "" { // the next form may come before the result
				next, got = got, read(t, heard)
			}
			if string(got.Result) != c.result {
				t.Fatalf("step %d: told %s, want %s", i, got.Result, c.result)
			}
		}
		if ans, _ := (<-done).Answer("q2"); !slices.Equal(ans.Selected, []string{"o2"}) {
			t.Errorf("answered %+v", ans)
		}
	})
}

// TestTooOften: a program that answers by itself, with nothing, does not keep the
// door busy. The person is told where the question is.
func TestTooOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		end := dialDoor(t, w.Client("rpc"), &jsonrpc.Options{Attach: jsonrpc.ClientAskUser, Origin: sayso.Origin{Conversation: "c"}})
		end.send(t, `{"jsonrpc":"2.0","id":"a","method":"client/ask_user","params":{"session_id":"c","question":"Name?"}}`)
		n := 0
		for {
			synctest.Wait()
			lines := end.received()
			if len(lines) != 1 || n > 100 {
				t.Fatalf("after %d rounds: %q", n, lines)
			}
			var m sent
			if err := json.Unmarshal([]byte(lines[0]), &m); err != nil {
				t.Fatal(err)
			}
			if m.Method == "client/ask_user_withdrawn" {
				if m.Params.Status != "pending" || !strings.Contains(m.Params.Reason, "sayso inbox") {
					t.Errorf("told %s", lines[0])
				}
				break
			}
			n++
			end.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"answer":""}}`, m.ID))
		}
		if n != 10 || !w.Find("Name?").Open() {
			t.Errorf("asked %d times, open: %t", n, w.Find("Name?").Open())
		}
	})
}

// TestElsewhere: a question that takes no program's reply is not asked here.
func TestElsewhere(t *testing.T) {
	for _, m := range []jsonrpc.Method{jsonrpc.ClientAskUser, jsonrpc.AskUserRequest} {
		synctest.Test(t, func(t *testing.T) {
			w := hubfake.New(t)
			c := w.Client("rpc")
			end := dialDoor(t, c, &jsonrpc.Options{Attach: m})
			a := dangerous()
			a.MinAssurance = sayso.AssuranceLogin
			if _, err := c.Submit(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			got := strings.Join(end.received(), "\n")
			if want := `"title":"Name?"`; strings.Contains(got, "\n") || !strings.Contains(got, want) || !strings.Contains(got, "An answer needs a sign-in. Answer it in the inbox: sayso inbox") {
				t.Errorf("%s: told %s", m, got)
			}
		})
	}
}

// TestOwnPipe: who asks and answers over the same pipe is a program, and the hub has
// what the asker was told.
func TestOwnPipe(t *testing.T) {
	for _, c := range []struct {
		reply  string
		status sayso.Status
	}{
		{`{"answer":"SQLite"}`, sayso.StatusAnswered}, {`{"declined":true}`, sayso.StatusDeclined}, {`{"cancelled":true}`, sayso.StatusCancelled},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := hubfake.New(t)
			end := dialDoor(t, w.Client("rpc"), &jsonrpc.Options{Attach: jsonrpc.ClientAskUser})
			end.send(t, `{"jsonrpc":"2.0","id":"a","method":"ask_user","params":{"dialect":"pi","arguments":{"questions":[{"question":"Which database?","options":["PostgreSQL","SQLite"]}]}}}`)
			synctest.Wait()
			end.received()
			end.send(t, `{"jsonrpc":"2.0","id":1,"result":`+c.reply+`}`)
			<-time.After(3 * time.Second)
			var told struct {
				Result struct {
					Status sayso.Status
					Text   string
				}
			}
			lines := end.received()
			if len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &told) != nil {
				t.Fatalf("%s: told %q", c.reply, lines)
			}
			got := w.Find("Which database?")
			text, err := dialect.Pi.Format(got.Ask, got.Outcome)
			if err != nil || told.Result.Text != text.Text || told.Result.Status != c.status || got.Status() != c.status {
				t.Errorf("%s: told %s %q, stored %s %q", c.reply, told.Result.Status, told.Result.Text, got.Status(), text.Text)
			}
			if by := got.Outcome.By; by.Kind != sayso.ByProgram || by.Surface != "rpc" || by.Assurance != sayso.AssuranceLocal {
				t.Errorf("%s: stored as %+v", c.reply, by)
			}
		})
	}
}
