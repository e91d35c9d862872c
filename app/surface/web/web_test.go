package web_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

func form(digest string, pairs ...string) url.Values {
	v := url.Values{"digest": {digest}, "do": {"send"}}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == "do" {
			v.Set("do", pairs[i+1])
			continue
		}
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

// TestForms sends forms as a browser without JavaScript does.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		pairs []string
		code  int
		says  string
		want  *sayso.Outcome // nil: still open
	}{
		{"everything", []string{"q0", "option:o2", "q1", "option:o1", "q1", "own", "t1", "Export", "t2", "order-processor", "n0", "only for tests"}, 303, "",
			&sayso.Outcome{Status: "answered", Answers: []sayso.Answer{
				{QuestionID: "q1", Selected: []string{"o2"}, Note: "only for tests"},
				{QuestionID: "q2", Selected: []string{"o1"}, Other: "Export"},
				{QuestionID: "q3", Other: "order-processor"}}}},
		{"one is missing", []string{"q0", "option:o2", "t2", "x"}, 422, "Question 2 still needs an answer: “Which features?”", nil},
		{"missing can be skipped on purpose", []string{"q0", "option:o2", "t2", "x"}, 422, "Send 2 of 3, skip 1", nil},
		{"skipped on purpose", []string{"q0", "option:o2", "do", "partial"}, 303, "",
			&sayso.Outcome{Status: "answered", Answers: []sayso.Answer{
				{QuestionID: "q1", Selected: []string{"o2"}},
				{QuestionID: "q2", Unanswered: "skipped"},
				{QuestionID: "q3", Unanswered: "skipped"}}}},
		{"nothing", nil, 422, "Question 1 still needs an answer", nil},
		{"nothing, on purpose", []string{"do", "partial"}, 422, "Question 1 still needs an answer", nil},
		{"blank words", []string{"q0", "own", "t0", " \u200b ", "q1", "own", "t2", "\t"}, 422, "Question 3 still needs", nil},
		{"a choice and other words", []string{"q0", "option:o2", "t0", "rather not", "q1", "option:o1", "t2", "x"}, 422, "Question 1 has a choice and your own words", nil},
		{"an option that is not offered", []string{"q0", "option:o9", "q1", "option:o1", "t2", "x"}, 422, "Question 1 still needs", nil},
		{"declined", []string{"do", "decline", "q0", "option:o1"}, 303, "", &sayso.Outcome{Status: "declined"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			ticket, page := w.ask(threeQuestions())
			r := w.post(w.c, page, form(ticket.Digest, tt.pairs...))
			if r.code != tt.code || !strings.Contains(r.body, tt.says) {
				t.Errorf("got %d\n%s\nwant %d %q", r.code, r.body, tt.code, tt.says)
			}
			got := w.outcome(ticket)
			if (got == nil) != (tt.want == nil) {
				t.Fatalf("outcome is %+v, want %+v", got, tt.want)
			}
			if got != nil && (got.Status != tt.want.Status || !reflect.DeepEqual(got.Answers, tt.want.Answers)) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if got != nil && (got.By.ID != "ann" || got.By.Surface != "web") {
				t.Errorf("answered by %+v", got.By)
			}
		})
	}
}

// TestKeepsWhatWasTyped: a form that is refused comes back as it was sent.
func TestKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(threeQuestions())
	r := w.post(w.c, page, form(ticket.Digest, "q0", "option:o2", "t2", "half a <b>name"))
	for _, want := range []string{`value="option:o2" checked`, "half a &lt;b&gt;name</textarea>"} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestNothingIsChosen: a fresh form has no answer in it.
func TestNothingIsChosen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	r := w.get(w.c, page)
	if strings.Contains(r.body, " checked") {
		t.Error("something is chosen")
	}
	for _, want := range []string{"planner ▸ researcher · payments-api @ main", "recommended", "Send 3 answers", "Decline to answer"} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestSomebodyWasFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(threeQuestions())
	if _, err := w.hub.Close(t.Context(), ticket, &sayso.Outcome{
		Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}},
		By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "terminal"},
	}, nil); err != nil {
		t.Fatal(err)
	}
	r := w.post(w.c, page, form(ticket.Digest, "q0", "option:o2", "q1", "option:o1", "t2", "my long answer"))
	for _, want := range []string{"by bob (terminal)", "PostgreSQL", "What you typed", "my long answer"} {
		if r.code != http.StatusConflict || !strings.Contains(r.body, want) {
			t.Errorf("got %d without %q", r.code, want)
		}
	}
}

func TestChangedQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(threeQuestions())
	r := w.post(w.c, page, form("another digest", "q0", "option:o2", "q1", "option:o1", "t2", "x"))
	if r.code != http.StatusConflict || !strings.Contains(r.body, "Read it again before you answer") || w.outcome(ticket) != nil {
		t.Errorf("got %d %s", r.code, r.body)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if r := w.get(w.c, "/"); !strings.Contains(r.body, "All caught up") {
		t.Error("an empty inbox does not say so")
	}
	ticket, page := w.ask(threeQuestions())
	w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Ship it?"}}})
	w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "For bob only?"}}, To: []string{"bob"}})
	w.post(w.c, page, form(ticket.Digest, "q0", "option:o2", "q1", "option:o1", "t2", "zebra"))
	for path, want := range map[string][2]string{
		"/":                          {"Ship it?", "Which database?"},
		"/?view=answered":            {"Which database?", "Ship it?"},
		"/?view=all":                 {"Which database?", "For bob"},
		"/?q=SHIP":                   {"Ship it?", "Which database?"},
		"/?view=all&q=zebra":         {"Which database?", "Ship it?"},
		"/stats":                     {"median time to answer", "For bob"},
		"/?view=all&q=nothing+there": {"Nothing found", "Ship it?</span>"},
	} {
		r := w.get(w.c, path)
		if r.code != 200 || !strings.Contains(r.body, want[0]) || strings.Contains(strings.Split(r.body, "<main")[0], want[1]) {
			t.Errorf("%s: %d, want %q and not %q", path, r.code, want[0], want[1])
		}
	}
}
