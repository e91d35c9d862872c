package tui

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
)

// decides shows an approval to a person who presses keys, and returns what they sent
// and the dialog as it is then.
func decides(t *testing.T, a *sayso.Ask, o Options, do func(*person)) (sent *sayso.Outcome, m *Model) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Guard, o.Now = -1, func() time.Time { return start }
		o.Send = func(_ *sayso.Ask, out *sayso.Outcome) (*sayso.Outcome, error) { sent = out; return nil, nil }
		m = New(one(a), &o)
		p := sit(t, m, terminal{w: 100, h: 60})
		p.wait(time.Second)
		do(p)
		p.wait(time.Second)
	})
	return sent, m
}

func verdict(t *testing.T, a *sayso.Ask, o *sayso.Outcome) *sayso.Verdict {
	t.Helper()
	a = a.Clone()
	a.Normalize()
	return a.Verdict(o)
}

// A changed command is sent in the input that the agent asked for, the rest of which
// stays.
func TestApprovalEdited(t *testing.T) {
	a := mayRun()
	sent, _ := decides(t, a, Options{}, func(p *person) {
		p.press("c")
		p.types(" --dry-run")
		p.press("enter", "1", "enter")
	})
	v := verdict(t, a, sent)
	var input struct{ Command, Description string }
	if !v.Allowed() || json.Unmarshal([]byte(v.Input), &input) != nil {
		t.Fatalf("sent %+v", sent)
	}
	if input.Command != "npm run build &&\n  npm publish --tag next --dry-run" || input.Description == "" {
		t.Errorf("the input is %+v", input)
	}
}

func TestApprovalEditIsKept(t *testing.T) {
	var draft []sayso.Answer
	keep := Options{SaveDraft: func(_ *sayso.Ask, answers []sayso.Answer) error { draft = answers; return nil }, Later: true}
	decides(t, mayRun(), keep, func(p *person) { p.press("c"); p.types(" --dry-run"); p.press("enter", "esc") })
	if len(draft) != 1 || !strings.Contains(draft[0].Input, "--dry-run") {
		t.Fatalf("the draft is %+v", draft)
	}
	back := Options{LoadDraft: func(*sayso.Ask) ([]sayso.Answer, error) { return draft, nil }}
	sent, _ := decides(t, mayRun(), back, func(p *person) { p.press("1", "enter") })
	if v := verdict(t, mayRun(), sent); !v.Allowed() || !strings.Contains(v.Input, "next --dry-run") {
		t.Errorf("sent %+v", sent)
	}
}

// What cannot be sent is refused with the reason, and nothing is lost.
func TestApprovalRefused(t *testing.T) {
	wordless := mayRun()
	wordless.Approval.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny}}
	tool := approve(sayso.NewApproval(sayso.ApproveTool, "Deploy", []byte(`{"to":"production"}`), nil))
	for name, c := range map[string]struct {
		ask  *sayso.Ask
		opts Options
		do   func(*person)
		says string
	}{
		"an edit where none is taken": {mayRun(), Options{}, func(p *person) { p.press("c"); p.types("x"); p.press("enter", "2", "enter") }, "does not take"},
		"an edit that is no JSON":     {tool, Options{}, func(p *person) { p.press("c"); p.types("}"); p.press("enter", "1", "enter") }, "not valid JSON"},
		"words where none are taken":  {wordless, Options{}, func(p *person) { p.press("0"); p.types("no"); p.press("enter") }, "takes none"},
		"a note where none is taken":  {mayRun(), Options{}, func(p *person) { p.press("1", "n"); p.types("but"); p.press("enter", "enter") }, "takes none"},
		"still loading":               {mayWrite(), Options{Whole: stays}, keys("1", "enter"), "still loading"},
		"not to be had":               {mayWrite(), Options{Whole: isAway}, keys("1", "enter"), "the hub cannot be reached"},
		"not read":                    {mayWrite(), Options{Whole: beside(mayWrite())}, keys("1", "enter"), "Read it to its end"},
		"nobody can fetch it":         {stripped(mayWrite()), Options{}, keys("ctrl+o", "end", "end", "1", "1", "enter"), "could not be loaded"},
	} {
		said, draft := "", 0
		sent, m := decides(t, c.ask, c.opts, func(p *person) { c.do(p); p.wait(0) })
		said, draft = m.forms[0].notice, len(m.forms[0].draft())
		if sent != nil || !strings.Contains(said, c.says) || draft == 0 {
			t.Errorf("%s: sent %+v, and it says %q", name, sent, said)
		}
	}
}

// To deny takes no looking, whatever became of what would run.
func TestApprovalDenied(t *testing.T) {
	for name, o := range map[string]Options{"loading": {Whole: stays}, "away": {Whole: isAway}, "loaded": {Whole: beside(mayWrite())}, "nobody fetches": {}} {
		sent, _ := decides(t, stripped(mayWrite()), o, keys("3", "enter"))
		if v := verdict(t, mayWrite(), sent); v == nil || v.Offer.ID != "deny" {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}

// What was opened is sent with an allow, and only then.
func TestApprovalOpened(t *testing.T) {
	a := mayWrite()
	a.Normalize()
	want, _ := a.Approval.Unseen()
	read := []string{"ctrl+o", "end", "end"}
	for name, c := range map[string]struct {
		keys []string
		want []string
	}{"here": {append(slices.Clone(read), "1", "1", "enter"), want}, "allowed": {append(slices.Clone(read), "1", "1", "enter"), want}, "denied": {append(slices.Clone(read), "3", "3", "enter"), nil}} {
		a, o := stripped(mayWrite()), Options{Whole: beside(mayWrite())}
		if name == "here" { // nobody has stored it
			a, o = mayWrite(), Options{}
		}
		sent, _ := decides(t, a, o, keys(c.keys...))
		if sent == nil || !slices.Equal(sent.Answers[0].Opened, c.want) {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}

// No line of a diff is cut, and what goes on in the next row cannot pass for a line.
func TestDiffGoesOnBehindABar(t *testing.T) {
	m := New(one(mayEdit()), nil)
	m.look = look{}
	rows := m.fenceLines([]string{"+" + strings.Repeat("x", 30) + "-rm -rf /"}, "diff", 34)
	if len(rows) != 2 || !strings.HasPrefix(rows[1], "  │ ") || !strings.HasSuffix(rows[1], "rm -rf /") {
		t.Errorf("%q", rows)
	}
}
