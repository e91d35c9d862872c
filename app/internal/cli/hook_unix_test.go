//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// TestHookOfKilledAgent: an agent is killed while its hook waits, and the person answers
// before the hook has noticed. The hook leaves the answer to the session that goes on.
func TestHookOfKilledAgent(t *testing.T) {
	t.Parallel()
	s := serve(t, "")
	c, err := client.New(s.url, &client.Options{Key: s.key})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 10 { // a hook that takes it does so only sometimes
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		hook := s.sayso("hook", "claude")
		hook.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s%d","prompt_id":"p1","cwd":"/shop","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}}`, i))
		hook.Stdout = write
		if err := hook.Start(); err != nil {
			t.Fatal(err)
		}
		write.Close()
		until(t, "the hook waits", func() bool {
			_, body, _ := s.get("/metrics")
			return strings.Contains(body, "\nsayso_waits 1\n")
		})
		hook.Process.Signal(syscall.SIGSTOP) // the machine is busy
		read.Close()
		page, err := c.List(t.Context(), &hub.Filter{Conversation: fmt.Sprint("s", i)})
		if err != nil || len(page.Tickets) != 1 {
			t.Fatal(page, err)
		}
		asked := page.Tickets[0]
		if _, err := c.Answer(t.Context(), asked, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}}); err != nil {
			t.Fatal(err)
		}
		hook.Process.Signal(syscall.SIGCONT)
		hook.Wait()
		if now, err := c.Get(t.Context(), asked.Handle); err != nil || !now.Consumed.IsZero() {
			t.Fatalf("the answer to session %d was taken: %+v, %v", i, now, err)
		}
	}
}
