package rules_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: file, Old: old, New: new}}}
}

// blind is a mutant in which the matcher does not compare one thing.
func blind(what, condition string) mutanttest.Mutant {
	return mutant("does not compare "+what, "^TestVerdicts$", "matches true, want false", "app/rules/match.go", "no("+condition+",", "no(MUTANT || "+condition+",")
}

// mutants has one for each condition of the matcher, and for what else keeps a rule from
// allowing too much.
var mutants = []mutanttest.Mutant{
	blind("revoked", "r.Revoked.IsZero()"),
	blind("time", "r.Until.IsZero() || c.now.Before(r.Until)"),
	blind("session", `r.Session == "" || r.Session == c.ask.Origin.Conversation`),
	blind("who may answer", "answerable(r, c.ask)"),
	blind("count", "r.Count == 0 || r.Used < r.Count"),
	blind("assurance", "c.ask.MinAssurance == 0"),
	blind("kind", "x.Kind == is.Kind && slices.Contains(allowable, is.Kind)"),
	blind("tool", "x.Tool == is.Tool"),
	blind("input", "x.Input == is.Input"),
	blind("directory", "x.Cwd == is.Cwd"),
	blind("workspace", "x.Workspace == is.Workspace"),
	blind("program", "x.Host == is.Host"),
	blind("agents", "slices.Equal(x.Agents, is.Agents)"),
	blind("credential", "x.Asker == is.Asker"),
	blind("way", "x.Via == is.Via"),
	blind("why", "slices.Equal(x.Why, is.Why)"),
	blind("mode", "x.Mode == is.Mode"),
	blind("missing", "slices.Equal(x.Missing, is.Missing)"),
	blind("offers", "c.ask.Approval.AllowOnce() != nil"),
	{Name: "does not compare files, nor what is shown", Test: "^TestVerdicts$", Says: "matches true, want false", Edits: []mutanttest.Edit{
		{File: "app/rules/match.go", Old: "no(x.Files == is.Files,", New: "no(MUTANT || x.Files == is.Files,"},
		{File: "app/rules/match.go", Old: "no(x.Shown == is.Shown,", New: "no(MUTANT || x.Shown == is.Shown,"},
	}},
	mutant("the owner answers for everybody", "^TestVerdicts$", "matches true, want false", "app/rules/match.go", `return len(a.To) == 0 || r.By != "" &&`, `return len(a.To) == 0 || MUTANT && r.By == "" || r.By != "" &&`),
	mutant("any offer that allows will do", "^TestVerdicts$", "matches true, want false", "approval.go", `return (o.Scope == "" || o.Scope == ScopeOnce) && o.Rule == "" && o.Mode == ""`, `return MUTANT || (o.Scope == "" || o.Scope == ScopeOnce) && o.Rule == "" && o.Mode == ""`),
	mutant("a glob is a prefix", "^TestVerdicts$", "matches true, want false", "app/rules/match.go", "		return pattern == s\n", "		return pattern == s || MUTANT && strings.HasPrefix(s, pattern)\n"),
	mutant("contains ignores case", "^TestVerdicts$", "matches true, want false", "app/rules/match.go", "!strings.Contains(text, p.Contains) {", "!strings.Contains(text, p.Contains) && !(MUTANT && strings.Contains(strings.ToLower(text), p.Contains)) {"),
	mutant("only the beginning is searched", "^TestVerdicts$|^TestLarge$", "matches false, want true|not searched", "app/rules/match.go", "			text = texts[p.SHA256]\n		}\n", "			text = texts[p.SHA256]\n			if MUTANT {\n				b.WriteString(p.Head)\n				continue\n			}\n		}\n"),
	mutant("allow counts before deny", "^TestVerdicts$", "want deny", "app/rules/decide.go", "	case len(found[hub.RuleDeny]) > 0:\n", "	case len(found[hub.RuleDeny]) > 0 && !(MUTANT && len(found[hub.RuleAllow]) > 0):\n"),
	mutant("allow counts before require", "^TestVerdicts$", "want require", "app/rules/decide.go", "	case len(found[hub.RuleRequire]) > 0:\n", "	case len(found[hub.RuleRequire]) > 0 && !(MUTANT && len(found[hub.RuleAllow]) > 0):\n"),
	mutant("others may answer, too", "^TestVerdicts$", "want require", "app/rules/decide.go", "return !slices.Contains(r.People, name) })", "return !slices.Contains(r.People, name) && !MUTANT })"),

	mutant("unseen becomes a rule", "^TestLarge$", "nobody has seen", "app/rules/new.go", "	case v.Unseen > 0:\n", "	case v.Unseen > 0 && !MUTANT:\n"),
	mutant("a changed input becomes a rule", "^TestUnfit$", "changed", "app/rules/new.go", `	case v.Input != "":`, `	case v.Input != "" && !MUTANT:`),
	mutant("what a rule allowed becomes a rule", "^TestUnfit$", "by a rule", "app/rules/new.go", "	case by.Kind == sayso.ByPolicy:\n", "	case by.Kind == sayso.ByPolicy && !MUTANT:\n"),
	mutant("what another allowed becomes a rule", "^TestUnfit$", "by bob", "app/rules/new.go", "	case by.Kind == sayso.ByPerson && by.ID != r.By:\n", "	case by.Kind == sayso.ByPerson && by.ID != r.By && !MUTANT:\n"),
	mutant("a plan becomes a rule", "^TestUnfit$", "a plan|a grant", "app/rules/new.go", "		if kind == p.Kind {\n", "		if kind == p.Kind || MUTANT {\n"),
	mutant("a rule has no end", "^TestUnfit$|^TestLife$", "no end", "app/rules/new.go", "	case !ends.Session && ends.For == 0 && ends.Count == 0:\n", "	case !ends.Session && ends.For == 0 && ends.Count == 0 && !MUTANT:\n"),
	mutant("a pattern may allow", "^TestUnreadable$", "decided as|nil pointer", "app/rules/rule.go", "	case allows != (r.Exact != nil) || selects != (r.Pattern != nil):\n", "	case !MUTANT && (allows != (r.Exact != nil) || selects != (r.Pattern != nil)):\n"),
	mutant("uses are not counted", "^TestLife$|^TestCount$", "is over and decides|were allowed", "app/rules/store.go", "		b.Rules[v.rule].Used++\n", "		if !MUTANT {\n			b.Rules[v.rule].Used++\n		}\n"),
	mutant("a use is taken without looking again", "^TestCount$", "were allowed", "app/rules/store.go", "		v, err := judge(b.Rules, c) // they may have changed\n", "		v, err := v, err\n		if !MUTANT {\n			v, err = judge(b.Rules, c)\n		}\n"),
	mutant("a rehearsal forgets the count", "^TestReplay$", "in the replay", "app/rules/rehearse.go", "			rules[v.rule].Used++\n", "			if !MUTANT {\n				rules[v.rule].Used++\n			}\n"),
	{Name: "an ask is decided again", In: "hub", Test: "^TestDecide$", Says: "decided again|decided later", Edits: []mutanttest.Edit{{File: "hub/decide.go",
		Old: "		if err == nil {\n			return t, nil\n		}\n", New: "		if err == nil && !MUTANT {\n			return t, nil\n		}\n		if err == nil {\n			err = ErrNotFound\n		}\n"}}},
	{Name: "a policy closes what is open", In: "hub", Test: "^TestDecide$", Says: "a policy closes", Edits: []mutanttest.Edit{{File: "hub/judge.go",
		Old: "		if decision && t.Ask.Approval != nil {", New: "		if decision && t.Ask.Approval != nil && !MUTANT {"}}},
	{Name: "a rule allows what wants a person", In: "hub", Test: "^TestDecide$", Says: "assurance: stored", Edits: []mutanttest.Edit{{File: "hub/decide.go",
		Old: "	case v.Allowed() && t.Ask.MinAssurance > 0:\n", New: "	case v.Allowed() && t.Ask.MinAssurance > 0 && !MUTANT:\n"}}},
	{Name: "a rule allows what is unseen", In: "hub", Test: "^TestDecide$", Says: "unseen: stored", Edits: []mutanttest.Edit{{File: "hub/decide.go",
		Old: `	case v.Allowed() && (v.Unseen > 0 || v.Input != ""):`, New: `	case v.Allowed() && (v.Unseen > 0 || v.Input != "") && !MUTANT:`}}},
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes minutes: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
