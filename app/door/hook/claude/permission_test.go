package claude_test

import (
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
)

const (
	shell       = `{"command":"touch hello && echo done > out.txt","description":"Create hello"}`
	shellRules  = `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch hello *"},{"toolName":"Bash","ruleContent":"echo done *"}],"behavior":"allow","destination":"localSettings"}`
	acceptEdits = `{"type":"setMode","mode":"acceptEdits","destination":"session"}`
	fetchRule   = `{"type":"addRules","destination":"localSettings","rules":[{"toolName":"WebFetch","ruleContent":"domain:127.0.0.1"}],"behavior":"allow"}`
	mcpRule     = `{"type":"addRules","rules":[{"toolName":"mcp__db__drop_table"}],"behavior":"allow","destination":"localSettings"}`
	directories = `{"type":"addDirectories","directories":["/home/ann/shop"],"destination":"session"}`
	thePlan     = `{"plan":"# first plan\n1. touch a\n","planFilePath":"/home/ann/shop/plans/go.md"}`
	change      = `{"file_path":"/home/ann/shop/a.txt","old_string":"two","new_string":"TWO","replace_all":false}`
)

// disk is what the files of the agent's machine hold.
type disk map[string]string

func (d disk) read(path string) (*string, error) {
	if s, ok := d[path]; ok {
		return &s, nil
	}
	return nil, nil
}

// decides plays one request for permission that a person decides in the inbox.
func decides(request map[string]any, o *sayso.Outcome) func(*world) {
	return func(w *world) {
		c := w.send(request)
		w.person(o)
		c.end()
	}
}

func inputOf(text string) *sayso.Outcome {
	return answered(sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{"allow"}, Input: text})
}

func withWords(offer, words string) *sayso.Outcome {
	return answered(sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}, Other: words})
}

// of returns the event of a sub-agent.
func of(agent string, e map[string]any) map[string]any {
	e["agent_id"], e["agent_type"] = "a1be1000280a1f441", agent
	return e
}

var (
	local       = disk{"/home/ann/shop/a.txt": "one\ntwo\nthree\n"}
	readsDisk   = hook.Options{Read: local.read}
	permissions = map[string]transcript{
		"permit-once":           {hook.Options{}, decides(wants("Bash", shell, shellRules), chooses("allow"))},
		"permit-changed-input":  {hook.Options{}, decides(wants("Bash", shell, shellRules), inputOf(`{"command":"touch bye"}`))},
		"permit-session":        {hook.Options{}, decides(wants("Bash", shell, shellRules), chooses("rule1_session"))},
		"permit-local":          {hook.Options{}, decides(wants("Bash", shell, shellRules), chooses("rule1_local"))},
		"permit-project":        {hook.Options{}, decides(wants("Bash", shell, shellRules), chooses("rule1_project"))},
		"permit-user":           {hook.Options{}, decides(wants("WebFetch", `{"url":"http://127.0.0.1/x","prompt":"summarise"}`, fetchRule), chooses("rule1_user"))},
		"permit-deny":           {hook.Options{}, decides(wants("Bash", shell, shellRules), chooses("deny"))},
		"permit-deny-words":     {hook.Options{}, decides(wants("Bash", shell, shellRules), withWords("deny", "use mkdir instead"))},
		"permit-stop":           {hook.Options{}, decides(wants("Bash", shell, shellRules), withWords("stop", "not today"))},
		"permit-words-alone":    {hook.Options{}, decides(wants("Bash", shell, shellRules), &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "why?"})},
		"permit-declined":       {hook.Options{}, decides(wants("Bash", shell), &sayso.Outcome{Status: sayso.StatusDeclined})},
		"permit-edit":           {readsDisk, decides(wants("Edit", change, acceptEdits), chooses("allow"))},
		"permit-edit-mode":      {readsDisk, decides(wants("Edit", change, acceptEdits), chooses("mode1"))},
		"permit-edit-unread":    {hook.Options{}, decides(wants("Edit", change, acceptEdits), chooses("allow"))},
		"permit-write":          {readsDisk, decides(wants("Write", `{"file_path":"/home/ann/shop/new.txt","content":"alpha\nbeta\n"}`, acceptEdits), chooses("allow"))},
		"permit-notebook":       {readsDisk, decides(wants("NotebookEdit", `{"notebook_path":"/home/ann/shop/n.ipynb","cell_id":"c1","new_source":"print(1)"}`), chooses("allow"))},
		"permit-mcp":            {hook.Options{}, decides(wants("mcp__db__drop_table", `{"table":"users"}`, mcpRule), chooses("rule1_local"))},
		"permit-plan":           {hook.Options{}, decides(wants("ExitPlanMode", thePlan), chooses("mode_acceptEdits"))},
		"permit-plan-revise":    {hook.Options{}, decides(wants("ExitPlanMode", thePlan), withWords("deny", "test first"))},
		"permit-plan-missing":   {hook.Options{}, decides(wants("ExitPlanMode", `{}`), chooses("stop"))},
		"permit-no-input":       {hook.Options{}, decides(wants("EnterWorktree", `{}`), chooses("allow"))},
		"permit-sub-agent":      {hook.Options{}, decides(of("general-purpose", wants("Bash", `{"command":"touch fromsub"}`, directories, acceptEdits)), chooses("dirs1"))},
		"permit-p":              {unattended, decides(wants("Bash", shell), chooses("allow"))},
		"permit-dismissed":      {hook.Options{}, func(w *world) { w.send(wants("Bash", shell)).drop() }},
		"permit-hub-away":       {hook.Options{}, func(w *world) { w.away = true; w.send(wants("Bash", shell)).end() }},
		"permit-p-hub-away":     {unattended, func(w *world) { w.away = true; w.send(wants("Bash", shell)).end() }},
		"permit-p-waits-minute": {hook.Options{Unattended: true, Wait: time.Minute}, func(w *world) { w.send(wants("Bash", shell)).end() }},
		"permit-file-changed": {hook.Options{}, func(w *world) {
			files := disk{"/home/ann/shop/a.txt": "one\ntwo\nthree\n"}
			w.opts.Read = files.read
			c := w.send(wants("Edit", change, acceptEdits))
			files["/home/ann/shop/a.txt"] = "one\ntwo\nfour\n"
			w.person(chooses("allow"))
			c.end()
		}},
	}
)
