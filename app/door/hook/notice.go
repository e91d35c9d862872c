package hook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// NoticeDialect names asks that only say that an agent waits elsewhere.
const NoticeDialect = "notice"

// noticeFor is how long a notice stays if nothing more is heard of the session.
const noticeFor = 12 * time.Hour

// answeredThere is why a notice is withdrawn.
const answeredThere = "decided at the terminal, or its call had ended"

// Notice is an event that means [Noticing].
type Notice interface {
	Event

	// Notice says what the dialog is about, and which tools end it when they have run:
	// all of them if there are none.
	Notice() (about sayso.Question, tools []string)
}

// seen is the only answer to a notice. Nobody is told of it.
var seen = sayso.Option{Label: "Seen", Description: "Closes this notice. Decide at the agent's terminal."}

// notice tells of a dialog that can be answered at the terminal only. It does not wait.
func (d *Door) notice(ctx context.Context, e Event, about About) error {
	says, ok := e.(Notice)
	n := d.opts.notesOf(about.Session)
	switch {
	case !ok:
		return errors.New("the agent has no notices")
	case n == nil || d.opts.Unattended:
		return nil // nothing would end it, or no dialog opens
	}
	ctx, cancel := context.WithTimeout(ctx, atOnce)
	defer cancel()
	q, tools := says.Notice()
	q.Options = []sayso.Option{seen}
	a := &sayso.Ask{Questions: []sayso.Question{q}, Dialect: NoticeDialect, Deadline: time.Now().Add(noticeFor), Origin: sayso.Origin{
		Conversation: about.Session, Agents: about.Call.Agents, Host: d.agent.Name,
	}}
	a.Origin.Workspace, a.Origin.Branch = d.opts.Place(about.Dir)
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		return err
	}
	t, err := d.hub.Submit(ctx, a)
	if err != nil {
		return err
	}
	if err := n.notice(t.Handle, tools); err != nil {
		return errors.Join(err, d.withdraw(ctx, t.Handle, answeredThere))
	}
	return nil
}

// unnotice withdraws the notices of the session: those that the tool ends, or, without
// a tool, all of them.
func (d *Door) unnotice(ctx context.Context, about About) error {
	n := d.opts.notesOf(about.Session)
	if n == nil {
		return nil
	}
	var errs []error
	for _, one := range n.notices() {
		if about.Tool != "" && len(one.tools) > 0 && !slices.Contains(one.tools, about.Tool) {
			continue
		}
		err := d.withdraw(ctx, one.handle, answeredThere)
		if err == nil || errors.Is(err, hub.ErrNotFound) {
			os.Remove(one.file)
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// ended withdraws what waits for a session that is over. Its questions stay: the
// session may be resumed.
func (d *Door) ended(ctx context.Context, about About) error {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	return d.unnotice(ctx, about)
}

// noted is a notice of the session.
type noted struct {
	handle string
	tools  []string
	file   string
}

// notice notes a notice, in a file of its own.
func (n *notes) notice(handle string, tools []string) error {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(n.dir, "notice-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(append([]string{handle}, tools...), "\n"))
	return errors.Join(err, f.Close())
}

// notices returns the notices of the session.
func (n *notes) notices() []noted {
	files, err := filepath.Glob(filepath.Join(n.dir, "notice-*"))
	if err != nil {
		return nil
	}
	var all []noted
	for _, file := range files {
		data, err := os.ReadFile(file)
		if lines := strings.Fields(string(data)); err == nil && len(lines) > 0 {
			all = append(all, noted{lines[0], lines[1:], file})
		}
	}
	return all
}
