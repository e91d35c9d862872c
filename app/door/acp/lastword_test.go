package acp_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/door/hubfake"
)

// TestLastWord: an editor that answers and is gone in the same moment has answered,
// and the agent is told exactly once: by the reply, or by the next prompt.
func TestLastWord(t *testing.T) {
	const (
		begin = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientCapabilities":{"elicitation":{"form":{}}}}}`
		asks  = `{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"form","sessionId":"ses_1","toolCallId":"toolu_1","message":"Which database?","requestedSchema":{"type":"object","properties":{"question_0":{"type":"string"}}}}}`
		says  = `{"jsonrpc":"2.0","id":"sayso-1","result":{"action":"accept","content":{"question_0":"SQLite"}}}`
		goOn  = `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"ses_1","prompt":[{"type":"text","text":"go on"}]}}`
	)
	for range 5 {
		synctest.Test(t, func(t *testing.T) {
			w := hubfake.New(t)
			editor, agent, done := between(t, w.Client("editor"), nil)
			editor.send(t, begin)
			synctest.Wait()
			agent.send(t, asks)
			synctest.Wait()
			agent.received()
			io.WriteString(editor.out, says+"\n")
			editor.out.Close()
			time.Sleep(5 * time.Second)
			told := strings.Count(strings.Join(agent.received(), "\n"), "SQLite")
			agent.out.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
			done <- nil
			if got := w.Find("Which database?"); got.Open() || got.Outcome.By.Surface != "editor" {
				t.Fatalf("the hub has %+v", got)
			}
			editor, agent, _ = between(t, w.Client("editor"), nil)
			editor.send(t, goOn)
			synctest.Wait()
			told += strings.Count(strings.Join(agent.received(), "\n"), "SQLite")
			if told != 1 {
				t.Errorf("the agent was told %d times", told)
			}
		})
	}
}
