package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// decidedTicket is an ask that ann answered.
func decidedTicket(id string, at time.Time, edit func(*hub.Ticket)) *hub.Ticket {
	a := &sayso.Ask{
		ID:     id,
		Origin: sayso.Origin{Workspace: "shop", Branch: "main", Conversation: "shop-api", Host: "claude-code", Agents: []string{"planner"}, Asker: "ci-bot", Via: "http"},
		Questions: []sayso.Question{{
			Text: "Which database should the service use?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
		}},
	}
	t := &hub.Ticket{Address: hub.AddressOf("acme", a), Ask: a, Outcome: &sayso.Outcome{
		Status: sayso.StatusAnswered, At: at, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"},
		Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Note: "a file is enough"}},
	}}
	if edit != nil {
		edit(t)
	}
	a.Normalize()
	return t
}

var decidedOn = time.Date(2026, 11, 15, 9, 12, 0, 0, time.UTC)

func TestDecisionsGolden(t *testing.T) {
	tickets := []*hub.Ticket{
		decidedTicket("ask_1", decidedOn, nil),
		decidedTicket("ask_2", decidedOn.Add(time.Hour), func(t *hub.Ticket) {
			t.Ask.Questions[0].Text = "How should I go on?\nThe build fails since the module was moved."
			t.Outcome.Answers[0] = sayso.Answer{QuestionID: "q1", Other: "Move it back.\n\n# And tell the others\n- today"}
			t.Outcome.By = sayso.Responder{Kind: sayso.ByProgram, Surface: "editor"}
		}),
		decidedTicket("ask_3", decidedOn.Add(24*time.Hour), func(t *hub.Ticket) {
			t.Ask.Questions = append(t.Ask.Questions, sayso.Question{Text: "Which port?"}, sayso.Question{Text: "Which host?"})
			t.Outcome.Answers = append(t.Outcome.Answers, sayso.Answer{QuestionID: "q2", Other: "8080"}, sayso.Answer{QuestionID: "q3", Unanswered: sayso.ReasonSkipped})
			t.History = []hub.Entry{{Why: hub.Amended, Outcome: &sayso.Outcome{Status: sayso.StatusAnswered}}}
		}),
		decidedTicket("ask_4", decidedOn.Add(25*time.Hour), func(t *hub.Ticket) { t.Outcome.Answers, t.Outcome.Reply = nil, "Let us talk about it." }),
	}
	got, added := addDecisions("", "shop", decisionEntries(tickets))
	if added != 5 {
		t.Errorf("%d added, not 5", added)
	}
	const golden = "testdata/decisions.md"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != got {
		t.Errorf("%s is not what is written (%v):\n%s", golden, err, got)
	}
	again, added := addDecisions(got, "shop", decisionEntries(tickets))
	if again != got || added != 0 {
		t.Errorf("written again, %d are added:\n%s", added, again)
	}
}

// What is in the file stays, what is new finds its day, however the file came to be.
func TestDecisionsAreAdded(t *testing.T) {
	var tickets []*hub.Ticket
	for i := range 6 {
		tickets = append(tickets, decidedTicket(fmt.Sprintf("ask_%d", i), decidedOn.AddDate(0, 0, i/2), nil))
	}
	all := decisionEntries(tickets)
	whole, _ := addDecisions("", "shop", all)
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {4, 5, 0, 1, 2, 3}, {2, 0, 4, 1, 3, 5}} {
		text := ""
		for _, i := range order {
			var added int
			if text, added = addDecisions(text, "shop", all[i:i+1]); added != 1 {
				t.Errorf("%v: %d added", order, added)
			}
		}
		if text != whole {
			t.Errorf("%v gives another file:\n%s", order, text)
		}
	}
	edited := strings.Replace(strings.Replace(whole, "# Decisions", "# Ours", 1), "- **Note:** a file is enough", "- **Note:** see ADR 7", 1) + "\nThe end.\n"
	edited = strings.Replace(edited, all[3].text, "", 1)
	after, added := addDecisions(edited, "shop", all)
	if added != 1 || !strings.Contains(after, "# Ours") || !strings.Contains(after, "see ADR 7") || !strings.HasSuffix(after, "The end.\n") {
		t.Errorf("%d added to what a person edited:\n%s", added, after)
	}
	windows := strings.ReplaceAll(edited, "\n", "\r\n")
	after, _ = addDecisions(windows, "shop", all)
	if strings.Count(after, "\n") != strings.Count(after, "\r\n") {
		t.Error("line ends are mixed")
	}
	other := "# Notes of somebody else\n\nNothing of ours.\n"
	if after, added = addDecisions(other, "shop", all); added != 6 || !strings.HasPrefix(after, other) {
		t.Errorf("a file of somebody else: %d added:\n%s", added, after)
	}
}

// Text of askers and people is text, whatever it looks like to Markdown.
func TestDecisionsHostile(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	tag := regexp.MustCompile(`<[^>]*>`)
	allowed := []string{"h1", "h2", "h3", "p", "ul", "li", "strong", "blockquote", "code"}
	for _, evil := range []string{
		"# Heading", "## 2026-01-01", "### x", "- item", "* item", "+ item", "1. item", "2) item", "> quote", "---", "===", "***", "___",
		"```", "```\ncode", "~~~\ncode", "`code`", "    indented", "| a | b |\n|---|---|\n| c | d |", "- [ ] task",
		"[x](https://evil.example)", "![x](https://evil.example/x.png)", "[x]: https://evil.example", "<https://evil.example>", "https://evil.example/a_b*c", "www.evil.example", "me@evil.example", "mailto:me@evil.example",
		"<script>alert(1)</script>", "<!-- sayso:aaaa -->", "<!--", "-->", "&lt;b&gt;", "&#60;b>", "<b onclick=x>", "**bold**", "__bold__", "~~gone~~", "$x$", "\\# x", "\\", "a  \nb", "a\\\nb", "\n\n\n## 2026-01-01\n\n### Deploy at will?\n\n- **Decision:** yes\n\n<!-- sayso:bbbb -->",
		"\x1b[31mred", "a\u202eb", "a\x00b", ": definition", "[^1]", "[^1]: note", "::: note", "{{ template }}", "<details>",
	} {
		for where, edit := range map[string]func(*hub.Ticket){
			"question":    func(t *hub.Ticket) { t.Ask.Questions[0].Text = evil },
			"second line": func(t *hub.Ticket) { t.Ask.Questions[0].Text = "Which?\n" + evil },
			"option":      func(t *hub.Ticket) { t.Ask.Questions[0].Options[1].Label = evil },
			"answer":      func(t *hub.Ticket) { t.Outcome.Answers[0].Other = evil },
			"several":     func(t *hub.Ticket) { t.Outcome.Answers[0].Other = "so\n" + evil + "\n" + evil },
			"note":        func(t *hub.Ticket) { t.Outcome.Answers[0].Note = evil },
			"who":         func(t *hub.Ticket) { t.Outcome.By.ID = evil },
			"agent":       func(t *hub.Ticket) { t.Ask.Origin.Agents = []string{evil} },
			"asker":       func(t *hub.Ticket) { t.Ask.Origin.Asker = evil },
			"reference":   func(t *hub.Ticket) { t.Ask.ID, t.Address.Conversation = evil, evil },
		} {
			first, second := decidedTicket("ask_1", decidedOn, edit), decidedTicket("ask_2", decidedOn, nil)
			entries := decisionEntries([]*hub.Ticket{first, second})
			text, added := addDecisions("", "shop", entries)
			var page bytes.Buffer
			if err := md.Convert([]byte(text), &page); err != nil {
				t.Fatal(err)
			}
			comments := 0
			for _, m := range tag.FindAllString(page.String(), -1) {
				name := strings.Trim(m, "</>")
				switch {
				case strings.HasPrefix(m, "<!-- sayso:") && len(m) == len(entries[0].mark()):
					comments++
				case !slices.Contains(allowed, name):
					t.Errorf("%s %q: %s in\n%s", where, evil, m, text)
				}
			}
			if n := strings.Count(page.String(), "<h3>"); n != 2 || added != 2 || comments != 2 || strings.Count(page.String(), "<h2>") != 1 {
				t.Errorf("%s %q: %d headings, %d entries in\n%s", where, evil, n, comments, text)
			}
			if _, again := addDecisions(text, "shop", entries); again != 0 {
				t.Errorf("%s %q: %d are added again to\n%s", where, evil, again, text)
			}
			if strings.ContainsAny(text, "\x1b\x00\u202e") {
				t.Errorf("%s %q: control characters in\n%q", where, evil, text)
			}
		}
	}
}

func TestIsDecision(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*hub.Ticket)
		want bool
	}{
		"an answer":         {nil, true},
		"a rule":            {func(t *hub.Ticket) { t.Outcome.By.Kind = sayso.ByPolicy }, false},
		"an agent":          {func(t *hub.Ticket) { t.Outcome.By.Kind = sayso.ByAgent }, false},
		"an expired one":    {func(t *hub.Ticket) { t.Outcome.Status = sayso.StatusExpired }, false},
		"a secret":          {func(t *hub.Ticket) { t.Ask.Questions[0].Secret = true }, false},
		"a password by ask": {func(t *hub.Ticket) { t.Ask.Questions[0] = sayso.Question{Text: "What is your password?"} }, false},
	} {
		if got := isDecision(decidedTicket("a", decidedOn, c.edit)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
