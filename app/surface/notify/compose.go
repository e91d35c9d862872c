package notify

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Matter is what a note is to be about.
type Matter struct {
	Key, Token string
	Round      int
	Alert      bool
	Opened     bool          // the person wanted to see the whole ask
	Later      bool          // what it was about is put off
	Asks       []*hub.Ticket // in the order in which they were asked; not all need be open
	Inbox      string        // the address of the inbox; empty: none that others can reach
	URL        string        // the address of the ask, if there is one only
	Now        time.Time
}

// Compose writes the note for a contact. It is the only place with words about asks,
// so they are the same on every device.
func Compose(c *Contact, l Limits, m *Matter) *Note {
	n := &Note{Key: m.Key, Token: m.Token, Round: m.Round, Alert: m.Alert, Asks: m.Asks, URL: m.Inbox}
	var open []*hub.Ticket
	for _, t := range m.Asks {
		if t.Open() {
			open = append(open, t)
		}
	}
	n.Waiting, n.Over = len(open), len(open) == 0
	about := open
	if n.Over {
		about = m.Asks
	}
	if len(about) == 0 {
		n.Title, n.Body = "sayso", "The question is closed."
		if m.Later {
			n.Body = "It does not wait for you now."
		}
		n.Text = n.Body
		return n
	}
	n.Title, n.Body = headline(about, detailOf(c, about), n.Over)
	if len(about) == 1 {
		n.URL = cmp.Or(m.URL, m.Inbox)
		one(n, c, l, m, about[0])
		n.delegated(c, l, about[0], m.Opened)
	} else {
		several(n, l, m, about)
	}
	if n.Waiting > 0 {
		n.deadlines(open, m.Now)
	}
	return n
}

// detailOf is how much the lock screen may show: what the contact allows, and less if
// an asker says so. An asker cannot raise it.
func detailOf(c *Contact, about []*hub.Ticket) Detail {
	d := c.Detail
	for _, t := range about {
		if s, ok := t.Ask.Metadata[sayso.MetadataNotify].(string); ok {
			switch s {
			case "count":
				d = DetailCount
			case "sender":
				d = min(d, DetailSender)
			}
		}
		if _, secret := t.Ask.Marks(); secret {
			d = min(d, DetailSender)
		}
	}
	return d
}

const maxBody = 300 // runes of a question on a lock screen

// headline is what the lock screen shows.
func headline(about []*hub.Ticket, d Detail, over bool) (title, body string) {
	waits, asks, asked, many := "A question waits for you.", " asks", " asked", "questions"
	if slices.ContainsFunc(about, isApproval) {
		waits, asks, asked, many = "A request for permission waits for you.", " asks for permission", " asked for permission", "requests"
	}
	if len(about) > 1 {
		waits = strconv.Itoa(len(about)) + " " + many + " wait for you."
	}
	if over {
		waits = "Closed."
		if len(about) == 1 {
			waits = Closing(about[0])
		}
	}
	if d == DetailCount {
		if over {
			waits = "Nothing waits for you here any more."
		}
		return "sayso", waits
	}
	who := ""
	for i, t := range about {
		switch name := cut(t.Ask.Origin.ClaimedName(), 60); {
		case i == 0:
			who = name
		case who != name:
			who = "several agents"
		}
	}
	who = cmp.Or(who, "an agent")
	title = who + asks
	if len(about) > 1 {
		title, asked = fmt.Sprintf("%d %s from %s", len(about), many, who), " asked"
	}
	if over {
		return who + asked, waits
	}
	switch {
	case len(about) > 1:
		return title, "They wait for you in the inbox."
	case d < DetailText:
		return title, waits
	}
	return title, cut(sayso.SafeText(about[0].Ask.Questions[0].Text), maxBody)
}

// one is a note about a single ask.
func one(n *Note, c *Contact, l Limits, m *Matter, t *hub.Ticket) {
	shows := l.Behind || m.Opened || detailOf(c, []*hub.Ticket{t}) == DetailText
	whole := Whole(t)
	fits := l.Text > 0 && (l.size(whole) <= l.Text || isApproval(t))
	switch {
	case n.Over:
		n.Text = n.Title + ". " + n.Body
		if shows && l.Text > 0 {
			n.Text = cutTo(l, "Asked: "+subject(t)+"\n"+Closing(t)+"\n"+sayso.RenderResult(t.Ask, t.Outcome))
		}
		if c.Account != "" && mayUndo(c, t) {
			n.add(l, Button{Label: "Undo", Data: m.Token + ".u"})
		}
		return
	case !shows && l.Text > 0:
		if fits {
			n.add(l, Button{Label: sayso.ByAskKind(t.Ask, "Show the question", "Show the request"), Data: m.Token + ".s"})
		}
		n.add(l, Button{Label: "Open in the inbox", URL: n.URL})
	case isApproval(t) && (l.Text > 0 || l.Picks):
		approvalOne(n, c, l, m, t)
		if l.Picks {
			return
		}
	case l.Picks:
		if detailOf(c, []*hub.Ticket{t}) == DetailText && n.URL != "" {
			picks(n, l, t)
		}
		return
	case fits:
		n.Text = whole
		why := answers(n, c, l, m, t)
		if more := n.Text + "\n" + why + "\n"; why != "" && l.size(more) <= l.Text { // never at the cost of the question
			n.Text = more
		}
		n.add(l, Button{Label: "Open in the inbox", URL: n.URL})
	case l.Text > 0:
		n.Text = n.Title + ". It is too long to show here: " + elsewhere(n.URL)
		n.add(l, Button{Label: "Open in the inbox", URL: n.URL})
	default:
		n.add(l, Button{Label: "Open in the inbox", URL: n.URL})
		return
	}
	named := l.Behind || detailOf(c, []*hub.Ticket{t}) >= DetailSender // buttons are seen as well
	if name := t.Ask.Origin.ClaimedName(); c.Account != "" && name != "" && named && l.Buttons > 3 {
		n.add(l, Button{Label: "Mute " + cut(name, 20) + " for 1 h", Data: m.Token + ".m"})
	}
}

// several is a note about more than one ask.
func several(n *Note, l Limits, m *Matter, about []*hub.Ticket) {
	if l.Text > 0 {
		n.Text = n.Title + ". " + n.Body
		if !n.Over && n.URL == "" {
			n.Text += " " + elsewhere("")
		}
	}
	if !n.Over {
		n.add(l, Button{Label: "Open the inbox", URL: n.URL})
	}
}

// elsewhere says where to answer.
func elsewhere(url string) string {
	if url == "" {
		return "answer it with sayso inbox."
	}
	return "open it in the inbox."
}

// answers adds the buttons that answer the ask, or says why there are none.
func answers(n *Note, c *Contact, l Limits, m *Matter, t *hub.Ticket) (why string) {
	if why := unanswerable(c, t); why != "" {
		return why + " " + sentence(elsewhere(n.URL))
	}
	q := &t.Ask.Questions[0]
	room := l.Buttons - 2 // for the inbox, and own words
	if len(q.Options) > room {
		return "There is no room for its options. " + sentence(elsewhere(n.URL))
	}
	for i := range q.Options {
		o := &q.Options[i]
		if o.Danger {
			if n.URL != "" {
				n.add(l, Button{Label: cut(o.LabelMarked(), 40) + ", in the inbox", URL: n.URL, Danger: true})
			}
			why = "You can choose a dangerous option only in the inbox."
			continue
		}
		n.add(l, Button{Label: label(i, o), Data: m.Token + "." + strconv.Itoa(i), Answer: true})
	}
	if l.Words {
		n.add(l, Button{Label: "Own words…", Data: m.Token + ".w"})
	}
	return why
}

// label is what a button says. The note has the whole label under the same number.
func label(i int, o *sayso.Option) string {
	return strconv.Itoa(i+1) + ". " + cut(sayso.SafeLine(o.LabelMarked()), 40)
}

// picks adds buttons that open the page with an option selected.
func picks(n *Note, l Limits, t *hub.Ticket) {
	q := &t.Ask.Questions[0]
	if len(t.Ask.Questions) > 1 || q.Several() || len(q.Options) > l.Buttons {
		return
	}
	for i := range q.Options {
		if o := &q.Options[i]; !o.Danger {
			n.add(l, Button{Label: cut(sayso.SafeLine(o.LabelMarked()), 40), URL: pickURL(n.URL, o.ID), Answer: true})
		}
	}
}

func pickURL(page, option string) string { return page + "?pick=" + url.QueryEscape(option) }

// unanswerable says why the ask cannot be answered at the contact, or "".
func unanswerable(c *Contact, t *hub.Ticket) string {
	q := &t.Ask.Questions[0]
	dangerous, secret := t.Ask.Marks()
	safe := slices.ContainsFunc(q.Options, func(o sayso.Option) bool { return !o.Danger })
	switch {
	case c.Account == "":
		return "You cannot answer here."
	case t.Ask.MinAssurance > c.Assurance:
		return "It needs a stronger sign-in."
	case isApproval(t): // can be denied
	case len(t.Ask.Questions) > 1:
		return "It has several questions."
	case q.Several():
		return "It takes several options."
	case secret || q.AsksForSecret():
		return "It asks for a secret."
	case dangerous && !safe:
		return "Every option is dangerous."
	}
	return ""
}

// subject names what was asked in a line.
func subject(t *hub.Ticket) string {
	return sayso.ByAskKind(t.Ask, sayso.Title, sayso.Meta)(t.Ask)
}

// Whole is everything that a person is shown of an ask, as plain text.
func Whole(t *hub.Ticket) string {
	var b strings.Builder
	b.WriteString(sayso.RenderIntroduction(t.Ask))
	for i := range t.Ask.Questions {
		b.WriteString("\n" + sayso.RenderQuestion(t.Ask, i))
	}
	return b.String()
}

// surfaces are the words for where an answer was given.
var surfaces = map[string]string{
	"terminal": "in the terminal", "tui": "in the terminal", "web": "in the web inbox", "command": "on the command line",
	string(Telegram): "in Telegram", string(Slack): "in Slack", string(Desktop): "on the desktop", string(Ntfy): "through ntfy",
}

// Closing says how an ask was closed, who did it and where: one sentence.
func Closing(t *hub.Ticket) string {
	o := t.Outcome
	if o == nil {
		return "The question waits again."
	}
	what := map[sayso.Status]string{
		sayso.StatusAnswered: "Answered", sayso.StatusDeclined: "Declined", sayso.StatusExpired: "The deadline passed without an answer",
		sayso.StatusCancelled: "Withdrawn by the agent", sayso.StatusSuperseded: "Replaced by a newer question",
	}[o.Status]
	what = cmp.Or(verdictWords(t), what, "Closed")
	if o.Status == sayso.StatusAnswered || o.Status == sayso.StatusDeclined {
		if s := sayso.SafeLine(o.By.Surface); s != "" {
			what += " " + cmp.Or(surfaces[s], "through "+cut(s, 40))
		}
		if who := sayso.SafeLine(o.By.ID); who != "" {
			what += " by " + cut(who, 60)
		}
	}
	return what + "."
}

// mayUndo reports whether the person of the contact can take the answer back.
func mayUndo(c *Contact, t *hub.Ticket) bool {
	o := t.Outcome
	if o == nil || !t.Consumed.IsZero() || o.Status != sayso.StatusAnswered && o.Status != sayso.StatusDeclined {
		return false
	}
	return hub.SameResponder(o.By, c.responder())
}

// responder is how the person's outcomes are signed that come from the contact.
func (c *Contact) responder() sayso.Responder {
	return sayso.Responder{Kind: sayso.ByPerson, ID: c.Person, Surface: string(c.Kind), Assurance: c.Assurance}
}

// deadlines says until when the note is of use, and whether that is soon.
func (n *Note) deadlines(open []*hub.Ticket, now time.Time) {
	for _, t := range open {
		d := t.Ask.Deadline
		if d.IsZero() {
			n.Until = time.Time{}
			break
		}
		if d.After(n.Until) {
			n.Until = d
		}
	}
	for _, t := range open {
		if d, asked := t.Ask.Deadline, t.Ask.AskedAt; !d.IsZero() && now.Sub(asked)*10 >= d.Sub(asked)*9 {
			n.Urgent = true
		}
	}
}

// add adds a button if there is room, and if it leads anywhere.
func (n *Note) add(l Limits, b Button) {
	if len(n.Buttons) < l.Buttons && (b.Data != "" || b.URL != "") {
		n.Buttons = append(n.Buttons, b)
	}
}

func (l Limits) size(s string) int {
	if l.Size == nil {
		return utf8.RuneCountInString(s)
	}
	return l.Size(s)
}

// cut shortens a text to so many runes.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// cutTo shortens a text to what the limits allow.
func cutTo(l Limits, s string) string {
	for l.size(s) > l.Text {
		r := []rune(s)
		s = string(r[:len(r)*9/10-1]) + "…"
	}
	return s
}
