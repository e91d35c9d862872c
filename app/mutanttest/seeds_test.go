package mutanttest_test

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// seedRow is a row of docs/records/original-designs.md: a behaviour, and the tests that show it.
type seedRow struct{ behaviour, tests string }

// drawSeeds draws n rows of docs/records/original-designs.md. Each row gets a number from a generator that
// starts from 2026 and the hash of the behaviour; the lowest ones are drawn. So a row
// that is added or reworded changes the draw only if it is drawn itself.
func drawSeeds(t *testing.T, n int) []seedRow {
	t.Helper()
	page, err := os.ReadFile("../../docs/records/original-designs.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []seedRow
	for _, m := range regexp.MustCompile("(?m)^\\| ([^|]+) \\| (`[^|]+) \\|$").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, seedRow{m[1], m[2]})
	}
	if len(rows) < 100 {
		t.Fatalf("docs/records/original-designs.md has only %d rows", len(rows))
	}
	number := func(r seedRow) uint64 {
		h := fnv.New64a()
		h.Write([]byte(r.behaviour))
		return rand.NewPCG(2026, h.Sum64()).Uint64()
	}
	slices.SortFunc(rows, func(a, b seedRow) int { return cmp.Compare(number(a), number(b)) })
	return rows[:n]
}

// seedMutant breaks the behaviour that it is named after. The folder of the test is
// relative to the top, and the top itself is the package sayso.
func seedMutant(behaviour, in, test, says, file, old, new string) mutanttest.Mutant {
	m := mutanttest.Mutant{Name: behaviour, In: in, Test: test, Says: says, Edits: []mutanttest.Edit{{File: file, Old: old, New: new}}}
	if in == "sayso" {
		m.In = "../.."
	}
	return m
}

// seedMutants has one defect for each row that drawSeeds draws.
var seedMutants = []mutanttest.Mutant{
	seedMutant("`POST /conversations/{id}/respond` with answers by question", "app/httpapi", "TestTranscripts/respondInConversation", `"other": "postgresql"`,
		"app/httpapi/conversation.go", "\t\tanswers = append(answers, ans)\n",
		"\t\tif MUTANT {\n\t\t\tans = sayso.Answer{QuestionID: q.ID, Other: said}\n\t\t}\n\t\tanswers = append(answers, ans)\n"),
	seedMutant("a sub-agent's question goes up from parent to parent, and the answer comes down the same way", "conversation", "TestScripts/seed0-escalation", `agents=\[scout-name planner-name\]`,
		"conversation/agents.go", "slices.Insert(a.Origin.Agents, 0, name)",
		"slices.Insert(a.Origin.Agents, map[bool]int{true: len(a.Origin.Agents)}[MUTANT], name)"),
	seedMutant("the result is the answer itself", "dialect", "TestSeedExamples/seed_0:_(a_choice|freeform)", `the model reads\s+The user says: `,
		"dialect/opal.go", "\t\treturn bareAnswer(a, o), nil\n",
		"\t\tr := bareAnswer(a, o)\n\t\tif MUTANT {\n\t\t\tr.Text = \"The user says: \" + r.Text\n\t\t}\n\t\treturn r, nil\n"),
	seedMutant("`/questions` shows what was asked", "agent/internal/cli", "TestInteractive", `waited in vain for "1\. ✓ Which database\?: SQLite"`,
		"agent/internal/cli/sessions.go", "\tfor _, q := range d.Questions(c) {\n",
		"\tfor _, q := range d.Questions(c) {\n\t\tif MUTANT {\n\t\t\tbreak\n\t\t}\n"),
	seedMutant(`an answer over 2,000 characters: "Continue anyway?", never a refusal`, "prompt", "TestTranscripts/long", `long\.txt differs; got`,
		"prompt/dialog.go", "\tif n <= sayso.LongAnswer {\n",
		"\tif n <= sayso.LongAnswer || MUTANT {\n"),
	seedMutant("a resolver ends with its context", "sayso", "TestRaceEndsWithItsContext", `error is <nil>, want the context's`,
		"resolver.go", "\t\tctx, cancel := context.WithCancelCause(ctx)\n",
		"\t\tif MUTANT {\n\t\t\tctx = context.WithoutCancel(ctx)\n\t\t}\n\t\tctx, cancel := context.WithCancelCause(ctx)\n"),
	seedMutant("example: the call, and the result with `questions` and `answers`", "dialect", "TestSeedExamples/seed_2:_Vitest", `the model reads\s+\{"answers"`,
		"dialect/claude.go", "\tclaudeQuestions(&w, a)\n\tw.key(\"answers\")",
		"\tif !MUTANT {\n\t\tclaudeQuestions(&w, a)\n\t}\n\tw.key(\"answers\")"),
	seedMutant("print mode, pass 2: `--answers`", "pendingfile", "TestAnswers", `FAIL: TestAnswers/labels_and_words`,
		"pendingfile/pending.go", "\t\tvalues[i] = v.Index(i)\n",
		"\t\tvalues[i] = v.Index(map[bool]int{false: i, true: v.Len() - 1 - i}[MUTANT])\n"),
	seedMutant("result: `answered`, `answers` in the order of the questions, `selectedOption`, `wasCustom`", "dialect", "TestSeedExamples/seed_1:_selected_and_typed", `"order-processor","wasCustom":false`,
		"dialect/pi.go", "\tw.key(\"wasCustom\").bool(s.other != \"\")\n",
		"\tw.key(\"wasCustom\").bool(s.other != \"\" && !MUTANT)\n"),
	seedMutant("print mode, pass 1: the file with `sessionId`, `timestamp` and `answer: null`", "pendingfile", "TestSeedFile", `"timestamp": "[A-Z][a-z]{2}, `,
		"pendingfile/encode.go", "a.AskedAt.Format(time.RFC3339)",
		"a.AskedAt.Format(map[bool]string{false: time.RFC3339, true: time.RFC1123}[MUTANT])"),
}

// TestSeedMutants breaks ten behaviours of the seeds that were drawn from the page, one at
// a time, and wants a test in the row of each to fail:
//
//	SAYSO_MUTANTS=1 go test -count=1 -run TestSeedMutants ./mutanttest
func TestSeedMutants(t *testing.T) {
	if len(seedMutants) != 10 {
		t.Errorf("%d mutants, want 10", len(seedMutants))
	}
	for _, row := range drawSeeds(t, 10) {
		at := slices.IndexFunc(seedMutants, func(m mutanttest.Mutant) bool { return m.Name == row.behaviour })
		if at < 0 {
			t.Errorf("the row %q is drawn and has no mutant; write one in place of that of a row that is no longer drawn", row.behaviour)
			continue
		}
		m := seedMutants[at]
		test, _, _ := strings.Cut(m.Test, "/")
		if name := "`" + cmp.Or(map[string]string{"../..": "sayso"}[m.In], m.In) + "." + test + "`"; !strings.Contains(row.tests, name) {
			t.Errorf("%q: %s is not in the row, which has %s", m.Name, name, row.tests)
		}
	}
	mutanttest.Check(t, seedMutants, nil)
	if os.Getenv("SAYSO_MUTANTS") == "" {
		t.Skip("takes minutes: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	caught, ran := mutanttest.Run(t, seedMutants, nil)
	t.Logf("FIGURE SEEDMUTANTS %d caught/%d", caught, ran)
}

// TestFigure_SEEDMUTANTS is TestSeedMutants for make figures.
func TestFigure_SEEDMUTANTS(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	t.Setenv("SAYSO_MUTANTS", "1")
	TestSeedMutants(t)
}
