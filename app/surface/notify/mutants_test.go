package notify_test

import (
	"os"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/mutanttest"
)

const here = "app/surface/notify/"

// rules are mutants, at least one for each rule of attention. Those that a schedule
// catches name what it then says.
var rules = []mutanttest.Mutant{
	rule("1 tells at once", "too early", "fresh.go", "	when = base.Add(after)\n", "	when = base.Add(after)\n	if MUTANT {\n		when = base\n	}\n"),
	rule("2 does not look whether the person is there", "too early", "fresh.go", "v.now.Sub(last) < attendFor && after < attendWait", "v.now.Sub(last) < attendFor && after < attendWait && !MUTANT"),
	{Name: "2 the person who is there is never told", Test: "^TestPresence$", Says: "0 alerts", Edits: []mutanttest.Edit{
		{File: here + "fresh.go", Old: "ok && v.now.Sub(last) < attendFor && after < attendWait {", New: "ok && (MUTANT || v.now.Sub(last) < attendFor) && after < attendWait {"},
		{File: here + "fresh.go", Old: "			when = base.Add(attendWait)\n", New: "			when = base.Add(attendWait)\n			if MUTANT {\n				when = v.now.Add(1000 * time.Hour)\n			}\n"},
	}},
	rule("4 all devices at once", "too early", "fresh.go", "	after, first = c.After, true\n", "	after, first = c.After, true\n	if MUTANT {\n		return 0, true\n	}\n"),
	rule("5 leaves what is closed", "still shows", "plan.go", "		tickets, open := v.about(s)\n		alert := false\n", "		tickets, open := v.about(s)\n		if MUTANT && open == 0 {\n			continue\n		}\n		alert := false\n"),
	rule("6 the same round for ever", "twice", "plan.go", "	r := s.Round + 1\n", "	r := s.Round + 1\n	if MUTANT && len(tickets) == 1 && tickets[0].Ask.Deadline.IsZero() {\n		return s.Round\n	}\n"),
	rule("7 tells at night", "in quiet hours", "fresh.go", "		until := v.prefs.quietUntil(later(when, v.now))\n", "		until := v.prefs.quietUntil(later(when, v.now))\n		if MUTANT {\n			until = v.now\n		}\n"),
	{Name: "8 tells of each", Test: "^TestMany$", Says: "alerts", Edits: []mutanttest.Edit{{File: here + "fresh.go", Old: "		if count >= rateMost {", New: "		if count >= rateMost && !MUTANT {"}}},
	rule("9 shows more than it may", "at detail", "compose.go", "	d := c.Detail\n", "	d := c.Detail\n	if MUTANT {\n		d = DetailText\n	}\n"),
	rule("10 tells of agents that are muted", "is muted", "fresh.go", "yes, until := v.prefs.muted(t, v.now); yes {", "yes, until := v.prefs.muted(t, v.now); yes && !MUTANT {"),
	rule("12 never says that it works again", "is said to fail", "notifier.go", "		c.Failing, c.Error = time.Time{}, \"\"\n		if err != nil {", "		if !MUTANT {\n			c.Failing, c.Error = time.Time{}, \"\"\n		}\n		if err != nil {"),
	rule("gives up after a failure", "nobody was told", "show.go", "		case errors.Is(err, ErrGone), retry != nil && retry.Never:", "		case errors.Is(err, ErrGone), retry != nil && (retry.Never || MUTANT):"),
	rule("sends again what may have arrived", "twice", "plan.go", "		if !s.Sending.IsZero() && s.Alerting && !l.Again {", "		if !s.Sending.IsZero() && s.Alerting && !l.Again && !MUTANT {"),
	{Name: "11 a press counts again after it was taken back", Test: "^TestDesk$", Says: "after it was taken back", Edits: []mutanttest.Edit{{File: here + "plan.go",
		Old: "			next.Token, next.First, next.Round, next.Over = newSlot(\"\", \"\").Token, v.now, 0, false\n",
		New: "			if !MUTANT {\n				next.Token = newSlot(\"\", \"\").Token\n			}\n			next.First, next.Round, next.Over = v.now, 0, false\n"}, {File: here + "desk.go",
		Old: "&hub.CloseOptions{Nonce: hashed(s.Token, what, fmt.Sprint(a.Selected), a.Other)})",
		New: "&hub.CloseOptions{Nonce: map[bool]string{true: \"\", false: hashed(s.Token, what, fmt.Sprint(a.Selected), a.Other)}[MUTANT]})"}}},
	{Name: "tells of what is held", Test: "^TestHeld$", Says: "1 alerts and 1 notes stand, want 0 and 0", Edits: []mutanttest.Edit{{File: here + "fresh.go",
		Old: "		if t.Held != nil { //", New: "		if t.Held != nil && !MUTANT { //"}}},
	{Name: "reminds of what is held", Test: "^TestHeld$", Says: "2 alerts and 1 notes stand, want 1 and 1", Edits: []mutanttest.Edit{{File: here + "plan.go",
		Old: "	at = later(at, heldUntil(tickets))\n", New: "	if !MUTANT {\n		at = later(at, heldUntil(tickets))\n	}\n"}}},
	{Name: "tells of what is snoozed", Test: "^TestSnoozed$", Says: "2 alerts and 1 notes stand, want 0 and 0", Edits: []mutanttest.Edit{{File: here + "later.go",
		Old: "s, ok := v.snoozed[t.Address]; ok {", New: "s, ok := v.snoozed[t.Address]; ok && !MUTANT {"}}},
	{Name: "leaves what is snoozed", Test: "^TestSnoozed$", Says: "want 1 and 0", Edits: []mutanttest.Edit{{File: here + "plan.go",
		Old: "			tickets, open = v.present(tickets)\n", New: "			if !MUTANT {\n				tickets, open = v.present(tickets)\n			}\n"}}},
	{Name: "does not tell the delegate", Test: "^TestDelegated$", Says: "0 alerts and 0 notes stand, want 1 and 1", Edits: []mutanttest.Edit{{File: here + "fresh.go",
		Old: "|| t.DelegatedTo(v.person) != nil", New: "|| t.DelegatedTo(v.person) != nil && !MUTANT"}}},
	{Name: "a press allows", Test: "^TestApproval$/^allow,_forged$", Says: `the verdict is "once"`, Edits: []mutanttest.Edit{{File: here + "approval.go",
		Old: "o == nil || o.Act != sayso.ActDeny {", New: "(o == nil || o.Act != sayso.ActDeny) && !MUTANT {"}}},
	{Name: "a text allows", Test: "^TestApproval$/^the_number_of_allow$", Says: `the verdict is "once"`, Edits: []mutanttest.Edit{{File: here + "approval.go",
		Old: "o == nil || o.Act != sayso.ActDeny {", New: "(o == nil || o.Act != sayso.ActDeny) && !MUTANT {"}}},
	{Name: "a note has a button that allows", Test: "^TestApproval$/^the_button$", Says: "the note has the button", Edits: []mutanttest.Edit{{File: here + "approval.go",
		Old: "		deny, i := denial(t)\n", New: "		deny, i := denial(t)\n		if MUTANT {\n			deny, i = &t.Ask.Questions[0].Options[0], 0\n		}\n"}}},
	{Name: "anybody can press", Test: "^TestDesk$", Says: "anybody can press", Edits: []mutanttest.Edit{{File: here + "desklink.go",
		Old: "\t\tif c.Account == account {", New: "\t\tif c.Account == account || MUTANT {"}, {File: here + "desklink.go",
		Old: "!there || now.Off || now.Kind != d.kind || now.Account != account {", New: "!there || now.Off || now.Kind != d.kind || now.Account != account && !MUTANT {"}}},
}

func rule(name, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: "^TestSchedules$", Says: says, Flags: []string{"-rapid.shrinktime=1s", "-rapid.nofailfile"}, Edits: []mutanttest.Edit{{File: here + file, Old: old, New: new}}}
}

var options = &mutanttest.Options{Timeout: time.Minute}

// TestMutants breaks each rule, and wants the schedules to notice:
//
//	SAYSO_MUTANTS=1 go test -count=1 -timeout 1h -run TestMutants ./surface/notify
func TestMutants(t *testing.T) {
	mutanttest.Check(t, rules, options)
	if os.Getenv("SAYSO_MUTANTS") == "" {
		t.Skip("takes minutes: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, rules, options)
}
