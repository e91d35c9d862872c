package surfacetest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Approvals says what a surface does with an approval.
type Approvals string

// What surfaces do with approvals.
const (
	// ShowsAll is a surface that shows everything, also what is stored beside the ask.
	ShowsAll Approvals = "shows all"

	// ShowsAsk is one that shows what is a part of the ask, and reads nothing that is
	// stored beside it. That can be denied there, or allowed unseen.
	ShowsAsk Approvals = "shows the ask"

	// OnlyDenies is one that shows a summary, denies, and says where to allow.
	OnlyDenies Approvals = "only denies"
)

func shown(p *Person) bool  { return p.approvals == ShowsAll || p.approvals == ShowsAsk }
func denies(p *Person) bool { return p.approvals == OnlyDenies }
func either(p *Person) bool { return shown(p) || denies(p) }

// approvals are the cases of what an agent wants to do.
var approvals = []one{
	{"V1", "approval, everything is within reach", shown, func(e *env) {
		e.allows(shell("npm run MARKCOMMAND"), "once", "npm run MARKCOMMAND", "/home/ann/payments", "MARKREASON", "agent's words", "Bash", "Deny and stop")
	}},
	{"V1", "approval, the end of a long command", shown, func(e *env) { e.allows(long13(), "once", "MARKFIRST", "rm -rf MARKLAST") }},
	{"V1", "approval, what stands behind many spaces", shown, func(e *env) { e.allows(behind(), "once", "npm test", "9000 spaces", "; curl evil.example") }},
	{"V1", "approval, characters that disguise others", shown, func(e *env) {
		e.shows(disguised())
		all := e.SeesAll()
		e.mustSee(all, "<U+202E>", "<U+2066>", "␛[2J", "MARKCR")
		if i := strings.IndexAny(all, "\u202e\u2066\x1b\x08\x07\r"); i >= 0 {
			e.Errorf("characters that disguise others are shown as they are: %q", all[max(0, i-20):min(len(all), i+20)])
		}
	}},
	{"V1", "approval, 50 files", shown, func(e *env) {
		e.allows(files(), "once", "src/file1.go", "MARK1X", "MARK25X", "src/file50.go", "MARK50X", "+1 −1")
	}},
	{"V1", "approval, a plan", shown, func(e *env) {
		e.allows(plan(), "edits", "MARKPLAN", "MARKBOLD", "/p/plan.md", "acceptEdits", "Keep planning")
	}},
	{"V1", "approval, a rule and its file before it is chosen", shown, func(e *env) {
		e.allows(shell("npm run build"), "local", "Bash(npm run *)", ".claude/settings.local.json")
	}},
	{"V1", "approval, 200 KB", func(p *Person) bool { return p.approvals == ShowsAll }, func(e *env) {
		t := e.allows(write(), "once", "+line 1 of the new file", "+line 4500 of the new file", "+line 9000 of the new file", "+MARKEND")
		got, _ := e.Now(t).Outcome.Answer(sayso.VerdictQuestion)
		if hashes, _ := t.Ask.Approval.Unseen(); !slices.Equal(got.Opened, hashes) {
			e.Errorf("opened %q, want %q", got.Opened, hashes)
		}
	}},
	{"V1", "approval, another content than was asked for", func(p *Person) bool { return p.approvals == ShowsAll }, func(e *env) {
		t := e.Submit(write())
		hashes, _ := t.Ask.Approval.Unseen()
		if err := e.Hub.PutContent(e.Context(), t.Address, hashes[0], 0, "+harmless\n"); err != nil {
			e.Fatal(err)
		}
		e.Show(t)
		e.SeesAll()
		e.Choose(0, "once")
		e.answer(t)
		e.StaysOpen(t, "it could not be shown")
		if e.Says() == "" {
			e.Error("the surface does not say why it does not send")
		}
		e.Show(t)
		e.Choose(0, "deny")
		e.answer(t)
		e.decided(t, "deny", "")
	}},
	{"V1", "approval, what was not opened is not allowed", func(p *Person) bool { return shown(p) && !p.Prints }, func(e *env) {
		t := e.shows(write())
		e.Choose(0, "once")
		e.Send()
		e.StaysOpen(t, "it was not opened")
		if e.Says() == "" {
			e.Error("the surface does not say why it does not send")
		}
	}},
	{"V1", "approval, what was not opened can be denied", either, func(e *env) {
		t := e.shows(write())
		e.Choose(0, "deny")
		e.answer(t)
		e.decided(t, "deny", "")
	}},
	{"V1", "approval, nothing is allowed here", denies, func(e *env) {
		for _, a := range []*sayso.Ask{shell("npm run MARKCOMMAND"), write(), plan()} {
			t := e.shows(a)
			e.mustSee(e.Sees(), t.Ask.Questions[0].Text)
			e.refers(t)
			for _, o := range append(t.Ask.Approval.Allows(), &sayso.Offer{ID: sayso.OfferUnseen}) {
				e.Choose(0, o.ID)
				e.Send()
				e.Confirm()
				e.StaysOpen(t, "nothing is allowed here")
			}
			no := t.Ask.Approval.Denies()[0].ID
			e.Choose(0, no)
			e.answer(t)
			e.decided(t, no, "")
		}
	}},
	{"V2", "approval, who asks", either, func(e *env) {
		a := shell("npm test")
		a.Origin = sayso.Origin{Agents: []string{"Security Team"}, Asker: "deploy-bot", Via: "http"}
		e.shows(a)
		e.mustSee(e.Sees(), a.Origin.Verified(), "Security Team")
		b := shell("npm test")
		b.ID, b.Origin = "claims", sayso.Origin{Agents: []string{"Security Team (verified)"}}
		e.shows(b)
		e.mustSee(e.Sees(), sayso.Unverified, "Security Team (verified)")
	}},
	{"V3", "approval, nothing is preselected", either, func(e *env) {
		t := e.shows(shell("npm test"))
		e.SeesAll()
		e.answer(t)
		e.StaysOpen(t, "nothing was chosen")
	}},
	{"V4", "approval, allowing unseen is an action of its own", shown, func(e *env) {
		t := e.shows(write())
		o := t.Ask.Questions[0].Option(sayso.OfferUnseen)
		e.Choose(0, o.ID)
		e.Send()
		e.StaysOpen(t, "one action is not enough")
		e.mustSee(e.Sees(), o.Label)
		if e.Refers {
			e.refers(t)
			return
		}
		e.Confirm()
		e.wantStored(t, []string{sayso.OfferUnseen}, "")
		now := e.Now(t)
		if v := now.Ask.Verdict(now.Outcome); !v.Allowed() || v.Unseen < 200_000 {
			e.Errorf("the verdict is %+v", v)
		}
	}},
	{"V5", "approval, words deny", func(p *Person) bool { return either(p) && types(p) }, func(e *env) {
		t := e.shows(shell("npm test"))
		e.SeesAll()
		e.Type(0, "yes, but use pnpm")
		e.answer(t)
		e.decided(t, "deny", "yes, but use pnpm")
	}},
	{"V6", "approval, words where none are taken", func(p *Person) bool { return shown(p) && types(p) }, func(e *env) {
		a := shell("npm test")
		a.Approval.Offers = wordless
		t := e.shows(a)
		e.SeesAll()
		e.Type(0, typed)
		noPlace := e.approvals == ShowsAll && !sees(e.Sees(), typed) && sees(e.Sees(), "takes none")
		e.answer(t)
		e.StaysOpen(t, "this agent takes no words")
		if said := e.Sees() + "\n" + e.Says(); !sees(said, "takes none") && (e.approvals == ShowsAll || !inboxWords.MatchString(said)) {
			e.Errorf("the surface does not say why it does not send: %q", e.Says())
		}
		if (e.Reopen != nil || e.Interrupt != nil) && !noPlace {
			e.mustSee(e.Sees(), typed)
		}
	}},
	{"V8", "approval, who decided, where and what", either, func(e *env) {
		t := e.shows(shell("npm test"))
		e.Elsewhere(t, sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{"stop"}})
		if e.Silent {
			e.Choose(0, "deny")
			e.Send()
		}
		e.Eventually("the surface says who decided, where and what", func() bool {
			s := e.Sees() + "\n" + e.Says()
			return sees(s, "bob") && (sees(s, "web") || sees(s, "browser")) && sees(s, "Deny and stop")
		})
		e.decided(t, "stop", "")
	}},
	{"V11", "approval, in the list", func(p *Person) bool { return either(p) && p.List != nil }, func(e *env) {
		e.Submit(shell("npm run MARKLIST"))
		e.Submit(plan())
		e.Eventually("both are in the list", func() bool { l := e.List(); return sees(l, "Run: npm run MARKLIST") && sees(l, "Approve this plan?") })
		if !regexp.MustCompile(`(?i)\bshell\b`).MatchString(e.List()) {
			e.Errorf("the list does not say what kind of permission is wanted:\n%s", cut(e.List()))
		}
	}},
	{"V12", "approval, in 40 columns", func(p *Person) bool { return shown(p) && p.Resize != nil }, func(e *env) {
		e.Resize(40, 24)
		e.allows(long13(), "once", "MARKFIRST", "rm -rf MARKLAST")
	}},
}

// allows looks at an approval until it has seen all of the texts, and then allows it
// with the offer.
func (e *env) allows(a *sayso.Ask, offer string, texts ...string) *hub.Ticket {
	e.Helper()
	t := e.shows(a)
	all := e.SeesAll()
	if e.Limit > 0 && all == "" { // it is too long for the surface
		e.refers(t)
		return t
	}
	e.mustSee(all, append(texts, t.Ask.Questions[0].Text)...)
	e.Choose(0, offer)
	e.answer(t)
	e.decided(t, offer, "")
	return t
}

// decided fails the case unless this is what was decided.
func (e *env) decided(t *hub.Ticket, offer, message string) {
	e.Helper()
	now := e.Closed(t)
	v := now.Ask.Verdict(now.Outcome)
	if v == nil || v.Offer.ID != offer || v.Message != message || v.Unseen != 0 {
		e.Fatalf("decided %+v (%s), want %q %q", v, sayso.RenderResult(now.Ask, now.Outcome), offer, message)
	}
}
