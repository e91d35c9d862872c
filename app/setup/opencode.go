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

//go:embed embed/opencode.js
var opencodePlugin string

func opencodeAgent() *Agent {
	return &Agent{
		Name: "opencode", Title: "opencode", Commands: []string{"opencode"},
		Folders: func(e *Env) []string { return []string{opencodeFolder(e)} },
		Plan:    opencodePlan,
		Bypass:  opencodeBypass,
	}
}

func opencodeFolder(e *Env) string {
	if e.Getenv("XDG_CONFIG_HOME") != "" {
		return filepath.Join(e.Folder("XDG_CONFIG_HOME", ""), "opencode")
	}
	return filepath.Join(e.Home, ".config", "opencode")
}

// opencodeSettings is the file that counts: opencode reads all of them, and the last one
// wins.
func opencodeSettings(e *Env) string {
	for _, name := range []string{"opencode.jsonc", "opencode.json", "config.json"} {
		path := filepath.Join(opencodeFolder(e), name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join(opencodeFolder(e), "opencode.json")
}

// opencodePlan adds the MCP server, the plugin, and the permission for our own tools
// where permissions are configured. Who is asked about other tools is not changed.
func opencodePlan(e *Env) (*Plan, error) {
	return &Plan{
		Files: []File{
			{Path: opencodeSettings(e), Add: func(before []byte) ([]byte, error) { return addOpencode(before, e) }, Remove: removeOpencode},
			OwnFile(filepath.Join(opencodeFolder(e), "plugins", "sayso.js"), pluginText(e, "opencode", opencodePlugin)),
		},
		After: "Restart opencode to use it.",
	}, nil
}

// opencodeTools is the pattern of our tools in opencode's permissions.
const opencodeTools = "sayso_*"

func addOpencode(before []byte, e *Env) ([]byte, error) {
	var edits []JSONEdit
	if len(strings.TrimSpace(string(before))) == 0 {
		edits = append(edits, SetJSON("https://opencode.ai/config.json", "$schema")) // opencode would add it
	}
	var have struct{ URL string }
	if _, err := GetJSON(before, &have, "mcp", "sayso"); err != nil {
		return nil, err
	}
	if have.URL == "" { // a server somewhere else stays
		// A call may wait for a day: sayso itself returns earlier, with a handle.
		edits = append(edits, SetJSON(Ordered{
			{"type", "local"}, {"command", e.Words("mcp")}, {"enabled", true}, {"timeout", 86400000},
		}, "mcp", "sayso"))
	}
	var permission json.RawMessage
	there, err := GetJSON(before, &permission, "permission")
	if err != nil {
		return nil, err
	}
	var all string
	var rules map[string]json.RawMessage
	switch {
	case !there:
	case json.Unmarshal(permission, &all) == nil:
		edits = append(edits, SetJSON(Ordered{{"*", all}, {opencodeTools, "allow"}}, "permission"))
	case json.Unmarshal(permission, &rules) == nil && rules[opencodeTools] == nil:
		edits = append(edits, SetJSON("allow", "permission", opencodeTools)) // the last rule that matches counts
	}
	return EditJSON(before, edits...)
}

func removeOpencode(now []byte) ([]byte, error) {
	var edits []JSONEdit
	var server struct{ Command []string }
	if _, err := GetJSON(now, &server, "mcp", "sayso"); err != nil {
		return nil, err
	}
	if slices.Contains(server.Command, "mcp") {
		edits = append(edits, RemoveJSON(0, "mcp", "sayso"))
	}
	var rules map[string]json.RawMessage
	if _, err := GetJSON(now, &rules, "permission"); err == nil && string(rules[opencodeTools]) == `"allow"` {
		edits = append(edits, RemoveJSON(0, "permission", opencodeTools))
	}
	return EditJSON(now, edits...)
}

// opencodeBypass: opencode asks nobody unless its permissions say so.
func opencodeBypass(e *Env) (string, error) {
	path := opencodeSettings(e)
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	var permission json.RawMessage
	if _, err := GetJSON(text, &permission, "permission"); err != nil {
		return "", err
	}
	if asks(permission) {
		return "", nil
	}
	return fmt.Sprintf(`%s has no "permission" that says "ask": opencode allows every tool by itself`, path), nil
}

// asks reports whether a value has the text "ask" somewhere.
func asks(raw json.RawMessage) bool {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s == "ask"
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return false
	}
	for _, v := range o {
		if asks(v) {
			return true
		}
	}
	return false
}
