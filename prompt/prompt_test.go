package prompt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/prompt"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts")

// terminal plays a person who types the given lines. What is typed shows up in
// the transcript, as on a real one.
type terminal struct {
	typed      []string
	transcript bytes.Buffer
}

func (t *terminal) Read(p []byte) (int, error) {
	if len(t.typed) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.typed[0])
	t.transcript.Write(p[:n])
	if t.typed[0] = t.typed[0][n:]; t.typed[0] == "" {
		t.typed = t.typed[1:]
	}
	return n, nil
}

func (t *terminal) Write(p []byte) (int, error) { return t.transcript.Write(p) }

// play asks, with a line typed for each of the lines.
func play(t *testing.T, a *sayso.Ask, lines ...string) (*sayso.Outcome, string) {
	t.Helper()
	term := &terminal{}
	for _, l := range lines {
		term.typed = append(term.typed, l+"\n")
	}
	o, err := (&prompt.Resolver{In: term, Out: term}).Ask(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Check(o); err != nil {
		t.Fatal(err)
	}
	return o, term.transcript.String()
}

// normalized clones the questions first: tests that run in parallel share them.
func normalized(qs ...sayso.Question) *sayso.Ask {
	a := (&sayso.Ask{Questions: qs}).Clone()
	a.Normalize()
	return a
}

var (
	database = sayso.Question{
		Header: "Database", Text: "Which database should the payments service use?",
		Options: []sayso.Option{
			{Label: "PostgreSQL (Recommended)", Description: "Battle-tested relational DB"},
			{Label: "SQLite", Description: "One file, no server", Preview: "path: app.db\nmode: wal"},
			{Label: "MongoDB", Description: "Document store"},
		},
	}
	features = sayso.Question{
		Header: "Features", Text: "Which features should we include?", Multi: true,
		Options: []sayso.Option{{Label: "Authentication"}, {Label: "REST API"}, {Label: "Admin Dashboard"}},
	}
	name   = sayso.Question{Header: "Name", Text: "What should we name this service?"}
	danger = sayso.Question{Text: "What shall become of it?", Options: []sayso.Option{
		{Label: "Keep"}, {Label: "Drop it", Description: "All rows are gone", Danger: true},
	}}
)

func TestTranscripts(t *testing.T) {
	t.Parallel()
	everything := normalized(database, features, name)
	everything.Origin = sayso.Origin{Agents: []string{"planner", "researcher"}, Host: "host", Workspace: "payments-api", Branch: "main"}
	single := normalized(database)
	single.Origin = sayso.Origin{Host: "claude-code", Workspace: "payments-api"}
	hostile := normalized(sayso.Question{
		Header:  "Ok\n1. Yes",
		Text:    "Go on?\x1b[2J\n  1. Yes (already chosen)\nYour choice (a number, ? for help): 1\r\nSent.",
		Body:    "first\n\n  9. second\u202e",
		Options: []sayso.Option{{Label: "No\n  2. Yes", Description: "a\n  2. Yes"}, {Label: "Delete \x07it all", Danger: true}},
	})
	hostile.Origin.Agents = []string{"evil\nSent."}
	hostile.Deadline = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	secret := normalized(sayso.Question{Header: "Key", Text: "The API key?", Secret: true})
	tests := []struct {
		name  string
		a     *sayso.Ask
		lines []string
	}{
		{"one-choice", single, []string{"2"}},
		{"one-text", normalized(name), []string{"  order-processor "}},
		{"several", everything, []string{"postgresql", "1,3", "order-processor", "y"}},
		{"own-words", everything, []string{"other DynamoDB, please", "2, and a webhook", "/skip", "y"}},
		{"own-words-asked-for", single, []string{"other", "", "OTHER", "DynamoDB"}},
		{"own-words-in-doubt", single, []string{"DynamoDB", "no", "postgres", "yes"}},
		{"blank-and-help", everything, []string{"", "/help", "9", "no", "/SKIP", "  ", "/?", "nope", "y", "/skip", "/help", "/skip", "", "/help", "1", "1", "y"}},
		{"commands-are-words", normalized(name, name), []string{"later", "//skip", "y"}},
		{"change-in-review", everything, []string{"1", "1", "api", "2", "3, other css", "yes"}},
		{"nothing-answered", everything, []string{"/skip", "/skip", "/skip", "y"}},
		{"decline-at-once", single, []string{"/decline"}},
		{"decline-after-answers", everything, []string{"1", "/decline", "no", "2", "api", "/Decline", "yes"}},
		{"cancel", everything, []string{"1", "/cancel", "yes"}},
		{"later", everything, []string{"1", "/later"}},
		{"end-of-input", everything, []string{"1", "2"}},
		{"hostile", hostile, []string{"1,2", "no", "2", "no", "delete ␇it all", "yes"}},
		{"danger-thought-better", normalized(danger, name), []string{"drop it", "api", "y", "y", "1", "keep", "y"}},
		{"long", normalized(name), []string{strings.Repeat("long ", 401), "no", strings.Repeat("long ", 401), ""}},
		{"secret", secret, []string{"hunter2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, transcript := play(t, tt.a, tt.lines...)
			outcome, err := json.MarshalIndent(o, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got := transcript + "\n-- outcome --\n" + string(outcome) + "\n"
			golden := filepath.Join("testdata", tt.name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; got\n%s", golden, got)
			}
		})
	}
}

// TestChoice reads single lines at a question with options.
func TestChoice(t *testing.T) {
	t.Parallel()
	replicas := sayso.Question{Text: "How many replicas?", Options: []sayso.Option{{Label: "1"}, {Label: "3"}, {Label: "5"}}}
	odd := sayso.Question{Text: "Which?", Multi: true, Options: []sayso.Option{
		{Label: "Other databases"}, {Label: "skip"}, {Label: "Go, Rust"}, {Label: "GO"}, {Label: "go"}, {Label: "Yes"},
	}}
	tests := []struct {
		q     sayso.Question
		line  string
		want  string // chosen options and own words; empty: asked again
		again string // what the person is told then
	}{
		{database, "1", "o1", ""},
		{database, " #2 ", "o2", ""},
		{database, "sqlite", "o2", ""},
		{database, "PostgreSQL (Recommended)", "o1", ""},
		{database, "Other: DynamoDB", "|DynamoDB", ""},
		{database, "other DynamoDB ", "|DynamoDB ", ""},
		{database, "1,2", "", `"1,2" names no option.`},
		{database, "4", "", `"4" names no option.`},
		{database, "0", "", `"0" names no option.`},
		{database, "DynamoDB", "", `"DynamoDB" names no option.`},
		{database, "\x1b[A", "", `"\x1b[A" names no option.`},
		{database, strings.Repeat("long ", 20), "", strings.Repeat("long ", 12) + "…\" names no option."},
		{features, "1,3", "o1 o3", ""},
		{features, "rest api,3", "o2 o3", ""},
		{features, "1, other and a webhook", "o1|and a webhook", ""},
		{features, "1, and a webhook", "o1|and a webhook", ""},
		{features, "1 rest", "", `"1 rest" names no option.`},
		{replicas, "1", "o1", ""},
		{replicas, "3", "", `"3" is the label of one option and the number of another; write #3 for the number.`},
		{replicas, "#3", "o3", ""},
		{replicas, "5", "o3", ""},
		{replicas, "2", "o2", ""},
		{odd, "other databases", "o1", ""},
		{odd, "other database", "|database", ""},
		{odd, "skip", "o2", ""},
		{odd, "Go, Rust", "o3", ""},
		{odd, "go, 1", "o5 o1", ""},
		{odd, "Go", "", `"Go" could mean the option "GO" or the option "go"; write the label exactly.`},
		{odd, "yes", "o6", ""},
	}
	for _, tt := range tests {
		// A second line leaves, in case the first asks again.
		o, transcript := play(t, normalized(tt.q), tt.line, "/later", "/later")
		got := ""
		if o.Status == sayso.StatusAnswered {
			got = strings.Join(o.Answers[0].Selected, " ")
			if o.Answers[0].Other != "" {
				got += "|" + o.Answers[0].Other
			}
		}
		if got != tt.want {
			t.Errorf("%q at %q gives %q, want %q\n%s", tt.line, tt.q.Text, got, tt.want, transcript)
		}
		if !strings.Contains(transcript, tt.again) {
			t.Errorf("%q at %q is not answered with %q\n%s", tt.line, tt.q.Text, tt.again, transcript)
		}
	}
}

func TestWordsAreVerbatim(t *testing.T) {
	t.Parallel()
	for _, words := range []string{" two  spaces ", "1", "0", "other people", "skip", "later", "?", "-", "/usr/bin", "skip this", "ünï\tcode\x1b[D", "\xff."} {
		if o, _ := play(t, normalized(name), words); o.Answers[0].Other != words {
			t.Errorf("%q became %q", words, o.Answers[0].Other)
		}
	}
	if o, _ := play(t, normalized(name), "windows\r"); o.Answers[0].Other != "windows" {
		t.Errorf("the line end became part of the answer: %q", o.Answers[0].Other)
	}
}

// TestEndOfInputIsNoAnswer cuts a whole dialog after every byte: only all of it
// is an answer.
func TestEndOfInputIsNoAnswer(t *testing.T) {
	t.Parallel()
	const dialog = "1\n1,3\norder-processor\ny\n"
	for n := range len(dialog) + 1 {
		r := &prompt.Resolver{In: strings.NewReader(dialog[:n]), Out: io.Discard}
		o, err := r.Ask(t.Context(), normalized(database, features, name))
		if err != nil {
			t.Fatal(err)
		}
		want := sayso.StatusPending
		if n == len(dialog) {
			want = sayso.StatusAnswered
		}
		if o.Status != want || n < len(dialog) && len(o.Answers) > 0 {
			t.Errorf("%q gives %+v, want %s", dialog[:n], o, want)
		}
	}
}

func TestAsksOneAfterAnother(t *testing.T) {
	t.Parallel()
	r := &prompt.Resolver{In: strings.NewReader("1\nsecond\n"), Out: io.Discard, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}}
	first, err1 := r.Ask(t.Context(), normalized(database))
	second, err2 := r.Ask(t.Context(), normalized(name))
	third, err3 := r.Ask(t.Context(), normalized(name))
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if first.Answers[0].Selected[0] != "o1" || second.Answers[0].Other != "second" || third.Status != sayso.StatusPending {
		t.Errorf("got %+v, %+v, %+v", first, second, third)
	}
	if first.By.ID != "ann" {
		t.Errorf("signed by %+v, want ann", first.By)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errBroken }
func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestBreakage(t *testing.T) {
	t.Parallel()
	long := strings.NewReader(strings.Repeat("x", 2<<20))
	sure := normalized(name)
	sure.MinAssurance = sayso.AssuranceLogin
	for _, tt := range []struct {
		name string
		r    *prompt.Resolver
		a    *sayso.Ask
		want error
	}{
		{"no streams", &prompt.Resolver{}, normalized(name), sayso.ErrUnreachable},
		{"not sure enough", &prompt.Resolver{In: broken{}, Out: io.Discard}, sure, sayso.ErrUnreachable},
		{"cannot read", &prompt.Resolver{In: broken{}, Out: io.Discard}, normalized(name), errBroken},
		{"cannot write", &prompt.Resolver{In: strings.NewReader("x\n"), Out: broken{}}, normalized(name), errBroken},
		{"endless line", &prompt.Resolver{In: long, Out: io.Discard}, normalized(name), nil},
	} {
		o, err := tt.r.Ask(t.Context(), tt.a)
		if err == nil || o != nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got %+v, %v, want error %v", tt.name, o, err, tt.want)
		}
		if tt.want != sayso.ErrUnreachable && errors.Is(err, sayso.ErrUnreachable) {
			t.Errorf("%s: breakage passes for being unreachable", tt.name)
		}
	}
}

func TestContextIsOverBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBroken)
	in := strings.NewReader("answer\n")
	if o, err := (&prompt.Resolver{In: in, Out: io.Discard}).Ask(ctx, normalized(name)); !errors.Is(err, errBroken) {
		t.Errorf("got %+v, %v, want the cause", o, err)
	}
	if in.Len() != len("answer\n") {
		t.Error("a line was read for nobody")
	}
}

// Lines are folded where the width of the terminal is known.
func TestWidth(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{0: "Ship it? Before that, look at the list.\n", 20: "Ship it? Before\n| that, look at the\n| list.\n"} {
		term := &terminal{typed: []string{"/later\n"}}
		r := &prompt.Resolver{In: term, Out: term, Width: func() int { return width }}
		if _, err := r.Ask(t.Context(), normalized(sayso.Question{Text: "Ship it? Before that, look at the list."})); err != nil {
			t.Fatal(err)
		}
		if got := term.transcript.String(); !strings.Contains(got, want) {
			t.Errorf("at %d: got %s", width, got)
		}
	}
}
