package setup

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed embed/copilot.mjs
var copilotExtension string

func copilotAgent() *Agent {
	return &Agent{
		Name: "copilot", Title: "Copilot CLI", Commands: []string{"copilot"},
		Folders: func(e *Env) []string { return []string{copilotFolder(e)} },
		Plan:    copilotPlan,
		Bypass:  copilotBypass,
	}
}

func copilotFolder(e *Env) string { return e.Folder("COPILOT_HOME", ".copilot") }

// copilotFlag turns extensions on, which are experimental; nothing else that is.
const copilotFlag = "EXTENSIONS"

func isCopilotFlag(raw json.RawMessage) bool { return string(raw) == `"`+copilotFlag+`"` }

// copilotPlan adds the MCP server, whose tools Copilot allows because they only read,
// and the extension.
func copilotPlan(e *Env) (*Plan, error) {
	in := func(names ...string) string { return filepath.Join(append([]string{copilotFolder(e)}, names...)...) }
	return &Plan{
		Files: []File{
			{
				Path: in("mcp-config.json"),
				Add: func(before []byte) ([]byte, error) {
					// A call may wait for a day: sayso itself returns earlier, with a handle.
					return AddServer(before, e, []string{"mcpServers", "sayso"},
						Member{"type", "local"}, Member{"tools", []string{"*"}}, Member{"timeout", 86400000})
				},
				Remove: func(now []byte) ([]byte, error) { return RemoveServer(now, "mcpServers", "sayso") },
			},
			{
				Path:   in("settings.json"),
				Add:    addCopilotFlag,
				Remove: func(now []byte) ([]byte, error) { return removeCopilotFlag(now, in("extensions")) },
			},
			OwnFile(in("extensions", "sayso", "extension.mjs"), pluginText(e, "copilot", copilotExtension)),
		},
		After: `Restart Copilot. In each repository it asks once whether the extension may handle permission requests: choose "Yes, and always allow".`,
	}, nil
}

func addCopilotFlag(before []byte) ([]byte, error) {
	var all bool
	if _, err := GetJSON(before, &all, "experimental"); err == nil && all {
		return before, nil // extensions are among the experiments
	}
	return EditJSON(before, AppendJSON([]string{"feature_flags", "enabled"}, copilotFlag))
}

// removeCopilotFlag leaves extensions turned on if there are others.
func removeCopilotFlag(now []byte, folder string) ([]byte, error) {
	others, err := os.ReadDir(folder)
	if err == nil && slices.ContainsFunc(others, func(f os.DirEntry) bool { return f.IsDir() && f.Name() != "sayso" }) {
		return now, nil
	}
	return EditJSON(now, RemoveJSONItems(0, []string{"feature_flags", "enabled"}, isCopilotFlag))
}

// copilotBypass finds the mode in which Copilot asks nobody, or a model.
func copilotBypass(e *Env) (string, error) {
	switch v := strings.ToLower(strings.TrimSpace(e.Getenv("COPILOT_ALLOW_ALL"))); v {
	case "true", "1", "yes", "on", "y":
		return "COPILOT_ALLOW_ALL=" + v + ": Copilot allows everything by itself", nil
	}
	path := filepath.Join(copilotFolder(e), "settings.json")
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	var mode string
	if _, err := GetJSON(text, &mode, "defaultPermissionMode"); err != nil {
		return "", err
	}
	switch mode {
	case "allow-all":
		return fmt.Sprintf(`%s has "defaultPermissionMode": "allow-all": Copilot allows everything by itself`, path), nil
	case "assisted":
		return fmt.Sprintf(`%s has "defaultPermissionMode": "assisted": a model allows what it judges safe, and you are asked about the rest`, path), nil
	}
	return "", nil
}
