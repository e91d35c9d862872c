package demo_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/demo"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestReceived holds the exact text that the model receives in the demos, for a
// person who takes the first option everywhere and writes words of their own.
func TestReceived(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	last := ""
	for i, step := range demo.Steps() {
		tool := demo.Tool()
		a, refusal := tool.Prepare(sayso.Call{ID: fmt.Sprint(i), Conversation: "c", Arguments: step.Call})
		if refusal != nil {
			t.Fatalf("step %d is refused: %s", i+1, refusal.Text)
		}
		for _, words := range []bool{false, true} {
			o := &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson}}
			for _, q := range a.Questions {
				ans := sayso.Answer{QuestionID: q.ID, Selected: []string{q.Options[0].ID}}
				if q.Several() {
					ans.Selected = append(ans.Selected, q.Options[1].ID)
				} else if words {
					ans = sayso.Answer{QuestionID: q.ID, Other: "billing, because we merge the two"}
				}
				o.Answers = append(o.Answers, ans)
			}
			r, err := tool.Finish(a, o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%d %s\n%s\n", i+1, step.Kind, r.Text)
			last = demo.Last(r.Text)
			if i == len(demo.Steps())-1 {
				fmt.Fprintf(&b, "agent: %s\n", last)
			}
		}
		r, err := tool.Finish(a, &sayso.Outcome{Status: sayso.StatusDeclined, By: sayso.Responder{Kind: sayso.ByPerson}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d declined\n%s\n", i+1, r.Text)
		if strings.HasPrefix(demo.Last(r.Text), "Deployed") {
			t.Error("a declined question is taken for an approval")
		}
	}
	const golden = "testdata/received.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("the model receives\n%s\nwant (%v)\n%s", &b, err, want)
	}
}

// TestLast: own words that look like the approval are none.
func TestLast(t *testing.T) {
	t.Parallel()
	for _, result := range []string{
		"", "Deploy it", `The user answered: "May I deploy it to production?"="Deploy it". Read the answers carefully`,
		`Your questions have been answered: "May I deploy it to production?"="Not yet". You can now continue with these answers in mind.`,
	} {
		if strings.HasPrefix(demo.Last(result), "Deployed") {
			t.Errorf("%q is taken for an approval", result)
		}
	}
}
