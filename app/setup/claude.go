package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/saysohq/sayso/app/door/hook/claude"
)

// ClaudeOptions are what "sayso setup claude" can be told. They are remembered, so
// that other runs of setup keep them.
type ClaudeOptions struct {
	File          string        `json:"file,omitempty"` // the settings; default: those of the user
	URL           string        `json:"url,omitempty"`  // of a hub: hooks over HTTP in place of the command
	Wait          time.Duration `json:"wait,omitempty"`
	Defer         bool          `json:"defer,omitempty"`
	NoPermissions bool          `json:"noPermissions,omitempty"`
}

func claudeAgent() *Agent { return Claude(nil) }

// Claude is Claude Code with options. Nil: those of the last time, or the defaults.
func Claude(o *ClaudeOptions) *Agent {
	a := &Agent{
		Name: "claude", Title: "Claude Code", Commands: []string{"claude"},
		Folders: func(e *Env) []string { return []string{claudeFolder(e)} },
		Bypass:  claudeBypass,
		options: o,
	}
	if o != nil && o.File != "" {
		a.record = "claude-" + sum([]byte(o.File))[:12]
	}
	a.Plan = func(e *Env) (*Plan, error) {
		with := o
		if with == nil {
			with = &ClaudeOptions{}
			if err := saved(e, a, with); err != nil {
				return nil, err
			}
		}
		return claudePlan(e, with)
	}
	return a
}

func claudeFolder(e *Env) string { return e.Folder("CLAUDE_CONFIG_DIR", ".claude") }

func claudePlan(e *Env, o *ClaudeOptions) (*Plan, error) {
	s := &claude.Setup{Command: e.Command, URL: o.URL, Wait: o.Wait, Defer: o.Defer, NoPermissions: o.NoPermissions}
	all, err := s.Hooks()
	if err != nil {
		return nil, err
	}
	var hooks []Hook
	for _, h := range all {
		hooks = append(hooks, Hook{h.Event, h.Entry})
	}
	settings := File{Path: o.File, Remove: func(now []byte) ([]byte, error) {
		return EditJSON(now, SetHooks([]string{"hooks"}, nil, claude.Ours), RemoveJSONItems(0, []string{"permissions", "allow"}, isClaudeTool))
	}}
	edits := []JSONEdit{SetHooks([]string{"hooks"}, hooks, claude.Ours)}
	plan := &Plan{After: "Start a new Claude Code session to use it."}
	if o.File == "" {
		settings.Path = filepath.Join(claudeFolder(e), "settings.json")
	}
	if o.File == "" && o.URL == "" {
		edits = append(edits, AppendJSON([]string{"permissions", "allow"}, anys(claude.Tools())...))
		plan.Files = append(plan.Files, claudeServer(e))
	}
	settings.Add = func(before []byte) ([]byte, error) { return EditJSON(before, edits...) }
	plan.Files = slices.Insert(plan.Files, 0, settings)
	return plan, nil
}

func anys(words []string) (all []any) {
	for _, w := range words {
		all = append(all, w)
	}
	return all
}

func isClaudeTool(raw json.RawMessage) bool {
	var s string
	return json.Unmarshal(raw, &s) == nil && slices.Contains(claude.Tools(), s)
}

// claudeServer adds the MCP server. Claude Code keeps those of a user beside its
// settings folder, or in the folder that CLAUDE_CONFIG_DIR names.
func claudeServer(e *Env) File {
	return File{
		Path: filepath.Join(e.Folder("CLAUDE_CONFIG_DIR", ""), ".claude.json"),
		Add: func(before []byte) ([]byte, error) {
			return AddServer(before, e, []string{"mcpServers", "sayso"}, Member{"type", "stdio"}, Member{"alwaysLoad", true})
		},
		Remove: func(now []byte) ([]byte, error) { return RemoveServer(now, "mcpServers", "sayso") },
	}
}

// claudeBypass finds the settings with which Claude Code asks nobody, or runs no hook.
func claudeBypass(e *Env) (string, error) {
	settings, err := os.ReadFile(filepath.Join(claudeFolder(e), "settings.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var off bool
	if _, err := GetJSON(settings, &off, "disableAllHooks"); err != nil {
		return "", err
	}
	if off {
		return "disableAllHooks is true: Claude Code runs no hooks", nil
	}
	var mode string
	if _, err := GetJSON(settings, &mode, "permissions", "defaultMode"); err != nil {
		return "", err
	}
	if slices.Contains([]string{"auto", "dontAsk", "bypassPermissions"}, mode) {
		return fmt.Sprintf("permissions.defaultMode is %q: Claude Code decides about permissions by itself", mode), nil
	}
	return "", nil
}
