package jsonrpc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/app/door/jsonrpc"
)

// TestTooLong: a message that is too long is refused, and the next one is served.
func TestTooLong(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"method":"ask_user","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`
	deep := strings.Repeat("[", 1<<10) + strings.Repeat("]", 1<<10)
	const methods = `{"jsonrpc":"2.0","id":2,"method":"rpc/methods"}`
	for _, c := range []struct {
		framing jsonrpc.Framing
		send    func(string) string
	}{
		{jsonrpc.Lines, func(s string) string { return s + "\n" }},
		{jsonrpc.Headers, func(s string) string {
			return fmt.Sprintf("Content-Type: x\r\ncontent-length: %d\r\n\r\n%s", len(s), s)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := hubfake.New(t)
			end := dialDoor(t, w.Client(""), &jsonrpc.Options{Framing: c.framing})
			io.WriteString(end.in, c.send(long)+c.send(deep)+c.send(methods))
			synctest.Wait()
			end.hangUp(t) // the last line has no end
			got := strings.Join(end.received(), "\n")
			for _, want := range []string{
				`"error":{"code":-32700,"message":"the message is longer than 1048576 bytes"}`,
				`nested`, `"id":2,"result":{"methods":[`,
			} {
				if !strings.Contains(got, want) {
					t.Errorf("%s: no %s in %.300s", c.framing, want, got)
				}
			}
		})
	}
}

// TestBadFrames: a stream that cannot be followed ends the connection with an error.
func TestBadFrames(t *testing.T) {
	for _, text := range []string{
		"\r\n{}", "Content-Length: x\r\n\r\n{}", "Content-Length: -1\r\n\r\n{}",
		"Content-Length: 99999999999999999999\r\n\r\n{}", "Content-Length: 10\r\n\r\n{}",
		strings.Repeat("X: y\r\n", 1<<10) + "\r\n", strings.Repeat("x", 1<<14),
	} {
		err := jsonrpc.Serve(t.Context(), &fakeHub{}, strings.NewReader(text), nowhere{}, &jsonrpc.Options{Framing: jsonrpc.Headers})
		if (err == nil) != (text[0] == 'x') { // that one just ends
			t.Errorf("%.30q: %v", text, err)
		}
	}
	if err := jsonrpc.Serve(t.Context(), &fakeHub{}, strings.NewReader(""), nowhere{}, &jsonrpc.Options{Attach: "telepathy"}); err == nil {
		t.Error("attached by telepathy")
	}
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) Close() error                { return nil }

// TestManyWaiting has as many questions open on one connection as one asker ever
// may, each answered with its own words, while other requests are served.
func TestManyWaiting(t *testing.T) {
	const n = 2000
	h := &fakeHub{}
	synctest.Test(t, func(t *testing.T) {
		end := dialDoor(t, h, nil)
		for i := range n {
			end.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"client/ask_user","params":{"session_id":"s","question":"q%d?"}}`, i, i))
		}
		end.send(t, `{"jsonrpc":"2.0","id":"x","method":"rpc/methods"}`)
		synctest.Wait()
		if got := end.received(); len(got) != 1 || !strings.Contains(got[0], `"id":"x"`) {
			t.Fatalf("%d messages while %d questions wait", len(got), n)
		}
		for i := range n {
			h.Reply(fmt.Sprintf("q%d?", i))
		}
		synctest.Wait()
		got := end.received()
		if len(got) != n {
			t.Fatalf("%d of %d were answered", len(got), n)
		}
		for _, l := range got {
			var m struct {
				ID     int
				Result struct{ Answer string }
			}
			if err := json.Unmarshal([]byte(l), &m); err != nil || m.Result.Answer != fmt.Sprintf("to q%d?", m.ID) {
				t.Fatalf("mixed up: %s", l)
			}
		}
	})
}

// fakeHub has questions, and panics at anything else.
type fakeHub struct{ hubfake.Questions }
