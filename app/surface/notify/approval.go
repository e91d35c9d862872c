package notify

import (
	"slices"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// A note about an approval has one line of what the agent wants to do, which is never
// all of it. So nothing can be allowed from it: it has a button to deny, and the
// address of the page that shows everything.

// isApproval reports whether somebody asks for permission.
func isApproval(t *hub.Ticket) bool { return sayso.ByAskKind(t.Ask, false, true) }

const (
	allowElsewhere = "You can allow it only in the inbox, where all of it is shown."
	noMessage      = "This agent takes no message. Press “Deny”, or open the inbox."
)

// approvalText is what a note shows of an approval.
func approvalText(l Limits, t *hub.Ticket) string {
	q := &t.Ask.Questions[0]
	text := sayso.RenderIntroduction(t.Ask) + "\n" + sayso.SafeLine(q.Text) + "\n"
	if cwd := t.Ask.Approval.Cwd; !sayso.Blank(cwd) {
		if more := text + "Directory: " + sayso.SafeLine(cwd) + "\n"; l.size(more) <= l.Text {
			text = more
		}
	}
	return text
}

// approvalOne is a note about an approval that is open, for a contact that may show
// what it is about.
func approvalOne(n *Note, c *Contact, l Limits, m *Matter, t *hub.Ticket) {
	if l.Picks {
		if deny, _ := denial(t); n.URL != "" && detailOf(c, []*hub.Ticket{t}) == DetailText {
			n.add(l, Button{Label: cut(sayso.SafeLine(deny.Label), 40), URL: pickURL(n.URL, deny.ID), Answer: true})
		}
		return
	}
	if n.Text = approvalText(l, t); l.size(n.Text) > l.Text {
		n.Text = n.Title + ". It is too long to show here: " + elsewhere(n.URL)
		n.add(l, Button{Label: "Open in the inbox", URL: n.URL})
		return
	}
	why := unanswerable(c, t)
	if why != "" {
		why += " " + sentence(elsewhere(n.URL))
	} else {
		deny, i := denial(t)
		n.add(l, Button{Label: cut(sayso.SafeLine(deny.Label), 40), Data: m.Token + "." + strconv.Itoa(i), Answer: true})
		why = allowElsewhere
		if l.Words && takesMessage(t) {
			n.add(l, Button{Label: "Deny with a message…", Data: m.Token + ".w"})
			why += " What you write here denies it, and the agent is told what you wrote."
		}
	}
	if more := n.Text + "\n" + why + "\n"; l.size(more) <= l.Text {
		n.Text = more
	}
	n.add(l, Button{Label: "Open in the inbox", URL: n.URL})
}

// denial returns the first option that denies, and its number.
func denial(t *hub.Ticket) (*sayso.Option, int) {
	q := &t.Ask.Questions[0]
	id := t.Ask.Approval.Denies()[0].ID // an approval that cannot be denied is not taken
	i := slices.IndexFunc(q.Options, func(o sayso.Option) bool { return o.ID == id })
	return &q.Options[i], i
}

// takesMessage reports whether words can deny the approval.
func takesMessage(t *hub.Ticket) bool {
	return slices.ContainsFunc(t.Ask.Approval.Denies(), func(o *sayso.Offer) bool { return o.Message })
}

// notFromHere says why an answer to an approval is not taken from a note, or "": only
// a denial is, whatever a button or a text says.
func notFromHere(t *hub.Ticket, a *sayso.Answer) string {
	p := t.Ask.Approval
	if p == nil {
		return ""
	}
	for _, id := range a.Selected {
		if o := p.Offer(id); o == nil || o.Act != sayso.ActDeny {
			return allowElsewhere + " Nothing was sent."
		}
	}
	if len(a.Selected) == 0 && !takesMessage(t) {
		return noMessage + " This text was not sent."
	}
	return ""
}

// verdictWords says what became of an approval that was answered, or "".
func verdictWords(t *hub.Ticket) string {
	switch v := t.Ask.Verdict(t.Outcome); {
	case v == nil:
		return ""
	case !v.Allowed():
		return "Denied"
	case v.Unseen > 0:
		return "Allowed, some of it unseen,"
	}
	return "Allowed"
}

// sentence begins with a capital letter.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// words asks for own words about an ask.
func (d *desk) words(s *slot, t *hub.Ticket) *Reply {
	w := &Words{Token: s.Token, Title: sayso.Title(t.Ask), Text: Whole(t)}
	if isApproval(t) {
		if !takesMessage(t) {
			return &Reply{Text: noMessage}
		}
		l, _ := d.n.limits(d.kind)
		w.Title, w.Text, w.Deny = subject(t), approvalText(l, t), true
	}
	return &Reply{Done: true, Words: w}
}

// denied says that an approval was denied, and what the agent is told.
func denied(q *sayso.Question, a sayso.Answer) string {
	if a.Other != "" {
		return "Denied. The agent is told: " + said(q, a)
	}
	return "Denied."
}
