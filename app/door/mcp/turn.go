package mcp

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// turn is where the forms of an ask stand. The zero value is the first one.
type turn struct {
	unsure *sayso.Outcome // it chooses something dangerous, and the form asks whether it is meant
	wrong  string         // why there is another form
}

// asks returns what the form asks.
func (at turn) asks(a *sayso.Ask) *sayso.Ask {
	if at.unsure != nil {
		return a.Confirmation(at.unsure.Answers)
	}
	return a
}

// formFor returns what the client can show the person: a form, the address of the
// question in the web inbox, or nothing. What is too long for a form, and what does
// not take the reply of a program, is for the inbox.
func (c *call) formFor(t *hub.Ticket, at turn) *sdk.ElicitParams {
	if showsForms(c.can) && t.TakesRelay() {
		form := newForm(at.asks(t.Ask), c.version, at.wrong, at.unsure == nil)
		if length(form) <= maxForm {
			return form
		}
	}
	if !opensPages(c.can) || c.d.opts.Inbox == nil {
		return nil
	}
	base := c.d.opts.Inbox()
	if base == "" {
		return nil
	}
	p := &sdk.ElicitParams{Mode: "url", Message: "Answer in the inbox: " + sayso.Title(t.Ask), URL: base + "/ask/" + t.Handle}
	if c.version < modern {
		p.ElicitationID = t.Handle
	}
	return p
}

// length returns how many characters a form has as it is sent.
func length(form *sdk.ElicitParams) int {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(form); err != nil {
		return maxForm + 1 // nor could it be sent
	}
	return utf8.RuneCount(b.Bytes())
}

const (
	saidNothing = "Nothing was chosen or typed, so nothing was sent. Decline if you do not want to answer."
	sentNothing = "Nothing was sent."
	saidNeither = "Nothing was sent yet. Choose one of the two."
)

// read turns what came back in a form into an outcome, or into the turn of the next
// form. It is neither if nobody saw the form, or if the person went to the page.
func (c *call) read(t *hub.Ticket, at turn, form *sdk.ElicitParams, got *sdk.ElicitResult, took time.Duration) (o *sayso.Outcome, next *turn) {
	switch got.Action {
	case "accept":
		if form.Mode == "url" {
			return nil, nil // the answer comes from there
		}
		o, err := readForm(at.asks(t.Ask), got.Content)
		if err != nil {
			return nil, &turn{at.unsure, "This did not fit the questions: " + sayso.SafeLine(sayso.RenderError(err))}
		}
		return at.accepted(t.Ask, o)
	case "decline", "cancel":
		switch {
		case byItself(got.Action, took):
			c.mute(c.d.now().Add(muteFor))
			c.unseen = true
			return nil, nil
		case at.unsure != nil:
			return nil, &turn{wrong: sentNothing}
		case got.Action == "decline":
			return &sayso.Outcome{Status: sayso.StatusDeclined}, nil
		}
		return &sayso.Outcome{Status: sayso.StatusCancelled}, nil
	}
	c.unseen = true
	return nil, nil
}

// accepted goes on with what a form says. What is dangerous is asked once more.
func (at turn) accepted(a *sayso.Ask, o *sayso.Outcome) (*sayso.Outcome, *turn) {
	if at.unsure != nil {
		switch yes, no := sayso.Confirmed(o); {
		case yes:
			return at.unsure, nil
		case no:
			return nil, &turn{wrong: sentNothing}
		}
		return nil, &turn{at.unsure, saidNeither}
	}
	switch {
	case !o.HasAnswer():
		return nil, &turn{wrong: saidNothing}
	case len(a.Dangerous(o.Answers)) > 0:
		return nil, &turn{unsure: o}
	}
	return o, nil
}

// muteFor is how long no forms are sent to a client that answers them itself.
const muteFor = 10 * time.Minute

// byItself reports whether a program, and no person, turned a form away. Programs
// without a person do so at once (Claude Code -p, Codex where approvals are never
// asked for, Copilot -p), and those that lose patience at a whole minute. Where it
// is wrong, the question stays open and can be answered elsewhere.
func byItself(action string, took time.Duration) bool {
	if took < time.Second {
		return true
	}
	off := (took + 2*time.Second) % time.Minute
	return action == "cancel" && took > 30*time.Second && off < 4*time.Second
}

// turns are where the forms of tasks stand that are not at their first one.
type turns struct {
	mu  sync.Mutex
	all map[[2]string]turn // by caller and task
}

// maxTurns is how many are remembered. One that was forgotten is asked from the
// beginning.
const maxTurns = 10_000

func (s *turns) of(who, task string) turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[[2]string{who, task}]
}

func (s *turns) set(who, task string, next *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next == nil {
		delete(s.all, [2]string{who, task})
		return
	}
	if s.all == nil || len(s.all) >= maxTurns {
		s.all = map[[2]string]turn{}
	}
	s.all[[2]string{who, task}] = *next
}
