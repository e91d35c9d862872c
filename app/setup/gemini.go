package setup

import (
	"path/filepath"

	"github.com/saysohq/sayso/app/door/hook/gemini"
)

// What Gemini CLI waits for a hook, in milliseconds: for a person, and for the others.
const (
	geminiLong  = 24 * 60 * 60 * 1000
	geminiShort = 10 * 1000
)

func geminiAgent() *Agent {
	return &Agent{
		Name: "gemini", Title: "Gemini CLI", Commands: []string{"gemini"},
		Folders: func(e *Env) []string { return []string{geminiFolder(e)} },
		Plan:    geminiPlan,
		Bypass:  geminiBypass,
	}
}

func geminiFolder(e *Env) string { return filepath.Join(e.Folder("GEMINI_CLI_HOME", ""), ".gemini") }

func geminiSettings(e *Env) string { return filepath.Join(geminiFolder(e), "settings.json") }

// geminiPlan adds the hooks, and our MCP server as one that is trusted: its tools ask
// you, so to be asked for permission first would be to be asked twice.
func geminiPlan(e *Env) (*Plan, error) {
	server := []string{"mcpServers", "sayso"}
	file := File{
		Path: geminiSettings(e),
		Add: func(before []byte) ([]byte, error) {
			line := hookLine(e, "gemini")
			hooks := []Hook{
				{gemini.BeforeAgent, jsonHook("", "sayso", line, geminiShort)},
				{gemini.BeforeTool, jsonHook("^ask_user$", "sayso: answer in your inbox", line+hookWait(before, "gemini"), geminiLong)},
				{gemini.Notification, jsonHook("ToolPermission", "sayso", line, geminiShort)},
				{gemini.AfterTool, jsonHook("*", "sayso", line, geminiShort)},
				{gemini.SessionEnd, jsonHook("", "sayso", line, geminiShort)},
			}
			text, err := EditJSON(before, SetHooks([]string{"hooks"}, hooks, isHookOf("gemini")))
			if err != nil {
				return nil, err
			}
			return AddServer(text, e, server, Member{"trust", true})
		},
		Remove: func(now []byte) ([]byte, error) {
			text, err := EditJSON(now, SetHooks([]string{"hooks"}, nil, isHookOf("gemini")))
			if err != nil {
				return nil, err
			}
			return RemoveServer(text, server...)
		},
	}
	return &Plan{Files: []File{file}, After: "Start Gemini CLI again to use it."}, nil
}

// geminiBypass finds the mode in which Gemini CLI changes files without asking.
func geminiBypass(e *Env) (string, error) {
	text, err := readFile(geminiSettings(e))
	if err != nil {
		return "", err
	}
	mode := ""
	if _, err := GetJSON(text, &mode, "general", "defaultApprovalMode"); err != nil || mode != "auto_edit" {
		return "", err
	}
	return `general.defaultApprovalMode is "auto_edit": Gemini CLI changes files without asking`, nil
}
