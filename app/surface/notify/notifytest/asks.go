package notifytest

import (
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// The marks of the places that an asker writes to. None is part of another.
const (
	inQuestion     = "MARKQUESTION"
	inHeader       = "MARKHEADER"
	inBody         = "MARKBODY"
	inLabel        = "MARKLABEL"
	inDescription  = "MARKDESCRIPTION"
	inPreview      = "MARKPREVIEW"
	inAgent        = "MARKAGENT"
	inHost         = "MARKHOST"
	inWorkspace    = "MARKWORKSPACE"
	inBranch       = "MARKBRANCH"
	inPerson       = "MARKPERSON"
	inConversation = "MARKCONVERSATION"
	inAnswer       = "MARKANSWER"
)

var marks = []string{inQuestion, inHeader, inBody, inLabel, inDescription, inPreview, inAgent, inHost, inWorkspace, inBranch, inPerson, inConversation, inAnswer}

// found returns the marks that a text has. White space does not hide one, as some
// channels break lines.
func found(text string) map[string]bool {
	text = strings.Join(strings.Fields(text), "")
	out := make(map[string]bool)
	for _, m := range marks {
		if strings.Contains(text, m) {
			out[m] = true
		}
	}
	return out
}

// The address of the inbox in every note.
const (
	inbox  = "https://hub.example/"
	handle = "hdl1"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ticket is an ask with the text in every place, as a hub has it.
func ticket(h Hostile, id string) *hub.Ticket {
	in := func(mark string) string { return mark + " " + h.Text }
	a := &sayso.Ask{
		ID: id, AskedAt: epoch,
		Origin: sayso.Origin{Conversation: in(inConversation), ToolCall: "call", Agents: []string{in(inAgent)}, Host: in(inHost), Workspace: in(inWorkspace), Branch: in(inBranch)},
		Questions: []sayso.Question{{Header: in(inHeader), Text: in(inQuestion), Body: in(inBody), Options: []sayso.Option{
			{Label: in(inLabel), Description: in(inDescription), Preview: in(inPreview)},
			{Label: "second " + in(inLabel), Description: in(inDescription)},
		}}},
	}
	a.Normalize()
	return &hub.Ticket{
		Address: hub.Address{Tenant: "local", Person: in(inPerson), Conversation: in(inConversation), ID: id},
		Ask:     a, Digest: a.Digest(), Revision: 1, Handle: handle + id,
	}
}

// answered is the same ask with an answer in the asker's own words.
func answered(t *hub.Ticket, h Hostile) *hub.Ticket {
	c := *t
	c.Revision++
	c.Outcome = &sayso.Outcome{
		Status:  sayso.StatusAnswered,
		By:      sayso.Responder{Kind: sayso.ByPerson, ID: inPerson + " " + h.Text, Surface: "web"},
		Answers: []sayso.Answer{{QuestionID: "q1", Other: inAnswer + " " + h.Text}},
	}
	return &c
}

// step is one note of a scene.
type step struct {
	name  string
	note  *notify.Note
	lower notify.Detail // what the lock screen may show, at most
}

// scene is what happens to one note, or to one about several asks.
func (target *Target) scene(c *notify.Contact, l notify.Limits, h Hostile, key string, tickets []*hub.Ticket, lower notify.Detail) []step {
	var steps []step
	add := func(name string, m *notify.Matter) *notify.Note {
		m.Key, m.Token, m.Inbox, m.Now = key, "tok"+key+"abcdefghijk", inbox, epoch.Add(time.Minute)
		if len(m.Asks) == 1 {
			m.URL = inbox + "ask/" + m.Asks[0].Handle
		}
		n := notify.Compose(c, l, m)
		steps = append(steps, step{fmt.Sprintf("%s, %d asks", name, len(m.Asks)), n, min(lower, c.Detail)})
		return n
	}
	first := add("first", &notify.Matter{Asks: tickets, Alert: true})
	if l.Text > 0 && !l.Behind && first.Text == "" && len(tickets) == 1 && !target.Sealed {
		add("opened", &notify.Matter{Asks: tickets, Opened: true})
	}
	if !l.Machine {
		add("reminder", &notify.Matter{Asks: tickets, Round: 1, Alert: true})
	}
	var closed []*hub.Ticket
	for _, t := range tickets {
		closed = append(closed, answered(t, h))
	}
	add("over", &notify.Matter{Asks: closed, Round: 1})
	return steps
}
