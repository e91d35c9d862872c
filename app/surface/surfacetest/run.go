package surfacetest

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Surface is a surface under test.
type Surface struct {
	Name string // a row of [Surfaces]

	// Open opens the surface for the person [Who] in the world. It lives as long as
	// the test.
	Open func(*World) *Person

	// Questions says that nobody asks for permission here, although the row says what
	// the surface does with approvals: another test is about them. Default: false.
	Questions bool

	// Virtual runs every case in a bubble of testing/synctest. Default: in real time.
	Virtual bool
}

// env is a case while it runs.
type env struct {
	*World
	*Person
}

// one is a case of a rule. It is left out where the person lacks what it needs.
type one struct {
	rule, name string
	needs      func(*Person) bool
	run        func(*env)
}

// Run plays the cases of all rules that concern the surface.
func Run(t *testing.T, s Surface) {
	i := slices.IndexFunc(Surfaces, func(l Listed) bool { return l.Name == s.Name })
	if i < 0 {
		t.Fatalf("surfacetest: %q is not in the table of surfaces", s.Name)
	}
	ran := map[string]bool{}
	for _, c := range cases {
		if Surfaces[i].Exempt[c.rule] != "" {
			continue
		}
		t.Run(c.rule+"/"+strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			play := func(t *testing.T) {
				w := NewWorld(t)
				p := s.Open(w)
				if !s.Questions {
					p.approvals = Surfaces[i].Approvals
				}
				if c.needs == nil || c.needs(p) {
					ran[c.rule] = true
					c.run(&env{w, p})
				}
			}
			if s.Virtual {
				synctest.Test(t, play)
			} else {
				play(t)
			}
		})
	}
	for _, r := range Rules {
		if !ran[r.ID] && Surfaces[i].Exempt[r.ID] == "" && !testing.Short() && !filtered() {
			t.Errorf("no case of %s (%s) can be played here: say in Surfaces why it does not concern this surface", r.ID, r.Name)
		}
	}
}

// filtered reports whether only some cases run.
func filtered() bool {
	run := flag.Lookup("test.run")
	return run != nil && strings.Contains(run.Value.String(), "/")
}

// cases are all cases, rule by rule.
var cases = slices.Concat(complete, identity, explicit, dangerous, stored, kept, truthful, elsewhere, bound, meaning, marks, usable, approvals)

// answer sends until the answer is stored, and not for ever: some surfaces ask once
// more whether a text is meant as an option, or as own words.
func (e *env) answer(t *hub.Ticket) {
	for range 3 {
		if e.Send(); !e.Now(t).Open() {
			return
		}
	}
}

// shows brings an ask before the person.
func (e *env) shows(a *sayso.Ask) *hub.Ticket {
	e.Helper()
	t := e.Submit(a)
	e.Show(t)
	return t
}

// mustSee fails the case unless the text is on the screen.
func (e *env) mustSee(screen string, texts ...string) {
	e.Helper()
	for _, text := range texts {
		if !sees(screen, text) {
			e.Fatalf("%q is not to be seen in\n%s", text, cut(screen))
		}
	}
}

// wantStored fails the case unless the ask has this answer to its first question.
func (e *env) wantStored(t *hub.Ticket, selected []string, other string) {
	e.Helper()
	now := e.Closed(t)
	got, _ := now.Outcome.Answer(now.Ask.Questions[0].ID)
	if now.Status() != sayso.StatusAnswered || !slices.Equal(got.Selected, selected) || got.Other != other {
		e.Fatalf("stored %s %q %q, want %q %q", now.Status(), got.Selected, got.Other, selected, other)
	}
}

// cut shortens a screen for a failure.
func cut(s string) string {
	if len(s) > 4000 {
		return s[:2000] + "\n[…]\n" + s[len(s)-2000:]
	}
	return s
}
