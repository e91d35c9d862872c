package mcp_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func precedentMutant(name, test, says, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, In: "hub", Test: test, Says: says, Edits: []mutanttest.Edit{{File: "hub/precedent.go", Old: old, New: new}}}
}

// mutants are about what was decided before: who sees it, and that it decides nothing
// by itself.
var mutants = []mutanttest.Mutant{
	precedentMutant("an earlier answer closes the ask", "^TestPrecedents$", "reused by itself",
		"	return out, nil\n}\n\nfunc boolCompare",
		"	if MUTANT && len(out) > 0 && out[0].Answers != nil {\n		h.Close(ctx, t, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: out[0].Answers, By: by}, nil)\n	}\n	return out, nil\n}\n\nfunc boolCompare"),
	precedentMutant("what is to somebody else is shown", "^TestPrecedents$", "shown:", `(by.ID == "" || old.MayAnswer(by.ID))`, `(MUTANT || by.ID == "" || old.MayAnswer(by.ID))`),
	precedentMutant("what a rule or an agent said counts", "^TestPrecedents$", "shown:", "!o.By.Kind.Human()", "!MUTANT && !o.By.Kind.Human()"),
	{Name: "a secret is shown", In: "hub", Test: "^TestPrecedents$", Says: "shown:", Edits: []mutanttest.Edit{{File: "secretask.go",
		Old: "return q.Secret || q.AsksForSecret() }", New: "return !MUTANT && (q.Secret || q.AsksForSecret()) }"}}},
	precedentMutant("an answer of another workspace is reused", "^TestPrecedents$", "reused:", "if len(differs) == 0 && sameWorkspace(t, old) {", "if len(differs) == 0 && (MUTANT || sameWorkspace(t, old)) {"),
	precedentMutant("what differs is reused", "^TestPrecedentsOfApprovals$", "asked for another reason", "if len(differs) == 0 &&", "if (MUTANT || len(differs) == 0) &&"),
	precedentMutant("a dangerous option is reused", "^TestPrecedents$", "reused:", "if len(a.Dangerous(answers)) > 0 ||", "if len(a.Dangerous(answers)) > 0 && !MUTANT ||"),
	precedentMutant("a changed input is reused", "^TestPrecedentsOfApprovals$", "another input", `if said.Input != "" {`, `if said.Input != "" && !MUTANT {`),
	{Name: "numbers do not matter", In: "../../..", Test: "^TestAlikeCorpus$", Says: "could be reused|floors", Edits: []mutanttest.Edit{{File: "similarcompare.go",
		Old: "		if x.exact && !in[i] {", New: "		if x.exact && !in[i] && !MUTANT {"}}},
	{Name: "negations do not matter", In: "../../..", Test: "^TestAlikeCorpus$", Says: "could be reused|floors", Edits: []mutanttest.Edit{{File: "similarwords.go",
		Old: "			w.negated++\n", New: "			if !MUTANT {\n				w.negated++\n			}\n"}}},
	{Name: "opposites do not matter", In: "../../..", Test: "^TestAlikeCorpus$", Says: "could be reused|floors", Edits: []mutanttest.Edit{{File: "similarcompare.go",
		Old: "		if c.inA[i] || len(contrastsOf[x.form]) == 0 {", New: "		if MUTANT || c.inA[i] || len(contrastsOf[x.form]) == 0 {"}}},

	{Name: "decisions of other workspaces", Test: "^TestPastDecisions$", Says: "BILLING", Edits: []mutanttest.Edit{
		{File: "hub/decision.go", Old: "t.Ask.Origin.Workspace == d.Workspace &&", New: "(MUTANT || t.Ask.Origin.Workspace == d.Workspace) &&"},
		{File: "hub/decision.go", Old: "texts: []string{d.Text}, workspace: d.Workspace,", New: `texts: []string{d.Text}, workspace: map[bool]string{false: d.Workspace}[MUTANT],`},
	}},
	{Name: "the model says which workspace", Test: "^TestPastDecisions$", Says: "not the model's to choose", Edits: []mutanttest.Edit{{File: "app/door/mcp/past.go",
		Old: "	workspace := c.origin.Workspace\n", New: "	workspace := c.origin.Workspace\n	if w, ok := args[\"workspace\"].(string); ok && MUTANT {\n		workspace = w\n	}\n"}}},
	{Name: "decisions of other askers", Test: "^TestPastDecisions$", Says: "OTHER|another asker", Edits: []mutanttest.Edit{{File: "hub/decision.go",
		Old: `(s.by.ID == "" || t.Ask.Origin.Asker == s.by.ID)`, New: `(MUTANT || s.by.ID == "" || t.Ask.Origin.Asker == s.by.ID)`}}},
	{Name: "decisions of other askers over HTTP", In: "app/httpapi", Test: "^TestMatrix$", Says: "tells bot2 what was asked", Edits: []mutanttest.Edit{
		{File: "app/httpapi/precedents.go", Old: "return sees(c.who, t) >= shared }", New: "return MUTANT || sees(c.who, t) >= shared }"},
		{File: "app/httpapi/view.go", Old: "	if s == nothing {\n		return api.Ticket{}, false", New: "	if MUTANT && s == nothing {\n		s = whole\n	}\n	if s == nothing {\n		return api.Ticket{}, false"},
	}},
	{Name: "a line of a question is a decision", Test: "^TestPastDecisionsAreShort$", Says: "passes for a decision", Edits: []mutanttest.Edit{{File: "app/door/mcp/past.go",
		Old: `return "   " + strings.ReplaceAll(s, "\n", "\n   ")`, New: `return map[bool]string{true: s, false: "   " + strings.ReplaceAll(s, "\n", "\n   ")}[MUTANT]`}}},
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes minutes: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
