package dialect_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/saysohq/sayso/dialect"
)

// twins are the dialects whose calls are taken for another one's, by the name of
// the tool and by the shape alone.
var twins = map[string]struct{ named, unnamed []string }{
	"acp":          {[]string{"claude"}, []string{"claude"}},
	"claude-older": {[]string{"claude"}, []string{"claude"}},
	"json":         {[]string{"qwen"}, []string{"claude", "pi"}},
	"kimi":         {[]string{"kimi", "claude"}, []string{"kimi", "claude"}}, // with headers and without multi_select
	"opal":         {[]string{"copilot"}, []string{"copilot"}},
	"opencode":     {[]string{"opencode"}, []string{"opencode", "claude"}}, // without multiple
	"pi":           {[]string{"pi"}, []string{"pi", "claude"}},             // with headers and options
	"qwen":         {[]string{"qwen"}, []string{"claude"}},
	"text":         {[]string{"qwen"}, []string{"claude"}},
	"vscode":       {[]string{"vscode"}, []string{"vscode", "claude"}}, // without its own members
}

// TestDetectVectors detects the calls of every dialect: as itself, or as its twin.
func TestDetectVectors(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		spec := d.Spec()
		want, ok := twins[spec.Dialect]
		if !ok {
			want.named, want.unnamed = []string{spec.Dialect}, []string{spec.Dialect}
		}
		for _, call := range validCalls(d) {
			for _, c := range []struct {
				name string
				want []string
			}{{spec.Name, want.named}, {"", want.unnamed}} {
				got, ok := dialect.Detect(c.name, json.RawMessage(call))
				if !ok || !slices.Contains(c.want, got.Spec().Dialect) {
					t.Errorf("%s: by the name %q it is %v, want one of %v\n%s", spec.Dialect, c.name, got, c.want, call)
				}
			}
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	const claude = `{"questions":[{"question":"Q?","header":"H","multiSelect":false,"options":[{"label":"a"},{"label":"b"}]}]}`
	tests := []struct{ name, arguments, want string }{
		// the name decides
		{"AskUserQuestion", claude, "claude"},
		{"ask_user_question", claude, "qwen"},
		{"ask_user", claude, "pi"},
		{"question", claude, "opencode"},
		{"vscode_askQuestions", claude, "vscode"},
		{"request_user_input", claude, "codex"},
		{"request_user_input", "not JSON", "codex"},
		{"cursor/ask_question", `null`, "cursor"},
		// the name is shared and the shape decides
		{"AskUserQuestion", `{"questions":[{"question":"Q?","options":["a","b"]}]}`, "kimi"},
		{"AskUserQuestion", `{"questions":[{"question":"Q?","header":"H","multi_select":true,"options":["a","b"]}]}`, "kimi"},
		{"AskUserQuestion", `{}`, "claude"},
		{"ask_user", `{"question":"Q?"}`, "copilot"},
		{"ask_user", `{"question":"Q?","suggestions":["a"]}`, "pi"},
		{"ask_user", `{"questions":[{"question":"Q?","type":"yesno"}]}`, "gemini"},
		{"ask_user", `{"message":"Q?","requestedSchema":{}}`, "copilot-form"},
		{"question", `{"questions":[{"question":"Q?","type":"free_text","description":""}]}`, "crush"},
		{"question", `{"questions":[{"question":"Q?"}],"confirm_title":"Go?"}`, "crush"},
		// no name: the shape alone
		{"", claude, "claude"},
		{"", `{"questions":[{"question":"Q?","message":"why"}]}`, "vscode"},
		{"", `{"questions":[{"title":"Q?"}]}`, "codex-async"},
		{"", `{"questions":["Q?"]}`, "pi"},
		{"", `{"question":"Q?","options":["a","b"]}`, "cline"},
		{"", `"{\"question\":\"Q?\",\"follow_up\":\"[]\"}"`, "roo"},
		{"", `{"questions":"[{\"question\":\"Q?\",\"id\":\"q\"}]"}`, "codex"},
		// neither
		{"bash", `{"command":"ls"}`, ""},
		{"create_poll", `{"question":"Q?","options":["a","b"]}`, ""},
		{"askuserquestion", claude, ""},
		{"", `{"command":"ls"}`, ""},
		{"", `{"questions":[]}`, ""},
		{"", `{"questions":3}`, ""},
		{"", `{"options":["a","b"]}`, ""},
		{"", `{"question":null}`, ""},
		{"", `[]`, ""}, {"", `"x"`, ""}, {"", `null`, ""}, {"", `{`, ""}, {"", ``, ""}, {"", "\xff", ""},
	}
	for _, tt := range tests {
		got := ""
		if d, ok := dialect.Detect(tt.name, json.RawMessage(tt.arguments)); ok {
			got = d.Spec().Dialect
		}
		if got != tt.want {
			t.Errorf("%q %s is %q, want %q", tt.name, tt.arguments, got, tt.want)
		}
	}
}

// TestDetectKnowsEveryName holds that no tool name of a dialect is left out.
func TestDetectKnowsEveryName(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		if _, ok := dialect.Detect(d.Spec().Name, nil); !ok {
			t.Errorf("%s: the name %q is not detected", d.Spec().Dialect, d.Spec().Name)
		}
	}
}
