// Package dialect has every agent's format of the ask_user tool: its name, its
// schema, how it is called, and what its model reads back.
//
// Most hosts use one of the variables, such as [Claude] or [Codex]; programs that
// take a dialect by name use [ByName], and those that meet a raw call of unknown
// origin use [Detect].
//
// Every dialect reads liberally: options may be strings or objects, lists may
// arrive as JSON inside a string, and the usual other names of a field are
// understood ("choices" for "options", "multi_select" for "multiSelect"). Every
// dialect writes canonically: the same ask and outcome give the same bytes, and
// nothing that is not an answer is worded as one. Where a dialect's fixed wording
// could be read in two ways, Result.Structured is the authority and the dialect's
// doc says so.
//
// # Adding a dialect
//
// A dialect of your own is one type with three methods; see [sayso.Dialect] and
// the example. Package schema, below this one, builds its JSON Schema. To add one
// to this package, write one file with the type, list it in [All], add its calls
// to the vectors test, and run go test -update.
package dialect

import "github.com/saysohq/sayso"

// All returns every dialect of this package, in the order of their names.
func All() []sayso.Dialect {
	return []sayso.Dialect{
		ACP,
		Claude,
		ClaudeOlder,
		Cline,
		Codex,
		CodexAsync,
		Copilot,
		CopilotForm,
		Crush,
		Cursor,
		Gemini,
		JSON,
		Kimi,
		Opal,
		OpenCode,
		Pi,
		Qwen,
		Roo,
		Text,
		VSCode,
	}
}

// Names returns the names of all dialects, as [ByName] takes them.
func Names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, d.Spec().Dialect)
	}
	return names
}

// ByName returns the dialect with the given name, such as "claude".
func ByName(name string) (sayso.Dialect, bool) {
	for _, d := range All() {
		if d.Spec().Dialect == name {
			return d, true
		}
	}
	return nil, false
}
