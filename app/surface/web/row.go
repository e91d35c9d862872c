package web

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// row is one ask in the list.
type row struct {
	Handle, Title         string
	Mark                  mark
	Verified              string // who asks, as the hub knows it
	Name, Place           string // and as the asker says
	Ago, At               string // when it was asked, or closed
	Status                string // what became of it; empty while it is open
	Said, By, Delivery    string // what was answered, by whom and where, and whether the agent has it
	Blocked, Due          string
	To, Later             string // whom it is to or was delegated to; until when it is left for later
	Danger, Secret        bool
	Answered              bool // and not declined: Said is an answer, not a reason
	Open, Told, NotOpened bool
	Wants                 string // what an agent wants to do: permission for a command, a plan
	Same                  int    // other open asks with the same questions
}

// mark stands for an agent: its initial on a hue of its name.
type mark struct {
	Initial string
	Hue     int
}

// hues is how many there are; app.css has a class for each.
const hues = 24

func markOf(o sayso.Origin) mark {
	name := cmp.Or(o.ClaimedName(), o.Verified())
	if len(o.Agents) > 0 {
		name = sayso.SafeLine(o.Agents[0])
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	m := mark{Initial: "?", Hue: int(h.Sum32() % hues)}
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			m.Initial = strings.ToUpper(string(r))
			break
		}
	}
	return m
}

// row makes the row of an ask.
func (s *Site) row(rd *reader, it *hub.Item) row {
	t := it.Ticket
	r := row{
		Handle: s.hub.Handle(t.Address), Title: title(t.Ask), Open: t.Open(), Mark: markOf(t.Ask.Origin),
		Verified: rd.Verified(t.Ask.Origin), Name: t.Ask.Origin.ClaimedName(), Place: place(t.Ask.Origin),
		Ago: rd.ago(t.Ask.AskedAt), At: machine(t.Ask.AskedAt), Same: it.Same,
	}
	if t.Ask.Approval != nil {
		r.Wants = rd.KindName(string(t.Ask.Approval.Kind))
	}
	if r.Open {
		r.Blocked, r.Due = rd.HowMuchWaits(t.Ask.HeldUp()), rd.due(t.Ask)
		r.Danger, _ = t.Ask.Marks()
		r.Danger = r.Danger && r.Wants == "" // every permission is one, and says so
		r.Secret = t.Ask.Warning() != ""
		r.To, r.Later = rd.to(t), rd.later(it.Snoozed)
		return r
	}
	o := t.Outcome
	r.Ago, r.At, r.Status = rd.ago(o.At), machine(o.At), rd.headline(t)
	r.Said, r.By, r.Told = rd.inShort(t), rd.whoWhere(o), !t.Consumed.IsZero()
	r.Delivery, r.Answered = rd.delivery(t), o.Status == sayso.StatusAnswered
	return r
}

// place is where the asker says it is; the program too, where agents are named.
func place(o sayso.Origin) string {
	all := []string{o.ClaimedPlace()}
	if len(o.Agents) > 0 && o.Host != "" {
		all = []string{sayso.SafeLine(o.Host), o.ClaimedPlace()}
	}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " · ")
}

// title is the first question, and that there are more.
func title(a *sayso.Ask) string {
	t := sayso.SafeLine(a.Questions[0].Text)
	if n := len(a.Questions) - 1; n > 0 {
		t += fmt.Sprintf(" (+%d)", n)
	}
	return t
}

// to says how the ask came here: who asked it again, and whom it is to.
func (rd *reader) to(t *hub.Ticket) string {
	if t.Again == nil {
		return rd.toWhom(t)
	}
	return strings.TrimSuffix(rd.AskedAgain(t.Again.By, rd.who.ID)+" · "+rd.toWhom(t), " · ")
}

// toWhom says whom the ask is to, where that is not everybody: by name, or delegated.
func (rd *reader) toWhom(t *hub.Ticket) string {
	if p := t.DelegatedTo(rd.who.ID); p != nil {
		return rd.Say(rd.Inbox.DelegatedBy, sayso.SafeLine(p.From))
	}
	if p := t.DelegatedBy(rd.who.ID); p != nil {
		return rd.Say(rd.Inbox.DelegatedTo, sayso.SafeLine(p.To))
	}
	if len(t.Ask.To) == 0 {
		return ""
	}
	names := make([]string, len(t.Ask.To))
	for i, n := range t.Ask.To {
		names[i] = sayso.SafeLine(n)
	}
	return rd.Say(rd.Web.ToNamed, strings.Join(names, ", "))
}

// later says until when the person has left an ask for later; it is empty if they
// have not.
func (rd *reader) later(z *hub.Snooze) string {
	switch {
	case z == nil:
		return ""
	case z.Back:
		return rd.Inbox.LaterUntilBack
	}
	return rd.Say(rd.Inbox.LaterUntil, rd.When(z.Until, rd.now, rd.zone))
}

// inShort is what was answered, or why nothing was, in one line.
func (rd *reader) inShort(t *hub.Ticket) string {
	if t.Outcome.Status != sayso.StatusAnswered {
		return sayso.SafeLine(t.Outcome.Reason)
	}
	var parts []string
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		if a, ok := t.Outcome.Answer(q.ID); ok && a.Answered() {
			parts = append(parts, sayso.SafeLine(rd.saidWords(q, a)))
		}
	}
	if t.Outcome.Reply != "" {
		parts = append(parts, sayso.SafeLine(t.Outcome.Reply))
	}
	return strings.Join(parts, " · ")
}

// delivery says whether the agent has the outcome, and whether it came late.
func (rd *reader) delivery(t *hub.Ticket) string {
	switch {
	case t.Outcome.Status != sayso.StatusAnswered && t.Outcome.Status != sayso.StatusDeclined:
		return ""
	case t.Consumed.IsZero():
		return rd.Inbox.NotDelivered
	case t.Consumed.Sub(t.Outcome.At) > lateAfter:
		return rd.Inbox.Late
	}
	return rd.Inbox.Delivered
}
