package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/saysohq/sayso/app/door/hook/qwen"
)

// What Qwen Code waits for a hook, in seconds: for a person, and for the others. It
// waits no more than a minute, whatever is written here.
const (
	qwenLong  = 60
	qwenShort = 10
)

func qwenAgent() *Agent {
	return &Agent{
		Name: "qwen", Title: "Qwen Code", Commands: []string{"qwen"},
		Folders: func(e *Env) []string { return []string{qwenFolder(e)} },
		Plan:    qwenPlan,
		Bypass:  qwenBypass,
	}
}

func qwenFolder(e *Env) string { return e.Folder("QWEN_HOME", ".qwen") }

func qwenSettings(e *Env) string { return filepath.Join(qwenFolder(e), "settings.json") }

// qwenPlan adds the hooks, and our MCP server as one that is trusted: its tools ask
// you, so to be asked for permission first would be to be asked twice.
func qwenPlan(e *Env) (*Plan, error) {
	server := []string{"mcpServers", "sayso"}
	file := File{
		Path: qwenSettings(e),
		Add: func(before []byte) ([]byte, error) {
			line := hookLine(e, "qwen")
			hooks := []Hook{
				{qwen.UserPromptSubmit, jsonHook("", "sayso", line, qwenShort)},
				{qwen.PermissionRequest, jsonHook("*", "sayso", line+hookWait(before, "qwen"), qwenLong)},
				{qwen.Notification, jsonHook("*", "sayso", line, qwenShort)},
				{qwen.PostToolUse, jsonHook("*", "sayso", line, qwenShort)},
				{qwen.PostToolUseFailure, jsonHook("*", "sayso", line, qwenShort)},
			}
			text, err := EditJSON(before, SetHooks([]string{"hooks"}, hooks, isHookOf("qwen")))
			if err != nil {
				return nil, err
			}
			return AddServer(text, e, server, Member{"trust", true})
		},
		Remove: func(now []byte) ([]byte, error) {
			text, err := EditJSON(now, SetHooks([]string{"hooks"}, nil, isHookOf("qwen")))
			if err != nil {
				return nil, err
			}
			return RemoveServer(text, server...)
		},
	}
	return &Plan{Files: []File{file}, After: "Start Qwen Code again to use it."}, nil
}

// qwenBypass finds the mode in which Qwen Code does not ask. It starts in auto mode if
// no other is set.
func qwenBypass(e *Env) (string, error) {
	text, err := readFile(qwenSettings(e))
	if err != nil {
		return "", err
	}
	mode := ""
	if _, err := GetJSON(text, &mode, "tools", "approvalMode"); err != nil {
		return "", err
	}
	switch mode {
	case "":
		return `tools.approvalMode is not set: Qwen Code starts in auto mode, where a model decides about most tools; "default" asks you`, nil
	case "auto", "auto-edit", "yolo":
		return `tools.approvalMode is "` + mode + `": Qwen Code decides about tools by itself; "default" asks you`, nil
	}
	return "", nil
}

// readFile returns the content of a file, nil if there is none.
func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
