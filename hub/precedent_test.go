package hub_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// before is a hub with a clock that goes on with every look at it.
type before struct {
	*hub.Hub
	t *testing.T
}

func newBefore(t *testing.T) before {
	at, looks := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC), atomic.Int64{}
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), &hub.Options{Now: func() time.Time { return at.Add(time.Duration(looks.Add(1)) * time.Second) }, Keep: 1e6 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return before{h, t}
}

func (b before) ask(text string, edit ...func(*sayso.Ask)) *hub.Ticket {
	b.t.Helper()
	a := &sayso.Ask{
		Origin:    sayso.Origin{Workspace: "shop"},
		Questions: []sayso.Question{{Text: text, Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}}}},
	}
	for _, e := range edit {
		e(a)
	}
	a.Normalize()
	t, err := b.Submit(b.t.Context(), "acme", a)
	if err != nil {
		b.t.Fatal(err)
	}
	return t
}

func (b before) close(t *hub.Ticket, o sayso.Outcome) *hub.Ticket {
	b.t.Helper()
	if o.Status == "" {
		o.Status = sayso.StatusAnswered
	}
	if o.By.Kind == "" {
		o.By = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}
	}
	closed, err := b.Close(b.t.Context(), t, &o, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return closed
}

func (b before) precedents(t *hub.Ticket, who string) []hub.Precedent {
	b.t.Helper()
	found, err := b.Precedents(b.t.Context(), "acme", sayso.Responder{Kind: sayso.ByPerson, ID: who}, t)
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

func chose(ids ...string) sayso.Outcome {
	return sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Selected: ids}}}
}

const whichDatabase = "Which database should the service use?"

// Each line is an earlier ask and what became of it: whether the inbox shows it beside
// the question at hand, and whether its answer can be reused.
func TestPrecedents(t *testing.T) {
	danger := func(a *sayso.Ask) { a.Questions[0].Options[1].Danger = true }
	labels := func(l ...string) func(*sayso.Ask) {
		return func(a *sayso.Ask) {
			a.Questions[0].Options = nil
			for _, s := range l {
				a.Questions[0].Options = append(a.Questions[0].Options, sayso.Option{Label: s})
			}
		}
	}
	by := func(k sayso.ResponderKind) sayso.Outcome {
		o := chose("o2")
		o.By = sayso.Responder{Kind: k, ID: "x", Surface: "test"}
		return o
	}
	for _, c := range []struct {
		name    string
		text    string
		edit    func(*sayso.Ask)
		outcome sayso.Outcome
		now     func(*sayso.Ask) // of the ask at hand
		shown   bool
		reuse   string
	}{
		{name: "the same", text: whichDatabase, outcome: chose("o2"), shown: true, reuse: "[{q1 [o2]  }]"},
		{name: "in other words", text: "What database do you want for this service?", outcome: chose("o2"), shown: true, reuse: "[{q1 [o2]  }]"},
		{name: "in own words, with a note", text: whichDatabase, outcome: sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Other: "MariaDB", Note: "we have one"}}}, shown: true, reuse: "[{q1 [] MariaDB we have one}]"},
		{name: "the options in another order", text: whichDatabase, edit: labels("SQLite", "PostgreSQL"), outcome: chose("o1"), shown: true, reuse: "[{q1 [o2]  }]"},
		{name: "an option that is not offered now", text: whichDatabase, edit: labels("MySQL", "SQLite", "PostgreSQL"), outcome: chose("o1"), shown: true},
		{name: "a label that two options have now", text: whichDatabase, outcome: chose("o2"), now: labels("PostgreSQL", "SQLITE", "sqlite"), shown: true},
		{name: "something else", text: "Which color should the button have?", edit: labels("red", "blue"), outcome: chose("o1")},
		{name: "another number", text: "Which database should service 7 use?", outcome: chose("o2"), now: func(a *sayso.Ask) { a.Questions[0].Text = "Which database should service 8 use?" }},
		{name: "a decline", text: whichDatabase, outcome: sayso.Outcome{Status: sayso.StatusDeclined, Reason: "not my project"}, shown: true},
		{name: "withdrawn", text: whichDatabase, outcome: sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}}},
		{name: "a program's reply", text: whichDatabase, outcome: by(sayso.ByProgram), shown: true, reuse: "[{q1 [o2]  }]"},
		{name: "an agent's answer", text: whichDatabase, outcome: by(sayso.ByAgent)},
		{name: "a rule's answer", text: whichDatabase, outcome: by(sayso.ByPolicy)},
		{name: "a reply to the form", text: whichDatabase, outcome: sayso.Outcome{Reply: "let us talk"}, shown: true},
		{name: "to somebody else", text: whichDatabase, edit: func(a *sayso.Ask) { a.To = []string{"bob"} }, outcome: by(sayso.ByPerson), shown: false},
		{name: "another workspace", text: whichDatabase, edit: func(a *sayso.Ask) { a.Origin.Workspace = "billing" }, outcome: chose("o2"), shown: true},
		{name: "a dangerous option", text: whichDatabase, edit: danger, outcome: chose("o2"), now: danger, shown: true},
		{name: "a dangerous option that was not chosen", text: whichDatabase, edit: danger, outcome: chose("o1"), now: danger, shown: true, reuse: "[{q1 [o1]  }]"},
		{name: "what asks for a password", text: "What is your database password?", edit: labels(), outcome: sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Other: "hunter2"}}}, now: func(a *sayso.Ask) {
			a.Questions[0].Text, a.Questions[0].Options = "What is your database password?", nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBefore(t)
			edit := c.edit
			if edit == nil {
				edit = func(*sayso.Ask) {}
			}
			if len(c.outcome.Answers) > 0 && c.name == "to somebody else" {
				c.outcome.By.ID = "bob"
			}
			b.close(b.ask(c.text, edit), c.outcome)
			now := b.ask(whichDatabase, func(a *sayso.Ask) {
				if c.now != nil {
					c.now(a)
				}
			})
			found := b.precedents(now, "ann")
			if (len(found) == 1) != c.shown {
				t.Fatalf("shown: %+v", found)
			}
			reuse := ""
			if len(found) > 0 && found[0].Answers != nil {
				a := found[0].Answers[0]
				reuse = fmt.Sprintf("[{%s %v %s %s}]", a.QuestionID, a.Selected, a.Other, a.Note)
			}
			if reuse != c.reuse {
				t.Errorf("reused: %q, want %q", reuse, c.reuse)
			}
			if got, err := b.Get(t.Context(), now.Address); err != nil || !got.Open() || got.Held != nil || got.Revision != now.Revision {
				t.Errorf("an earlier answer was reused by itself: %+v, %v", got, err)
			}
		})
	}
}

// An approval is reused for exactly the same call and for nothing else.
func TestPrecedentsOfApprovals(t *testing.T) {
	call := func(command, why string) func(*sayso.Ask) {
		return func(a *sayso.Ask) {
			p := sayso.NewApproval(sayso.ApproveShell, "Bash", fmt.Appendf(nil, `{"command":%q}`, command), &sayso.ApprovalOptions{Command: "command"})
			p.Cwd, p.Why, p.Offers = "/src", []string{why}, []sayso.Offer{{ID: "yes", Act: sayso.ActAllow, Edit: true}, {ID: "no", Act: sayso.ActDeny}}
			a.Questions, a.Approval, a.Kind = nil, p, sayso.AskApproval
		}
	}
	verdict := func(id, input string) sayso.Outcome {
		return sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "verdict", Selected: []string{id}, Input: input}}}
	}
	for _, c := range []struct {
		name           string
		command, why   string
		outcome        sayso.Outcome
		shown, reusing bool
	}{
		{"the same call", "make clean", "a rule says ask", verdict("yes", ""), true, true},
		{"denied", "make clean", "a rule says ask", verdict("no", ""), true, true},
		{"asked for another reason", "make clean", "outside the sandbox", verdict("yes", ""), true, false},
		{"another command", "make clear", "a rule says ask", verdict("yes", ""), false, false},
		{"allowed with another input", "make clean", "a rule says ask", verdict("yes", `{"command":"make test"}`), true, false},
	} {
		b := newBefore(t)
		b.close(b.ask("", call(c.command, c.why)), c.outcome)
		found := b.precedents(b.ask("", call("make clean", "a rule says ask")), "ann")
		if (len(found) == 1) != c.shown || c.shown && (found[0].Answers != nil) != c.reusing {
			t.Errorf("%s: %+v", c.name, found)
		}
	}
}

// The best is first, the same answer is there once, and three are enough.
func TestPrecedentsOrder(t *testing.T) {
	b := newBefore(t)
	say := func(text, words string, edit ...func(*sayso.Ask)) *hub.Ticket {
		return b.close(b.ask(text, edit...), sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Other: words}}})
	}
	say(whichDatabase, "elsewhere", func(a *sayso.Ask) { a.Origin.Workspace = "billing" })
	say("Which database should the user service use?", "much alike")
	say(whichDatabase, "the oldest")
	for range 5 {
		say(whichDatabase, "often")
	}
	say(whichDatabase, "the newest")
	var got []string
	for _, p := range b.precedents(b.ask(whichDatabase), "ann") {
		got = append(got, p.Ticket.Outcome.Answers[0].Other)
	}
	if want := []string{"the newest", "often", "the oldest"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	two := newBefore(t)
	b = two
	say(whichDatabase, "elsewhere", func(a *sayso.Ask) { a.Origin.Workspace = "billing" })
	say("Which database should the user service use?", "much alike")
	got = nil
	for _, p := range b.precedents(b.ask(whichDatabase), "ann") {
		got = append(got, p.Ticket.Outcome.Answers[0].Other)
	}
	if want := "much alike, elsewhere"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q: the workspace at hand is first", got, want)
	}
}

// Another asker, another workspace, approvals and secrets are no decisions of an asker.
func TestDecisionsOfAnAsker(t *testing.T) {
	b := newBefore(t)
	from := func(asker, workspace string) func(*sayso.Ask) {
		return func(a *sayso.Ask) { a.Origin.Asker, a.Origin.Workspace = asker, workspace }
	}
	b.close(b.ask(whichDatabase, from("robot", "shop")), chose("o2"))
	b.close(b.ask("Which database should the API use?", from("other", "shop")), chose("o2"))
	b.close(b.ask("Which database should the worker use?", from("robot", "billing")), chose("o2"))
	b.close(b.ask("Which database password is set?", from("robot", "shop"), func(a *sayso.Ask) {
		a.Questions[0].Text, a.Questions[0].Options = "What is your database password?", nil
	}), sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q1", Other: "hunter2"}}})
	b.close(b.ask("Which database should be dropped?", from("robot", "shop")), sayso.Outcome{Status: sayso.StatusDeclined})
	for _, text := range []string{"", "database"} {
		found, err := b.Asker("acme", sayso.Responder{ID: "robot"}).(hub.Recaller).Decisions(t.Context(), &hub.Decisions{Workspace: "shop", Text: text})
		if err != nil || len(found) != 1 || found[0].Ask.Questions[0].Text != whichDatabase {
			t.Errorf("%q: %d found, %v", text, len(found), err)
			for _, f := range found {
				t.Log(f.Ask.Questions[0].Text)
			}
		}
	}
}
