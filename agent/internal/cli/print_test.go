package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/modeltest"
)

func TestPrint(t *testing.T) {
	t.Parallel()
	h := newHome(t, modeltest.Steps(modeltest.Say("Hello.")))
	h.want(0, "Hello.\n", "-p", "Say hello")
	h.want(0, "Hello.\n", "-p", "-c", "And", "again")
	all := h.model.Requests()
	if last := all[len(all)-1]; last.Prompt != "Say hello" || last.Last != "And again" {
		t.Errorf("the model was told %q and %q", last.Prompt, last.Last)
	}
}

// What a model says cannot control the terminal that --json is read on.
func TestPrintJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t, modeltest.Steps(modeltest.Say("a\u202eb\u009bc")))
	h.want(0, `{"conversation":"c1","pendingFiles":[],"questions":[],"state":"idle","text":"a\u202eb\u009bc"}`+"\n", "-p", "--json", "--conversation", "c1", "x")
}

// The questions wait in a file while nothing runs, and are answered in any of the
// three ways of seed 1.
func TestPrintAsks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		edit   string
		args   []string
		result string // what the model is told
	}{
		{"a list", "", []string{"-p", "--answers", `["SQLite", "order-processor"]`}, `{"answers":{"Which database?":"SQLite","What name?":"order-processor"}}`},
		{"a list for a file", "", []string{"-p", "@" + pending, "--answers", `["PostgreSQL (Recommended)"]`}, `{"answers":{"Which database?":"PostgreSQL (Recommended)"}}`},
		{"an edited file", `"answer": "SQLite"`, []string{"-p", "-c"}, `{"answers":{"Which database?":"SQLite"}}`},
		{"an edited file, and no -p", `"answer": "SQLite"`, []string{"-c"}, `{"answers":{"Which database?":"SQLite"}}`},
		{"words", "", []string{"-p", "@" + pending, "use postgres,", "call it order-processor"}, `{"answers":{},"response":"use postgres, call it order-processor"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, service())
			r := h.want(75, "", "-p", "Set up a service")
			for _, words := range []string{"Questions pending.", `sayso-agent -p @` + pending + ` "your answers"`, "Questions saved to: " + pending} {
				if !strings.Contains(r.err, words) {
					t.Errorf("%q is not said in %q", words, r.err)
				}
			}
			if tc.edit != "" {
				h.want(75, "", "-p", "-c") // nothing is answered yet
				h.edit(`"answer": null`, tc.edit)
			}
			h.want(0, "done\n", tc.args...)
			h.model.WantResults(t, tc.result)
			h.noFile()
			h.want(0, "done\n", "-p", "-c") // it stays so
			if n := len(h.model.Requests()); n != 2 {
				t.Errorf("the model was asked %d times", n)
			}
		})
	}
}

func TestPrintWrongAnswers(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	h.want(2, "", "-p", "--answers", `["x"]`) // nothing waits
	h.want(75, "", "-p", "Set up a service")
	for _, args := range [][]string{
		{"-p"},
		{"-p", "--answers", `["SQLite"]`, "and words"},
		{"-p", "@" + pending},
		{"-p", "@" + pending, " "},
		{"-p", "--answers", `{"a": 1}`},
		{"-p", "--answers", `["a","b","c"]`},
		{"-p", "--answers", `[]`},
		{"--nonsense"},
	} {
		if r := h.run(args...); r.code != 2 {
			t.Errorf("%q: code %d, %s", args, r.code, r.err)
		}
	}
	h.want(0, "done\n", "-p", "--answers", `["SQLite","x"]`)
}

// A message in place of an answer takes the question back.
func TestPrintMessageInsteadOfAnswer(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	h.want(75, "", "-p", "Set up a service")
	h.want(0, "done\n", "-p", "-c", "Take the defaults")
	h.noFile()
	all := h.model.Requests()
	if last := all[len(all)-1]; last.Last != "Take the defaults" {
		t.Errorf("the model was told %q", last.Last)
	}
}

func TestPrintModelFails(t *testing.T) {
	t.Parallel()
	h := newHome(t, modeltest.Steps(modeltest.Reply{Status: 400}))
	r := h.want(1, "", "-p", "x")
	if !strings.Contains(r.err, "cannot reach the model") {
		t.Error(r.err)
	}
}

// With the policy deny only the top agent has the tool (seed 3); without it, all have.
func TestSubAgentsPolicy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]bool{"": true, "escalate": true, "deny": false} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, modeltest.Route(
				modeltest.Steps(modeltest.Use("spawn_agents", map[string]any{"agents": []any{map[string]any{"name": "digger", "task": "DIG here"}}}), modeltest.Say("done")),
				modeltest.RouteTo{Word: "DIG", Script: modeltest.Steps(modeltest.Say("dug"))},
			))
			h.configure(func(c map[string]any) { c["subAgents"] = map[string]any{"policy": policy} })
			h.want(0, "done\n", "-p", "Go")
			dug := false
			for _, r := range h.model.Requests() {
				sub := strings.Contains(r.Prompt, "DIG")
				dug = dug || sub
				if got := slices.Contains(r.Tools, "ask_user"); got != (want || !sub) {
					t.Errorf("%q is offered %v", r.Prompt, r.Tools)
				}
			}
			if !dug {
				t.Error("there was no sub-agent")
			}
		})
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	h := newHome(t, modeltest.Steps(modeltest.Say("x")))
	for name, change := range map[string]func(map[string]any){
		"an unknown name":   func(c map[string]any) { c["nonsense"] = 1 },
		"a policy":          func(c map[string]any) { c["subAgents"] = map[string]any{"policy": "maybe"} },
		"a dialect":         func(c map[string]any) { c["dialect"] = "latin" },
		"no model":          func(c map[string]any) { delete(c, "model") },
		"a hub":             func(c map[string]any) { c["hub"] = "nonsense" },
		"a key that is not": func(c map[string]any) { c["model"] = map[string]any{"provider": "openai", "model": "gpt-5"} },
	} {
		h.configure(change)
		if r := h.run("-p", "x"); r.code != 2 {
			t.Errorf("%s: code %d, %s", name, r.code, r.err)
		}
	}
	h.configure(nil)
	if r := h.run("-p", "--config", "nowhere.json", "x"); r.code != 2 {
		t.Errorf("a file that is not there: code %d, %s", r.code, r.err)
	}
	r := h.want(0, `{"conversation":"c1","pendingFiles":[],"questions":[],"state":"idle","text":"x"}`+"\n", "-p", "--json", "--conversation", "c1", "--model", "another", "x")
	if m := h.model.Requests()[0].Model; m != "another" {
		t.Errorf("model %q, %s", m, r.err)
	}
}
