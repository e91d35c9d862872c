package claude_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/hub"
)

// unconfirmed is a hub that is killed once when it has noted that the asker has the
// outcome, before it can say so.
type unconfirmed struct {
	hub.Asker
	killed bool
}

func (u *unconfirmed) Consume(ctx context.Context, handle string) (*hub.Ticket, error) {
	t, err := u.Asker.Consume(ctx, handle)
	if err == nil && !u.killed {
		u.killed = true
		return nil, sayso.ErrUnreachable
	}
	return t, err
}

// TestUnconfirmed: the decision is used although the hub was killed while it noted that
// the hook has it, also of a call whose id is not known.
func TestUnconfirmed(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"", "toolu_1"} {
		t.Run("call "+call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, hook.Options{})
				defer w.close()
				sent := wants("Bash", shell)
				if call != "" {
					sent["tool_use_id"] = call
				}
				data, err := json.Marshal(sent)
				if err != nil {
					t.Fatal(err)
				}
				e, err := claude.Agent().Parse(data)
				if err != nil {
					t.Fatal(err)
				}
				var reply []byte
				done := make(chan struct{})
				go func() {
					defer close(done)
					asker := &unconfirmed{Asker: w.hub.Asker("t", sayso.Responder{})}
					reply, err = hook.New(claude.Agent(), asker, nil).Take(t.Context(), e)
				}()
				synctest.Wait()
				w.decides(0, "allow")
				<-done
				if err != nil || !strings.Contains(string(reply), `"behavior":"allow"`) {
					t.Errorf("Claude Code is told %s, %v", reply, err)
				}
			})
		})
	}
}
