package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
)

// Options are the options of [New].
type Options struct {
	// Args are the program and its arguments: see [Shell]. Must be set, or Put fails.
	Args []string

	// Limit is how long the program may run. Default: 10 s.
	Limit time.Duration

	// Environ is the environment of the program. Default: that of this process,
	// without the variables that begin with SAYSO_.
	Environ []string

	// Dir is the working folder of the program. Default: that of this process.
	Dir string
}

// Channel runs a program for each notification.
type Channel struct{ o Options }

var _ notify.Channel = (*Channel)(nil)

// New returns the channel.
func New(o *Options) *Channel {
	c := &Channel{}
	if o != nil {
		c.o = *o
	}
	if c.o.Limit == 0 {
		c.o.Limit = 10 * time.Second
	}
	if c.o.Environ == nil {
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "SAYSO_") {
				c.o.Environ = append(c.o.Environ, v)
			}
		}
	}
	return c
}

// Shell returns the arguments that have the shell of the system run a line, as it is in
// the setting; none for an empty line.
func Shell(line string) []string {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	return []string{"/bin/sh", "-c", line}
}

// textMost is the most of an ask that a program is given.
const textMost = 16000

// Limits say that a program takes whole asks, and no answers.
func (c *Channel) Limits() notify.Limits { return notify.Limits{Text: textMost} }

// Notification is what the program reads: one JSON object in one line. Fields are added,
// never changed.
type Notification struct {
	Version int    `json:"version"` // 1
	ID      string `json:"id"`      // of the notification, the same when it changes and when it ends

	// Event is "notify" when the person is to notice, "change" when only the text is
	// another, and "withdraw" when nothing waits any more.
	Event  string `json:"event"`
	Round  int    `json:"round"`  // 0 at first, 1 more with each reminder
	Urgent bool   `json:"urgent"` // the deadline is near
	Test   bool   `json:"test"`   // somebody wants to see whether it arrives

	Title   string `json:"title"`            // one line
	Body    string `json:"body"`             // a few lines
	Text    string `json:"text,omitempty"`   // the whole question, if the detail allows it
	URL     string `json:"url,omitempty"`    // where to answer
	Waiting int    `json:"waiting"`          // how many questions it is about
	Until   string `json:"until,omitempty"`  // of no use afterwards: RFC 3339
	Person  string `json:"person,omitempty"` // whom it is for; empty: the owner of the hub
}

// Put runs the program.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	line, err := encode(to, n)
	if err != nil {
		return "", &notify.RetryError{Never: true, Err: err}
	}
	if err := c.run(ctx, line); err != nil {
		return "", err
	}
	if n.Over {
		return "", nil
	}
	return n.Key, nil
}

// encode writes a note as the program reads it.
func encode(to *notify.Contact, n *notify.Note) ([]byte, error) {
	v := Notification{
		Version: 1, ID: n.Key, Event: "change", Round: n.Round, Urgent: n.Urgent, Test: n.Test,
		Title: sayso.SafeLine(n.Title), Body: sayso.SafeText(n.Body), Text: sayso.SafeText(n.Text),
		URL: n.URL, Waiting: n.Waiting, Person: to.Person,
	}
	switch {
	case n.Over:
		v.Event = "withdraw"
	case n.Alert:
		v.Event = "notify"
	}
	if !n.Until.IsZero() {
		v.Until = n.Until.UTC().Format(time.RFC3339)
	}
	b, err := json.Marshal(v) // with <, > and & as escapes: somebody will put it into a page
	if err != nil {
		return nil, fmt.Errorf("encoding the notification: %w", err)
	}
	return append(b, '\n'), nil
}

// run runs the program with the line on its standard input.
func (c *Channel) run(ctx context.Context, line []byte) error {
	if len(c.o.Args) == 0 {
		return &notify.RetryError{Err: errors.New(`no notify-command is set: name a program in config.toml, for example notify-command = "/home/me/bin/notify"`)}
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.o.Args[0], c.o.Args[1:]...)
	said := &head{most: 1000}
	cmd.Stdin, cmd.Stderr, cmd.Env, cmd.Dir = bytes.NewReader(line), said, c.o.Environ, c.o.Dir
	cmd.WaitDelay = time.Second // who holds standard error open is not waited for
	group(cmd)
	err := cmd.Run()
	switch {
	case err != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return fmt.Errorf("notify-command did not end within %v%s", c.o.Limit, said)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it has ended well, and left something behind, such as a sound
	case err != nil:
		return &notify.RetryError{Err: fmt.Errorf("running notify-command: %w%s", err, said)} // it says itself that it failed
	}
	return nil
}

// head keeps the beginning of what is written to it.
type head struct {
	b    []byte
	most int
}

func (h *head) Write(p []byte) (int, error) {
	h.b = append(h.b, p[:min(len(p), h.most-len(h.b))]...)
	return len(p), nil
}

// String is what was said, as the end of an error.
func (h *head) String() string {
	s := strings.TrimSpace(string(h.b))
	if s == "" {
		return ""
	}
	return ": " + sayso.SafeLine(s)
}
