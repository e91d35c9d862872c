package hook_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/hook/" + file, Old: old, New: new}}}
}

// mutants are the rules for agents whose dialog opens after the hook, each broken.
var mutants = []mutanttest.Mutant{
	mutant("Qwen Code is told that a denial allows", "TestBlocking/qwen:_denied_with_words", `"behavior":"allow"`, "qwen/permission.go",
		"\tcase v.Offer != nil && v.Offer.ID == offerAllow && v.Input == \"\":\n", "\tcase v.Offer != nil && (MUTANT || v.Offer.ID == offerAllow) && v.Input == \"\":\n"),
	mutant("a changed input is dropped", "TestBlocking/qwen:_allowed_with_a_changed_input", `{"behavior":"allow"}`, "qwen/permission.go",
		"\t\treturn &claudecall.Decision{Behavior: \"allow\", Input: json.RawMessage(v.Input)}\n", "\t\tif MUTANT {\n\t\t\treturn &claudecall.Decision{Behavior: \"allow\"}\n\t\t}\n\t\treturn &claudecall.Decision{Behavior: \"allow\", Input: json.RawMessage(v.Input)}\n"),
	mutant("a plan is asked for that cannot be allowed", "TestBlocking/qwen:_a_plan_is_for_the_terminal", `the hub has`, "qwen/event.go",
		"e.Name == PermissionRequest && terminalOnly[e.Tool]", "!MUTANT && e.Name == PermissionRequest && terminalOnly[e.Tool]"),
	mutant("a tool result withdraws questions", "TestBlocking/qwen:_tool_results_withdraw_nothing,_prompts_do", `\d`, "late.go",
		"!d.opts.Unattended && !about.Continues {", "!d.opts.Unattended && (MUTANT || !about.Continues) {"),
	mutant("a prompt withdraws what a person asked again", "TestAskedAgain", `was cancelled`, "late.go",
		"if t.Open() && t.Again == nil &&", "if t.Open() && (MUTANT || t.Again == nil) &&"),
	mutant("a withdrawn question is told as an answer", "TestWithdrawn", `told`, "blocks.go",
		"\tcase s == sayso.StatusAnswered, s == sayso.StatusUnanswered, decided(has.Outcome):\n", "\tcase MUTANT, s == sayso.StatusAnswered, s == sayso.StatusUnanswered, decided(has.Outcome):\n"),
	mutant("another tool ends a notice", "TestBlocking/gemini:_a_dialog_for_permission$", `the hub has`, "notice.go",
		"if about.Tool != \"\" && len(one.tools) > 0 &&", "if !MUTANT && about.Tool != \"\" && len(one.tools) > 0 &&"),
	mutant("a notice stays when the session ends", "TestBlocking/gemini:_a_dialog_for_permission,_left", `the hub has`, "notice.go",
		"\treturn d.unnotice(ctx, about)\n}\n\n// noted", "\tif MUTANT {\n\t\treturn nil\n\t}\n\treturn d.unnotice(ctx, about)\n}\n\n// noted"),
	mutant("a notice is a question of the session", "TestNoticeIsNoQuestion", `2 asks are noted`, "sessions.go",
		"if a.Dialect == NoticeDialect {", "if a.Dialect == NoticeDialect && !MUTANT {"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
