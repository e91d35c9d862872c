package doortest

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// conform runs the suite and returns what it says of each check, by scenario.
func conform(t *testing.T, w *World, program, url string, args ...string) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp(w.dir, program)
	if err != nil {
		t.Fatal(err)
	}
	p := w.Start(w.Env(), Program(t, program), append([]string{"server", "--url", url, "-o", dir}, args...)...)
	p.Stdin.Close()
	p.Wait()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the suite leaves no checks: %v", err)
	}
	stamp := regexp.MustCompile(`^server-(.*)-\d{4}-\d{2}-\d{2}T.*$`)
	got := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		decode(t, b, &checks)
		scenario := stamp.ReplaceAllString(filepath.Base(filepath.Dir(f)), "$1")
		for _, c := range checks {
			got[scenario+" "+c.ID] = strings.TrimSpace(c.Status + " " + c.ErrorMessage)
		}
	}
	return got
}

// must are the scenarios without which nothing is shown.
var must = map[string][]string{
	"conformance-0.1.16": {"server-initialize", "ping", "tools-list", "dns-rebinding-protection", "server-sse-multiple-streams"},
	"conformance": {"server-initialize", "server-session-lifecycle", "server-stateless", "ping", "tools-list", "dns-rebinding-protection",
		"caching", "http-header-validation", "input-required-result-basic-elicitation", "input-required-result-request-state",
		"input-required-result-multi-round", "input-required-result-result-type", "input-required-result-tampered-state",
		"input-required-result-unsupported-methods", "input-required-result-validate-input", "input-required-result-missing-input-response",
		"tasks-lifecycle", "tasks-capability-negotiation", "tasks-dispatch-and-envelope", "tasks-request-headers",
		"tasks-request-state-removal", "tasks-wire-fields"},
}

// suites are the programs, and what they are started with.
var suites = map[string][]string{
	"conformance-0.1.16": {"--suite", "all"},
	"conformance":        {"--suite", "all", "--timeout", "120000"},
}

// served is a hub for a suite, which asks faster than an agent may.
func served(t *testing.T) (*World, string) {
	w := New(t)
	s := interpreter(t, w.Serve("--quota", "rate=10000"))
	answerSoon(t, w)
	return w, s.URL + "/mcp"
}

// TestConformance runs both suites whole. Every check must succeed but those
// that conformance.json excuses, and those must not.
func TestConformance(t *testing.T) {
	t.Parallel()
	excused, err := Excused()
	if err != nil {
		t.Fatal(err)
	}
	w, url := served(t)
	for _, program := range slices.Sorted(maps.Keys(suites)) {
		got := conform(t, w, program, url, suites[program]...)
		good, problems := judge(got, excused[program], must[program])
		for _, p := range problems {
			t.Errorf("%s: %s", program, p)
		}
		t.Logf("%s: %d checks succeeded, %d are excused", program, good, len(excused[program]))
	}
}

// judge says what is wrong with what a suite says of each check.
func judge(got, excused map[string]string, must []string) (good int, problems []string) {
	ran := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		scenario, _, _ := strings.Cut(id, " ")
		failed := strings.HasPrefix(got[id], "FAILURE") || strings.HasPrefix(got[id], "WARNING")
		switch {
		case failed && excused[id] == "":
			problems = append(problems, id+": "+got[id])
		case !failed && excused[id] != "":
			problems = append(problems, id+" no longer fails: take it out of conformance.json")
		case strings.HasPrefix(got[id], "SUCCESS"):
			good++
			ran[scenario] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(excused)) {
		if got[id] == "" {
			problems = append(problems, id+" is excused and not checked: take it out of conformance.json")
		}
	}
	for _, scenario := range must {
		if !ran[scenario] {
			problems = append(problems, "nothing of "+scenario+" succeeded")
		}
	}
	return good, problems
}

// TestJudge: what is not expected is a problem, in both directions.
func TestJudge(t *testing.T) {
	t.Parallel()
	got := map[string]string{"a x": "SUCCESS", "a y": "FAILURE because", "b z": "WARNING careful", "c s": "SKIPPED"}
	for _, c := range []struct {
		excused  map[string]string
		must     []string
		problems string
	}{
		{map[string]string{"a y": "why", "b z": "why"}, []string{"a"}, ""},
		{map[string]string{"a y": "why"}, nil, "b z: WARNING careful"},
		{map[string]string{"b z": "why"}, nil, "a y: FAILURE because"},
		{map[string]string{"a y": "why", "b z": "why", "a x": "why"}, nil, "a x no longer fails: take it out of conformance.json"},
		{map[string]string{"a y": "why", "b z": "why", "c s": "why"}, nil, "c s no longer fails: take it out of conformance.json"},
		{map[string]string{"a y": "why", "b z": "why", "d d": "why"}, nil, "d d is excused and not checked: take it out of conformance.json"},
		{map[string]string{"a y": "why", "b z": "why"}, []string{"c"}, "nothing of c succeeded"},
	} {
		if good, problems := judge(got, c.excused, c.must); strings.Join(problems, "\n") != c.problems {
			t.Errorf("%v: %d, %q", c, good, problems)
		}
	}
}

// answerSoon has the person answer what says that it is to be answered soon.
func answerSoon(t *testing.T, w *World) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Hub().Watch(ctx, nil, func(c hub.Change) {
			if c.Ticket == nil || !c.Ticket.Open() || !strings.HasPrefix(c.Ticket.Ask.Questions[0].Text, "Answer soon") {
				return
			}
			o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: c.Ticket.Ask.Questions[0].ID, Other: "done"}}}
			_, err := w.Hub().Answer(ctx, c.Ticket, o)
			if closed := (*hub.ClosedError)(nil); err != nil && !errors.As(err, &closed) && ctx.Err() == nil { // the suite may cancel first
				t.Errorf("answering %q: %v", c.Ticket.Ask.Questions[0].Text, err)
			}
		})
	}()
	t.Cleanup(func() { stop(); <-ended })
}
