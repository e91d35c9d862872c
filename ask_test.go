package sayso_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// database is the call of seed 1 (pi), normalized: a choice with a
// recommendation, and a question in words.
func database() *sayso.Ask {
	a := &sayso.Ask{Questions: []sayso.Question{
		{Text: "Which database should we use?", Header: "Database Selection", Options: []sayso.Option{
			{Label: "PostgreSQL (Recommended)", Description: "Battle-tested relational DB"},
			{Label: "SQLite", Description: "Lightweight, file-based"},
			{Label: "MongoDB", Description: "Document store"},
		}},
		{Text: "What should we name this service?", Header: "Service Setup"},
	}}
	a.Normalize()
	return a
}

// answered returns an outcome in which somebody gave these answers.
func answered(answers ...sayso.Answer) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers}
}

func TestDeriveID(t *testing.T) {
	t.Parallel()
	a := database()
	if got := a.DeriveID(); got != "" {
		t.Errorf("without a tool call the id is %q, want none", got)
	}
	a.Origin = sayso.Origin{Conversation: "c1", ToolCall: "t1"}
	// A stored ask is found again by this id: it may never change.
	const want = "ask_syukqajne5b6ly2igfcj6444ne"
	if got := a.DeriveID(); got != want {
		t.Errorf("id is %q, want %q", got, want)
	}
	again := database()
	again.Origin = sayso.Origin{Conversation: "c1", ToolCall: "t1", Agents: []string{"planner"}, Host: "h", Workspace: "w", Branch: "b"}
	again.AskedAt = time.Unix(1, 0)
	if again.DeriveID() != want {
		t.Error("the same call, made again from elsewhere, is another ask")
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	a := database()
	const want = "9b9c7927ff8ff59492cc57eee08d2c33ff130d25eb1f0e9f987d2967c47be8d3"
	if got := a.Digest(); got != want {
		t.Errorf("digest is %q, want %q", got, want)
	}
	a.Origin = sayso.Origin{Conversation: "c1", ToolCall: "t1"}
	a.Questions[0].Options[0].RawLabel = "something else"
	if a.Digest() != want {
		t.Error("the digest depends on what the person is not shown")
	}
}

// TestDigestFinal: who answers was shown that the answer is final, and nothing else
// is taken for that. The same call with another word on it is another ask, as it is
// with other questions.
func TestDigestFinal(t *testing.T) {
	t.Parallel()
	digests := map[string]string{}
	for _, kind := range []sayso.AskKind{sayso.AskQuestions, "\x01", "final"} {
		for _, final := range []bool{false, true} {
			a := database()
			a.Kind, a.Final = kind, final
			a.Origin.ToolCall = "t1"
			name := fmt.Sprintf("%q, final %t", kind, final)
			if other, seen := digests[a.Digest()]; seen {
				t.Errorf("%s and %s have the same digest", name, other)
			}
			digests[a.Digest()] = name
			if same := a.DeriveID() == (&sayso.Ask{Questions: a.Questions, Origin: a.Origin}).DeriveID(); same == final {
				t.Errorf("%s: it is the same ask as one that is not final: %t", name, same)
			}
		}
	}
}

// TestIdentityTellsApart changes one thing at a time. Every variant must have an
// id and a digest of its own; moving bytes from one field to the next must not
// go unseen either.
func TestIdentityTellsApart(t *testing.T) {
	t.Parallel()
	variants := map[string]func(a *sayso.Ask){
		"as it is":             func(*sayso.Ask) {},
		"question id":          func(a *sayso.Ask) { a.Questions[0].ID = "db" },
		"header":               func(a *sayso.Ask) { a.Questions[0].Header = "DB" },
		"text":                 func(a *sayso.Ask) { a.Questions[0].Text += " " },
		"body":                 func(a *sayso.Ask) { a.Questions[0].Body = "b" },
		"multi":                func(a *sayso.Ask) { a.Questions[0].Multi = true },
		"secret":               func(a *sayso.Ask) { a.Questions[0].Secret = true },
		"option id":            func(a *sayso.Ask) { a.Questions[0].Options[0].ID = "pg" },
		"label":                func(a *sayso.Ask) { a.Questions[0].Options[0].Label = "PG" },
		"description":          func(a *sayso.Ask) { a.Questions[0].Options[0].Description = "" },
		"preview":              func(a *sayso.Ask) { a.Questions[0].Options[0].Preview = "p" },
		"recommended":          func(a *sayso.Ask) { a.Questions[0].Options[0].Recommended = false },
		"danger":               func(a *sayso.Ask) { a.Questions[0].Options[0].Danger = true },
		"order of options":     func(a *sayso.Ask) { o := a.Questions[0].Options; o[0], o[1] = o[1], o[0] },
		"order of questions":   func(a *sayso.Ask) { q := a.Questions; q[0], q[1] = q[1], q[0] },
		"one question less":    func(a *sayso.Ask) { a.Questions = a.Questions[:1] },
		"one option less":      func(a *sayso.Ask) { a.Questions[0].Options = a.Questions[0].Options[:2] },
		"header moved to text": func(a *sayso.Ask) { q := &a.Questions[0]; q.Text, q.Header = q.Header+q.Text, "" },
		"text moved to body":   func(a *sayso.Ask) { q := &a.Questions[0]; q.Body, q.Text = q.Text, "" },
		"label, description": func(a *sayso.Ask) {
			o := &a.Questions[0].Options[1]
			o.Label, o.Description = o.Label+o.Description, ""
		},
		"description, preview":  func(a *sayso.Ask) { o := &a.Questions[0].Options[1]; o.Description, o.Preview = "", o.Description },
		"label to the next one": func(a *sayso.Ask) { o := a.Questions[0].Options; o[1].Label, o[2].Label = "", o[1].Label+o[2].Label },
	}
	ids, digests := map[string]string{}, map[string]string{}
	for name, change := range variants {
		a := database()
		a.Origin = sayso.Origin{Conversation: "c", ToolCall: "t"}
		change(a)
		if other, seen := ids[a.DeriveID()]; seen {
			t.Errorf("%q and %q have the same id", name, other)
		}
		if other, seen := digests[a.Digest()]; seen {
			t.Errorf("%q and %q have the same digest", name, other)
		}
		ids[a.DeriveID()], digests[a.Digest()] = name, name
	}
	origins := map[string]bool{}
	for _, o := range []sayso.Origin{
		{Conversation: "ab", ToolCall: "c"}, {Conversation: "a", ToolCall: "bc"}, {ToolCall: "abc"},
	} {
		a := database()
		a.Origin = o
		origins[a.DeriveID()] = true
	}
	if len(origins) != 3 {
		t.Error("origins with the same concatenation have the same id")
	}
}

func TestAskJSON(t *testing.T) {
	t.Parallel()
	a := database()
	a.ID, a.Dialect, a.To = "ask_1", "claude", []string{"ann"}
	a.Questions[0].Multi, a.Questions[1].Secret, a.Questions[0].Body = true, true, "# why"
	a.Questions[0].Options[2].Danger, a.Questions[0].Options[2].Preview = true, "db.find()"
	a.Origin = sayso.Origin{Conversation: "c", ToolCall: "t", Agents: []string{"a", "b"}, Host: "h", Workspace: "w", Branch: "main"}
	a.Metadata = map[string]any{"source": "project-setup"}
	a.AskedAt, a.Deadline = time.Unix(100, 0).UTC(), time.Unix(200, 5).UTC()
	a.OnExpiry.Default = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}
	a.MinAssurance = sayso.AssurancePasskey
	roundTrip(t, a)

	small := &sayso.Ask{ID: "ask_2", Questions: []sayso.Question{{ID: "q1", Text: "Why?"}}}
	if got, want := roundTrip(t, small), `{"id":"ask_2","questions":[{"id":"q1","text":"Why?"}]}`; got != want {
		t.Errorf("a small ask is\n%s, want\n%s", got, want)
	}
}

func TestOutcomeJSON(t *testing.T) {
	t.Parallel()
	roundTrip(t, &sayso.Outcome{
		Status: sayso.StatusAnswered,
		Answers: []sayso.Answer{
			{QuestionID: "q1", Selected: []string{"o1", "o2"}, Other: "öl\x00", Note: "n"},
			{QuestionID: "q2", Unanswered: sayso.ReasonSkipped},
		},
		Reply: "r", Reason: "because", At: time.Unix(7, 0).UTC(),
		By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web", Assurance: sayso.AssuranceLogin},
	})
	if got, want := roundTrip(t, &sayso.Outcome{Status: sayso.StatusDeclined}), `{"status":"declined"}`; got != want {
		t.Errorf("a small outcome is %s, want %s", got, want)
	}
}

// roundTrip writes v, reads it back, and fails where something was lost.
func roundTrip[T any](t *testing.T, v *T) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	back := new(T)
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(v, back) {
		t.Errorf("came back as\n%+v, want\n%+v", back, v)
	}
	return string(text)
}

func TestClone(t *testing.T) {
	t.Parallel()
	fresh := func() *sayso.Ask {
		a := database()
		a.Origin.Agents, a.To = []string{"planner"}, []string{"ann"}
		a.OnExpiry.Default = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}
		return a
	}
	a := fresh()
	c := a.Clone()
	if !reflect.DeepEqual(a, c) {
		t.Fatalf("clone is\n%+v, want\n%+v", c, a)
	}
	c.Questions[0].Text, c.Questions[0].Options[0].Label = "x", "x"
	c.Origin.Agents[0], c.To[0] = "x", "x"
	c.OnExpiry.Default[0].QuestionID, c.OnExpiry.Default[0].Selected[0] = "x", "x"
	if !reflect.DeepEqual(a, fresh()) {
		t.Errorf("a change to the clone reached the original: %+v", a)
	}
}

func TestLookUp(t *testing.T) {
	t.Parallel()
	a := database()
	if q := a.Question("q2"); q != &a.Questions[1] {
		t.Errorf("question q2 is %v", q)
	}
	if o := a.Questions[0].Option("o3"); o != &a.Questions[0].Options[2] {
		t.Errorf("option o3 is %v", o)
	}
	if a.Question("q9") != nil || a.Questions[0].Option("o9") != nil {
		t.Error("found what is not there")
	}
	if !(sayso.Origin{}).IsZero() || (sayso.Origin{Branch: "main"}).IsZero() {
		t.Error("an origin is zero when nothing is known, and only then")
	}
	if long := strings.Repeat("é", 61); sayso.Meta(&sayso.Ask{Questions: []sayso.Question{{Text: long}}}) != long[:120] {
		t.Error("Meta does not count runes")
	}
}
