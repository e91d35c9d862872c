package mcp_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/door/mcp"
)

const database = `{"questions":[{"question":"Which database?","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}`

func callTool(id, name, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `,"_meta":{"progressToken":"p` + id + `"}}}`
}

// TestHold: a call is held with signs of life, ends with a handle, and the handle
// gets the answer.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.connect(&mcp.Options{Hold: 70 * time.Second})
		a.initialize("2025-11-25", `{}`)
		start := time.Now()
		a.send(callTool("1", "ask_user", database))
		for _, at := range []time.Duration{0, 25 * time.Second, 50 * time.Second} {
			if m := a.receive(); m.Method != "notifications/progress" || time.Since(start) != at {
				t.Errorf("after %s: %+v", time.Since(start), m)
			}
		}
		m := a.receive()
		if time.Since(start) != 70*time.Second || m.Result.Meta["sayso/status"] != "pending" {
			t.Fatalf("after %s: %+v", time.Since(start), m)
		}
		handle := handleIn(t, m.Result.Content[0].Text)
		w.answer("SQLite")
		for _, want := range []string{"Which database?\nSQLite", "This answer was given to you before, at 2000-01-01T00:01:10Z:\n\nWhich database?\nSQLite"} {
			a.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check_answer","arguments":{"handle":"` + handle + `"}}}`)
			if m := a.receive(); m.Result.Content[0].Text != want || len(m.Result.Content) != 1 {
				t.Errorf("got %+v", m)
			}
		}
		a.out.Close()
		if err := <-a.done; err != nil {
			t.Error(err)
		}
	})
}

// TestHoldWithoutForm: Copilot CLI would leave the form open after an answer elsewhere,
// so it gets none.
func TestHoldWithoutForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.connect(nil)
		a.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"copilot-cli","version":"1.0.102"}}}`)
		a.receive()
		a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.send(callTool("1", "ask_user", database))
		if m := a.receive(); m.Method != "notifications/progress" {
			t.Errorf("it waits with %+v", m)
		}
		w.answer("SQLite")
		if m := a.receive(); len(m.Result.Content) != 1 || m.Result.Content[0].Text != "Which database?\nSQLite" {
			t.Errorf("got %+v", m)
		}
		a.out.Close()
		if err := <-a.done; err != nil {
			t.Error(err)
		}
	})
}
