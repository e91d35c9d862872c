package sayso_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

func TestNormalizeTexts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		in        string
		text, raw string // of a question
		line      string // of a header or a label, with in as its raw form
	}{
		{name: "nothing to do", in: "Which database?", text: "Which database?", line: "Which database?"},
		{name: "spaces around", in: "  Which?\t", text: "Which?", raw: "  Which?\t", line: "Which?"},
		{name: "line end", in: "Which?\r\n", text: "Which?", raw: "Which?\r\n", line: "Which?"},
		{name: "two lines", in: "One\ntwo", text: "One\ntwo", line: "One↵two"},
		{name: "escape", in: "a\x1b[2Jb", text: "a␛[2Jb", raw: "a\x1b[2Jb", line: "a␛[2Jb"},
		{name: "bidi", in: "a\u202eb", text: "a<U+202E>b", raw: "a\u202eb", line: "a<U+202E>b"},
		{name: "not text", in: "a\xffb", text: "a\ufffdb", raw: "a\xffb", line: "a\ufffdb"},
		{name: "other scripts", in: "数据库？ می\u200cخواهم", text: "数据库？ می\u200cخواهم", line: "数据库？ می\u200cخواهم"},
		{name: "empty", in: "", text: "", line: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := &sayso.Ask{
				Questions: []sayso.Question{{
					Header: tt.in, Text: tt.in, Body: tt.in,
					Options: []sayso.Option{{Label: tt.in, Description: tt.in, Preview: tt.in}},
				}},
				Origin: sayso.Origin{Host: tt.in, Workspace: tt.in, Branch: tt.in, Agents: []string{tt.in}},
			}
			a.Normalize()
			q, o := &a.Questions[0], &a.Questions[0].Options[0]
			for what, got := range map[string]string{"text": q.Text, "body": q.Body, "description": o.Description} {
				if got != tt.text {
					t.Errorf("%s is %q, want %q", what, got, tt.text)
				}
			}
			if q.RawText != tt.raw {
				t.Errorf("raw text is %q, want %q", q.RawText, tt.raw)
			}
			for what, got := range map[string]string{
				"header": q.Header, "label": o.Label,
				"host": a.Origin.Host, "workspace": a.Origin.Workspace, "branch": a.Origin.Branch, "agent": a.Origin.Agents[0],
			} {
				if got != tt.line {
					t.Errorf("%s is %q, want %q", what, got, tt.line)
				}
			}
			for what, got := range map[string]string{
				"text": q.TextAsAsked(), "header": q.HeaderAsAsked(), "label": o.LabelAsAsked(),
			} {
				if got != tt.in {
					t.Errorf("%s as asked is %q, want the asker's bytes %q", what, got, tt.in)
				}
			}
		})
	}
}

func TestNormalizeKeepsThePreviewsIndent(t *testing.T) {
	t.Parallel()
	a := &sayso.Ask{Questions: []sayso.Question{{Options: []sayso.Option{{Preview: "  if x {\n  }\n\n"}}}}}
	a.Normalize()
	if got, want := a.Questions[0].Options[0].Preview, "  if x {\n  }"; got != want {
		t.Errorf("preview is %q, want %q", got, want)
	}
}

func TestNormalizeRecommended(t *testing.T) {
	t.Parallel()
	type label struct {
		shown       string
		recommended bool
	}
	tests := []struct {
		name string
		in   []string
		want []label
	}{
		{"as in seed 1 (pi)", []string{"PostgreSQL (Recommended)", "SQLite"}, []label{{"PostgreSQL", true}, {"SQLite", false}}},
		{"any case, no space", []string{"A(RECOMMENDED)", "b (recommended) "}, []label{{"A", true}, {"b", true}}},
		{"twice", []string{"A (Recommended) (Recommended)"}, []label{{"A", true}}},
		{"not at the end", []string{"(Recommended) A", "A (Recommended) now"}, []label{{"(Recommended) A", false}, {"A (Recommended) now", false}}},
		{"nothing else", []string{"(Recommended)"}, []label{{"(Recommended)", true}}},
		{"would be like the other", []string{"Yes (Recommended)", "Yes"}, []label{{"Yes (Recommended)", true}, {"Yes", false}}},
		{"would both be the same", []string{"Yes (Recommended)", "Yes (recommended)"}, []label{{"Yes (Recommended)", true}, {"Yes (recommended)", true}}},
		{"would look like the other", []string{"Yеs (Recommended)", "Yes"}, []label{{"Yеs (Recommended)", true}, {"Yes", false}}},
		{"other scripts", []string{"数据库 (Recommended)", "ß"}, []label{{"数据库", true}, {"ß", false}}},
		{"cut in the middle of a letter", []string{"é2345678901", "日本語日本"}, []label{{"é2345678901", false}, {"日本語日本", false}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := &sayso.Ask{Questions: []sayso.Question{{}}}
			for _, s := range tt.in {
				a.Questions[0].Options = append(a.Questions[0].Options, sayso.Option{Label: s})
			}
			a.Normalize()
			var got []label
			for i, o := range a.Questions[0].Options {
				got = append(got, label{o.Label, o.Recommended})
				if o.LabelAsAsked() != tt.in[i] {
					t.Errorf("option %d is echoed as %q, want %q", i, o.LabelAsAsked(), tt.in[i])
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNormalizeIDs(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"none given", ",,", "1,2,3"},
		{"all given", "a,b,c", "a,b,c"},
		{"some given", ",b,", "1,b,3"},
		{"a given one in the way", "2,,", "2,2_,3"},
		{"two in the way", "2_,,2", "2_,2__,2"},
		{"given twice stays, for Validate to see", "1,1,", "1,1,3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := &sayso.Ask{Questions: []sayso.Question{{ID: "x"}}}
			for _, id := range strings.Split(tt.in, ",") {
				a.Questions[0].Options = append(a.Questions[0].Options, sayso.Option{ID: prefixed("o", id)})
				a.Questions = append(a.Questions, sayso.Question{ID: prefixed("q", id)})
			}
			options := a.Questions[0].Options
			a.Questions = a.Questions[1:]
			a.Questions[0].Options = options
			a.Normalize()
			for i, id := range strings.Split(tt.want, ",") {
				if got, want := a.Questions[i].ID, prefixed("q", id); got != want {
					t.Errorf("question %d is %q, want %q", i, got, want)
				}
				if got, want := options[i].ID, prefixed("o", id); got != want {
					t.Errorf("option %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

// prefixed puts the prefix before ids that are numbers.
func prefixed(prefix, id string) string {
	if id != "" && id[0] <= '9' {
		return prefix + id
	}
	return id
}

func TestNormalizeIsIdempotent(t *testing.T) {
	t.Parallel()
	labels := []string{
		"A", " A (Recommended)\n", "A (recommended)", "A\x1b[0m (Recommended)", "(Recommended)", "", "\u200b",
		"  \u0301x", "\u202eA (Recommended)", "a\r\nb", "\xff (Recommended)", "А (Recommended)", "Ａ", "\t\u2003A\u2003",
	}
	// Every pair of labels, since they influence one another.
	for _, first := range labels {
		for _, second := range labels {
			a := &sayso.Ask{
				Questions: []sayso.Question{{
					Header: first, Text: second, Body: first,
					Options: []sayso.Option{{Label: first, Description: second, Preview: first}, {Label: second}},
				}, {ID: "q1"}},
				Origin: sayso.Origin{Host: first, Agents: []string{second}},
			}
			a.Normalize()
			once := a.Clone()
			a.Normalize()
			if !reflect.DeepEqual(a, once) {
				t.Errorf("%q and %q: normalized twice is\n%+v, once is\n%+v", first, second, a, once)
			}
		}
	}
}

func TestTooMuchIsReadInTime(t *testing.T) {
	t.Parallel()
	// As many as fit into the largest call that is read. With one comparison
	// for each pair this would take minutes.
	a := &sayso.Ask{Questions: make([]sayso.Question, 60_000)}
	a.Questions[0].ID = "q2"
	for i := range a.Questions {
		a.Questions[i].Text = "?"
	}
	a.Questions[1].Options = make([]sayso.Option, 60_000)
	for i := range a.Questions[1].Options {
		a.Questions[1].Options[i].Label = "A (Recommended)"
	}
	a.Normalize()
	err := a.Validate(sayso.Limits{UniqueText: true})
	if n := len(problems(t, err)); n == 0 || n > 100 {
		t.Errorf("%d problems, want some, and not one for each pair", n)
	}
}

func TestHeavyMarkdown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want bool
	}{
		"nothing":         {"", false},
		"a long document": {strings.Repeat("# Plan\n\n1. Copy the *old* table, all 1.5 GB of it, to the new place.\n- Drop it.\n\n", 400), false},
		"prose":           {strings.Repeat("Words (and more of them). ", 10_000), false},
		"at the limit":    {strings.Repeat("*", 4000), false},
		"above it":        {strings.Repeat("*", 4001), true},
		"numbers":         {strings.Repeat("1. ", 4001), true},
		"numbers in )":    {strings.Repeat("1) ", 4001), true},
		"lines":           {strings.Repeat("a\n", 4001), true},
	} {
		if got := sayso.HeavyMarkdown(tt.text); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// A table of few marks can have very many cells.
func TestHeavyMarkdownTables(t *testing.T) {
	wide := strings.Repeat("|a", 600) + "\n" + strings.Repeat("|-", 600) + "\n"
	for _, c := range []struct {
		name, text string
		heavy      bool
	}{
		{"a table", strings.Repeat("| a | b | c |\n", 200), false},
		{"a wide table", wide + strings.Repeat("|b\n", 20), false},
		{"a wide and long one", wide + strings.Repeat("|b\n", 200), true},
		{"rows without marks", wide + strings.Repeat("b\n", 200), true},
		{"a document", strings.Repeat("A line of text, with | a mark.\n", 1000), false},
		{"very many marks", strings.Repeat("*", 5000), true},
	} {
		if got := sayso.HeavyMarkdown(c.text); got != c.heavy {
			t.Errorf("%s: heavy %v", c.name, got)
		}
	}
}
