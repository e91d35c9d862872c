package cli

import (
	"fmt"
	"strings"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/conversation"
)

// news holds what has happened and was not shown.
type news struct {
	mu   sync.Mutex
	all  []agent.Update
	bell chan struct{}
}

func (n *news) put(u agent.Update) {
	n.mu.Lock()
	n.all = append(n.all, u)
	n.mu.Unlock()
	select {
	case n.bell <- struct{}{}:
	default:
	}
}

func (n *news) take() []agent.Update {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.all
	n.all = nil
	return all
}

// only forgets what is not of this conversation.
func (n *news) only(id string) {
	all := n.take()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, u := range all {
		if u.Conversation == id {
			n.all = append(n.all, u)
		}
	}
}

// show writes news to the terminal.
func (t *talk) show(all []agent.Update) {
	for _, u := range all {
		switch {
		case u.Conversation != t.id:
		case u.Delta != "" && u.Member == t.id:
			t.begun = true
			fmt.Fprint(t.Out, sayso.SafeText(u.Delta))
		case u.Delta != "":
		case u.Member == t.id:
			t.entries(u.Length-len(u.Entries), u.Entries)
		default:
			for _, e := range u.Entries {
				t.calls("    ", e)
			}
		}
	}
}

// catchUp shows what a conversation has that was not shown: what came before this
// program was started, most often.
func (t *talk) catchUp(c *agent.Conversation) {
	const most = 12 // entries of the past
	if n := len(c.Transcript); t.told == 0 && n > most {
		t.line("(%d entries before)", n-most)
		t.told = n - most
	}
	t.entries(t.told, c.Transcript[min(t.told, len(c.Transcript)):])
}

// entries shows additions to the transcript, each once.
func (t *talk) entries(from int, all []conversation.Entry) {
	for i, e := range all {
		if from+i < t.told {
			continue
		}
		live := t.told > 0 || from == 0 && i == 0 && e.Role == conversation.RoleUser && len(all) == 1
		t.told = from + i + 1
		switch e.Role {
		case conversation.RoleUser:
			if !live {
				t.line("› %s", e.Text)
			}
		case conversation.RoleModel:
			if t.begun {
				fmt.Fprintln(t.Out)
				t.begun = false
			} else if e.Text != "" {
				t.line("%s", e.Text)
			}
			t.calls("  ", e)
		case conversation.RoleTool:
			for _, r := range e.Results {
				switch {
				case t.received != nil:
					t.received(r.Text)
				case r.IsError:
					t.line("  ✗ %s", short(r.Text, 200))
				}
			}
		}
	}
}

// calls shows which tools the model calls. What it asks is shown by the dialog.
func (t *talk) calls(indent string, e conversation.Entry) {
	for _, c := range e.Calls {
		if c.Name == askTool {
			continue
		}
		t.line("%s· %s %s", indent, sayso.SafeLine(c.Name), short(c.Arguments, 80))
	}
}

// short is the beginning of a text, on one line.
func short(s string, most int) string {
	r := []rune(sayso.SafeLine(strings.Join(strings.Fields(s), " ")))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
