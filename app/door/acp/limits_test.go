package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/acp"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/hub"
)

// TestBigMessages: what is larger than any question passes; what is larger than any
// message ends the proxy with an error and does not fill the memory.
func TestBigMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		editor, agent, _ := between(t, &fakeHub{}, nil)
		picture := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image","data":"` + strings.Repeat("A", 3<<20) + `"}]}}`
		editor.send(t, picture)
		synctest.Wait()
		if got := agent.received(); len(got) != 1 || got[0] != picture {
			t.Errorf("%d messages passed", len(got))
		}
	})
	from, to := io.Pipe()
	go func() {
		part := strings.Repeat("x", 1<<20)
		for {
			if _, err := io.WriteString(to, part); err != nil {
				return
			}
		}
	}()
	quiet, hush := io.Pipe()
	err := acp.Proxy(t.Context(), &fakeHub{}, acp.Stream{In: quiet, Out: nowhere{}}, acp.Stream{In: from, Out: nowhere{}}, nil)
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("an endless message ended with %v", err)
	}
	from.Close()
	hush.Close()
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) Close() error                { return nil }

// TestManyQuestions has many questions open at a time, answered by turns in the hub
// and in the editor; each gets its own reply, once.
func TestManyQuestions(t *testing.T) {
	const n = 1000
	synctest.Test(t, func(t *testing.T) {
		h := &fakeHub{}
		editor, agent, _ := between(t, h, nil)
		editor.send(t, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"clientCapabilities":{"elicitation":{"form":{}}}}}`)
		synctest.Wait()
		for i := range n {
			agent.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"mode":"form","sessionId":"s","toolCallId":"t%d","message":"q%d?","requestedSchema":{"type":"object","properties":{"question_0":{"type":"string"}}}}}`, i, i, i))
		}
		synctest.Wait()
		agent.received()
		for i, l := range editor.received() {
			var m struct {
				ID     string
				Params struct{ Message string }
			}
			if err := json.Unmarshal([]byte(l), &m); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				h.Reply(m.Params.Message)
			} else {
				editor.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"action":"accept","content":{"question_0":"to %s"}}}`, m.ID, m.Params.Message))
			}
		}
		synctest.Wait()
		got := agent.received()
		if len(got) != n {
			t.Fatalf("%d replies to %d questions", len(got), n)
		}
		for _, l := range got {
			var m struct {
				ID     int
				Result struct{ Content map[string]string }
			}
			if err := json.Unmarshal([]byte(l), &m); err != nil || m.Result.Content["question_0"] != fmt.Sprintf("to q%d?", m.ID) {
				t.Fatalf("mixed up: %s", l)
			}
		}
		if h.answered != n/2 || h.consumed != n {
			t.Errorf("the hub was told %d answers of the editor, and %d times that the agent has one", h.answered, h.consumed)
		}
	})
}

// fakeHub has questions, counts, and panics at anything else.
type fakeHub struct {
	hubfake.Questions
	mu                 sync.Mutex
	relayed            map[string]bool
	answered, consumed int
}

func (f *fakeHub) Relay(_ context.Context, t *hub.Ticket, _ *sayso.Outcome) (*hub.Ticket, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answered++; f.relayed == nil {
		f.relayed = map[string]bool{}
	}
	f.relayed[t.Handle] = true
	return t, nil
}

func (f *fakeHub) Consume(ctx context.Context, handle string) (*hub.Ticket, error) {
	f.mu.Lock()
	f.consumed++
	relayed := f.relayed[handle]
	f.mu.Unlock()
	if relayed {
		return &hub.Ticket{Outcome: &sayso.Outcome{}}, nil
	}
	return f.Questions.Consume(ctx, handle)
}
