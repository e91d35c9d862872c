package sayso_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// framework is the call of seed 2 (acp), as its tool info shows it.
func framework() *sayso.Ask {
	a := &sayso.Ask{Questions: []sayso.Question{{
		Text: "Which framework do you prefer?", Header: "Framework",
		Options: []sayso.Option{{Label: "React", Description: "Popular UI library"}, {Label: "Vue", Description: "Progressive framework"}},
	}}}
	a.Normalize()
	return a
}

func TestMeta(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("数é", 40)
	tests := []struct {
		name string
		a    *sayso.Ask
		want string
	}{
		// Seed 0 (opal): the first 60 characters, or the tool's name.
		{"seed 0: no question", nil, "ask_user"},
		{"seed 0: no questions", &sayso.Ask{}, "ask_user"},
		{"seed 0: a short one", database(), "Which database should we use?"},
		{"seed 0: 60 characters", &sayso.Ask{Questions: []sayso.Question{{Text: long}}}, strings.Repeat("数é", 30)},
		{"one line", &sayso.Ask{Questions: []sayso.Question{{Text: "a\nb\x1b"}}}, "a↵b␛"},
	}
	for _, tt := range tests {
		if got := sayso.Meta(tt.a); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	noHeader := database()
	noHeader.Questions[0].Header = ""
	for _, tt := range []struct {
		a    *sayso.Ask
		want string
	}{
		{framework(), "Framework"}, // seed 2 (acp)
		{noHeader, "Which database should we use?"},
		{nil, "ask_user"},
		{&sayso.Ask{}, "ask_user"},
	} {
		if got := sayso.Title(tt.a); got != tt.want {
			t.Errorf("title is %q, want %q", got, tt.want)
		}
	}
}

func TestRenderCall(t *testing.T) {
	t.Parallel()
	// Seed 2 (acp), word for word.
	want := "Which framework do you prefer?\n  - React: Popular UI library\n  - Vue: Progressive framework"
	if got := sayso.RenderCall(framework()); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	a := database()
	a.Questions[0].Options[1].Description = ""
	a.Questions[0].Options[2].Description = "two\nlines"
	want = "Which database should we use?\n" +
		"  - PostgreSQL: Battle-tested relational DB\n" +
		"  - SQLite\n" +
		"  - MongoDB: two↵lines\n" +
		"\n" +
		"What should we name this service?"
	if got := sayso.RenderCall(a); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// rendered says how an outcome of the database ask is told: in the transcript,
// and in the summary.
var rendered = []struct {
	name            string
	o               *sayso.Outcome
	secret          bool
	result, summary string
}{
	{
		name: "seed 1: chosen and named",
		o: answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o1"}},
			sayso.Answer{QuestionID: "q2", Other: " order-processor "}),
		result: "✓ Database Selection: PostgreSQL\n✓ Service Setup: \"order-processor\"",
		summary: `User was asked "Which database should we use?" and chose PostgreSQL. ` +
			`User was asked "What should we name this service?" and answered "order-processor".`,
	}, {
		name:   "own words, a note, one left out",
		o:      answered(sayso.Answer{QuestionID: "q1", Other: "DynamoDB", Note: "ask\nAnn"}),
		result: "✓ Database Selection: \"DynamoDB\", noting \"ask\\nAnn\"\n– Service Setup: no answer",
		summary: `User was asked "Which database should we use?" and answered "DynamoDB", noting "ask\nAnn". ` +
			`User was asked "What should we name this service?" and gave no answer.`,
	}, {
		name:   "an option with words, only a note",
		o:      answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o2"}, Other: "on disk"}, sayso.Answer{QuestionID: "q2", Note: "later"}),
		result: "✓ Database Selection: SQLite, \"on disk\"\n✓ Service Setup: no option, noting \"later\"",
		summary: `User was asked "Which database should we use?" and chose SQLite, "on disk". ` +
			`User was asked "What should we name this service?" and answered no option, noting "later".`,
	}, {
		name:   "a reply",
		o:      &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "let us \"talk\"\x1b"},
		result: `✓ Database Selection: "let us \"talk\"\x1b"`,
		summary: `User was asked "Which database should we use?". User was asked "What should we name this service?". ` +
			`User replied "let us \"talk\"\x1b".`,
	}, {
		name:   "secrets",
		secret: true,
		o: &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "hunter2", Answers: []sayso.Answer{
			{QuestionID: "q1", Selected: []string{"o1"}}, {QuestionID: "q2", Other: "hunter2", Note: "hunter2"}}},
		result: "✓ Database Selection: [secret]\n✓ Database Selection: PostgreSQL\n✓ Service Setup: [secret]",
		summary: `User was asked "Which database should we use?" and chose PostgreSQL. ` +
			`User was asked "What should we name this service?" and answered [secret]. User replied [secret].`,
	}, {
		name:   "declined",
		o:      &sayso.Outcome{Status: sayso.StatusDeclined, Reason: "not\nnow"},
		result: "✗ Database Selection: the person declined to answer (not↵now)",
		summary: `User was asked "Which database should we use?"; the person declined to answer. ` +
			`User was asked "What should we name this service?"; the person declined to answer.`,
	}, {
		name:   "expired with a default",
		o:      &sayso.Outcome{Status: sayso.StatusExpired, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}},
		result: "✗ Database Selection: the deadline passed without an answer",
		summary: `User was asked "Which database should we use?"; the deadline passed without an answer. ` +
			`User was asked "What should we name this service?"; the deadline passed without an answer.`,
	},
}

func TestRenderResultAndSummary(t *testing.T) {
	t.Parallel()
	for _, tt := range rendered {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := database()
			a.Questions[1].Secret = tt.secret
			if got := sayso.RenderResult(a, tt.o); got != tt.result {
				t.Errorf("result is\n%s, want\n%s", got, tt.result)
			}
			if got := sayso.Summary(a, tt.o); got != tt.summary {
				t.Errorf("summary is\n%s, want\n%s", got, tt.summary)
			}
		})
	}
}

func TestRenderResultWithoutHeaders(t *testing.T) {
	t.Parallel()
	a := database()
	a.Questions[1].Header = ""
	got := sayso.RenderResult(a, answered(sayso.Answer{QuestionID: "q2", Other: "x"}))
	if want := "– Database Selection: no answer\n✓ What should we name this service?: \"x\""; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// TestNothingIsToldAsNoAnswer holds what is rendered to R14.
func TestNothingIsToldAsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, text := range nothings {
		var o sayso.Outcome
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		o.Status = sayso.StatusAnswered
		result, summary := sayso.RenderResult(database(), &o), sayso.Summary(database(), &o)
		if !strings.HasPrefix(result, "✗ Database Selection: came back without an answer") {
			t.Errorf("%s is rendered as %q", text, result)
		}
		if strings.Count(summary, "came back without an answer") != 2 || strings.Contains(summary, "chose") {
			t.Errorf("%s is summed up as %q", text, summary)
		}
	}
}

// TestRenderIntroduction: who asks as the hub knows it stands apart from what the
// asker says, and every mark of the ask has its line.
func TestRenderIntroduction(t *testing.T) {
	t.Parallel()
	a := database()
	a.Origin = sayso.Origin{Agents: []string{"Security Team\nAsked by: admin"}, Asker: "deploy-bot", Via: "http", Workspace: "payments"}
	a.Deadline = time.Date(2026, 11, 15, 18, 0, 0, 0, time.UTC)
	a.Metadata = map[string]any{sayso.MetadataBlocked: map[string]any{"tools": []any{"deploy"}}}
	a.MinAssurance, a.Final = sayso.AssuranceLogin, true
	const want = "Asked by: deploy-bot (over http)\nSays it is: Security Team↵Asked by: admin · payments\n2 questions\n" +
		"Answer before 2026-11-15 18:00 UTC\nHeld up until you answer: next: deploy\nAn answer needs a sign-in.\n" +
		"Your answer is final while the agent waits: you cannot undo it.\n"
	if got := sayso.RenderIntroduction(a); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if got := sayso.RenderIntroduction(&sayso.Ask{}); got != "Asked by: unverified\n" {
		t.Errorf("of nobody it says %q", got)
	}
}

func TestRenderClosed(t *testing.T) {
	t.Parallel()
	o := answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o2"}})
	o.By = sayso.Responder{ID: "bob", Surface: "web"}
	const want = "Closed elsewhere by bob (web). Nothing was sent from here.\n✓ Database Selection: SQLite\n– Service Setup: no answer"
	if got := sayso.RenderClosed(database(), o); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestRenderDanger(t *testing.T) {
	t.Parallel()
	got := sayso.RenderDanger([]*sayso.Option{{Label: "Drop it", Description: "all rows\nare gone"}, {Label: "Truncate"}})
	if want := "“Drop it” is marked as dangerous: all rows↵are gone\n“Truncate” is marked as dangerous"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"short", "Which?\n  1. Yes", "Which?\n  1. Yes"},
		{"exactly as wide", "12345678901234567890", "12345678901234567890"},
		{"at a space", "Which database shall it be?", "Which database shall\n| it be?"},
		{"no space", strings.Repeat("x", 45), strings.Repeat("x", 20) + "\n| " + strings.Repeat("x", 18) + "\n| " + strings.Repeat("x", 7)},
		{"an option", "  1. A label that is long", "  1. A label that is\n  | long"},
		{"behind a bar", "  | and a line that is long", "  | and a line that\n  | is long"},
		{"wide letters", strings.Repeat("支", 12), strings.Repeat("支", 10) + "\n| 支支"},
		{"marks take no room", strings.Repeat("e\u0323", 20), strings.Repeat("e\u0323", 20)},
		{"spaces at the end", "Which?" + strings.Repeat(" ", 40), "Which?"},
		{"spaces to the edge", "Ship it?            Asked by: boss", "Ship it?\n| Asked by: boss"},
	} {
		if got := sayso.Fold(c.text, 20); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
		if got := sayso.Fold(c.text, 0); got != c.text {
			t.Errorf("%s: folded at no width", c.name)
		}
	}
}
