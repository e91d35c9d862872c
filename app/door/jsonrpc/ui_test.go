package jsonrpc_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/app/door/jsonrpc"
	"github.com/saysohq/sayso/dialect"
)

// newUI returns a user interface, and its own ends of the stream.
func newUI(t *testing.T, opts *jsonrpc.UIOptions) (ui *jsonrpc.UI, heard *bufio.Reader, say *io.PipeWriter) {
	fromUI, say := io.Pipe()
	hear, toUI := io.Pipe()
	ui = jsonrpc.NewUI(fromUI, toUI, opts)
	t.Cleanup(func() { say.Close(); hear.Close(); ui.Close() })
	return ui, bufio.NewReader(hear), say
}

// call runs the tool beside the test.
func call(ctx context.Context, r sayso.Resolver) func() (*sayso.Result, error) {
	var result *sayso.Result
	var err error
	var work sync.WaitGroup
	work.Go(func() {
		tool := &sayso.Tool{Dialect: dialect.Pi, Resolver: r}
		result, err = tool.Call(ctx, sayso.Call{ID: "req-123", Conversation: "s1", Arguments: []byte(`{"questions":[{"question":"Which database?","options":["PostgreSQL","SQLite"]}]}`)})
	})
	return func() (*sayso.Result, error) { work.Wait(); return result, err }
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	s, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(s)
}

func lastID(s string) int {
	return max(strings.Index(s, `"request_id":"ask_`)+len(`"request_id":`), strings.Index(s, `"requestId":"ask_`)+len(`"requestId":`))
}

// TestUI: a Go host asks the user interface at the end of a stream, in both ways.
func TestUI(t *testing.T) {
	for _, c := range []struct {
		method      jsonrpc.Method
		asked, said string
	}{
		{
			jsonrpc.ClientAskUser,
			`{"jsonrpc":"2.0","id":1,"method":"client/ask_user","params":{"session_id":"s1","question":"Which database?","choices":["PostgreSQL","SQLite"],"request_id":"ID","kind":"choice","asker":"unverified"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"answer":"SQLite"}}`,
		},
		{
			jsonrpc.AskUserRequest,
			`{"jsonrpc":"2.0","method":"ask_user_request","params":{"requestId":"ID","questions":[{"question":"Which database?","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}],"asker":"unverified","digest":"071ebb7f26a63e6d7f1731b019375f186465c8c183eedbe372c71712332143bf","sessionId":"s1"}}`,
			`{"type":"ask_user_response","requestId":"ID","answers":["SQLite"]}`,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ui, heard, say := newUI(t, &jsonrpc.UIOptions{Method: c.method})
			result := call(t.Context(), ui)
			got := line(t, heard)
			id := "ask_" + strings.FieldsFunc(got[lastID(got)+5:], func(r rune) bool { return r == '"' })[0]
			if want := strings.ReplaceAll(c.asked, "ID", id); got != want {
				t.Errorf("asked\n%s, want\n%s", got, want)
			}
			io.WriteString(say, strings.ReplaceAll(c.said, "ID", id)+"\n")
			r, err := result()
			const want = `{"answered":true,"answers":[{"question":"Which database?","answer":"SQLite","selectedOption":"SQLite","wasCustom":false}]}`
			if err != nil || r.Text != want {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
}

// TestConnectionLost is seed 1's rule for a client that disconnects, and ours: the
// ask stays open in the hub, for the next who comes.
func TestConnectionLost(t *testing.T) {
	for _, m := range []jsonrpc.Method{jsonrpc.ClientAskUser, jsonrpc.AskUserRequest} {
		synctest.Test(t, func(t *testing.T) {
			ui, heard, say := newUI(t, &jsonrpc.UIOptions{Method: m})
			result := call(t.Context(), ui)
			line(t, heard)
			say.Close()
			r, err := result()
			if err != nil || r.Text != `{"answered":false,"connectionLost":true}` || !r.IsError {
				t.Errorf("%s: got %+v, %v", m, r, err)
			}
			// And so does whoever asks after that.
			if r, err := call(t.Context(), ui)(); err != nil || r.Text != `{"answered":false,"connectionLost":true}` {
				t.Errorf("%s, later: got %+v, %v", m, r, err)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			w := hubfake.New(t)
			ui, heard, say := newUI(t, &jsonrpc.UIOptions{Method: m})
			result := call(t.Context(), sayso.Race(w.Client(""), ui))
			line(t, heard)
			say.Close()
			synctest.Wait()
			if !w.Find("Which database?").Open() {
				t.Errorf("%s: the ask went with the user interface", m)
			}
			w.Say("Which database?", "SQLite")
			if r, err := result(); err != nil || !strings.Contains(r.Text, `"answer":"SQLite"`) {
				t.Errorf("%s: got %+v, %v", m, r, err)
			}
		})
	}
}

// TestUIRace: the loser's dialog is withdrawn; the hub's ask is closed with what the
// user interface said.
func TestUIRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		ui, heard, _ := newUI(t, nil)
		result := call(t.Context(), sayso.Race(w.Client(""), ui))
		line(t, heard)
		synctest.Wait()
		w.Say("Which database?", "SQLite")
		if got := line(t, heard); !strings.Contains(got, `"client/ask_user_withdrawn","params":{"answer":"✓ Which database?: SQLite","by":"ann"`) {
			t.Errorf("the loser was told %s", got)
		}
		if r, err := result(); err != nil || !strings.Contains(r.Text, "SQLite") {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		ui, heard, say := newUI(t, nil)
		result := call(t.Context(), sayso.Race(w.Client(""), ui))
		line(t, heard)
		io.WriteString(say, `{"jsonrpc":"2.0","id":1,"result":{"answer":"PostgreSQL"}}`+"\n")
		if r, err := result(); err != nil || !strings.Contains(r.Text, "PostgreSQL") {
			t.Errorf("got %+v, %v", r, err)
		}
		if got := w.Find("Which database?"); got.Open() || got.Outcome.By.Surface != "rpc" || got.Consumed.IsZero() {
			t.Errorf("the hub has %+v", got)
		}
	})
}
