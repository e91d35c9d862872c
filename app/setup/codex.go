package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/saysohq/sayso/app/door/hook/codex"
)

func codexAgent() *Agent {
	return &Agent{
		Name: "codex", Title: "Codex CLI", Commands: []string{"codex"},
		Folders: func(e *Env) []string { return []string{codexFolder(e)} },
		Plan:    codexPlan, Bypass: codexBypass,
	}
}

func codexFolder(e *Env) string { return e.Folder("CODEX_HOME", ".codex") }

// codexWait is how long Codex lets a hook wait for an answer, in seconds.
const codexWait = 24 * 60 * 60

// codexHook is an entry of hooks.json: one hook, for one tool or all.
type codexHook struct {
	event   string // as hooks.json names it
	label   string // as Codex names it where it keeps what is trusted
	matcher string
	timeout int
}

var codexHooks = []codexHook{
	{codex.UserPromptSubmit, "user_prompt_submit", "", 60},
	{codex.PreToolUse, "pre_tool_use", codex.ToolName, codexWait},
}

// entry is the hook as hooks.json has it.
func (h codexHook) entry(e *Env) Ordered {
	var o Ordered
	if h.matcher != "" {
		o = append(o, Member{"matcher", h.matcher})
	}
	return append(o, Member{"hooks", []any{Ordered{
		{"type", "command"}, {"command", shellLine(e.Words("hook", "codex"))}, {"timeout", h.timeout},
	}}})
}

// hash is the hash that Codex keeps of a hook that a person trusts: of what it is
// made of, as JSON with sorted names.
func (h codexHook) hash(e *Env) (string, error) {
	identity := map[string]any{
		"event_name": h.label,
		"hooks":      []any{map[string]any{"type": "command", "command": shellLine(e.Words("hook", "codex")), "timeout": h.timeout, "async": false}},
	}
	if h.matcher != "" {
		identity["matcher"] = h.matcher
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(identity); err != nil {
		return "", err
	}
	sum := sha256.Sum256(bytes.TrimSpace(b.Bytes()))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// isCodexHook reports whether a hook is ours.
func isCodexHook(raw json.RawMessage) bool {
	var h struct{ Command string }
	return json.Unmarshal(raw, &h) == nil && strings.HasSuffix(strings.TrimSpace(h.Command), " hook codex")
}

// The tables and keys of config.toml.
var codexServer = []string{"mcp_servers", "sayso"}

func codexPlan(e *Env) (*Plan, error) {
	dir := codexFolder(e)
	hooks := filepath.Join(dir, "hooks.json")
	before, err := os.ReadFile(hooks)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	after, err := addCodexHooks(before, e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", hooks, err)
	}
	trusted, err := codexTrust(e, hooks, after)
	if err != nil {
		return nil, err
	}
	return &Plan{
		Files: []File{
			{
				Path: filepath.Join(dir, "config.toml"),
				Add: func(before []byte) ([]byte, error) {
					words := e.Words("mcp")
					edits := []TOMLEdit{
						SetTOML(words[0], codexServer, "command"), SetTOML(words[1:], codexServer, "args"),
						SetTOML("approve", codexServer, "default_tools_approval_mode"), // our tools ask the person anyway
					}
					if url, err := GetTOML(before, append(slices.Clone(codexServer), "url")...); err != nil || url != nil {
						edits = nil // a server elsewhere
					}
					for _, t := range trusted {
						edits = append(edits, SetTOML(t.hash, []string{"hooks", "state", t.key}, "trusted_hash"))
					}
					return EditTOML(before, edits...)
				},
				Remove: func(now []byte) ([]byte, error) {
					edits := []TOMLEdit{RemoveTOML(codexServer...)}
					for _, t := range trusted {
						edits = append(edits, RemoveTOML("hooks", "state", t.key))
					}
					return EditTOML(now, edits...)
				},
			},
			{
				Path: hooks,
				Add:  func(before []byte) ([]byte, error) { return addCodexHooks(before, e) },
				Remove: func(now []byte) ([]byte, error) {
					return EditJSON(now, SetHooks([]string{"hooks"}, nil, isCodexHook))
				},
			},
		},
		After: "Start a new Codex session to use it.",
	}, nil
}

func addCodexHooks(before []byte, e *Env) ([]byte, error) {
	var hooks []Hook
	for _, h := range codexHooks {
		hooks = append(hooks, Hook{h.event, h.entry(e)})
	}
	return EditJSON(before, SetHooks([]string{"hooks"}, hooks, isCodexHook))
}

// trust is what Codex keeps of a hook that a person trusts. The diff that the person
// confirms shows the hook and this.
type trust struct{ key, hash string }

// codexTrust returns what Codex would keep of our hooks, which it names by their places
// in the file.
func codexTrust(e *Env, file string, text []byte) ([]trust, error) {
	if e.Getenv("CODEX_HOME") != "" { // Codex resolves links in that, and not in the home
		if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
			file = filepath.Join(dir, filepath.Base(file))
		}
	}
	var list []trust
	for _, h := range codexHooks {
		hash, err := h.hash(e)
		if err != nil {
			return nil, err
		}
		var entries []struct {
			Hooks []json.RawMessage `json:"hooks"`
		}
		if _, err := GetJSON(text, &entries, "hooks", h.event); err != nil {
			return nil, err
		}
		for i, entry := range entries {
			for j, raw := range entry.Hooks {
				if isCodexHook(raw) {
					list = append(list, trust{fmt.Sprintf("%s:%s:%d:%d", file, h.label, i, j), hash})
				}
			}
		}
	}
	return list, nil
}

// shellLine is a command as a shell takes it.
func shellLine(words []string) string {
	var quoted []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@+=,", r)
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}

// codexBypass finds the settings with which Codex asks nobody, or runs no hook.
func codexBypass(e *Env) (string, error) {
	text, err := os.ReadFile(filepath.Join(codexFolder(e), "config.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, c := range []struct {
		path []string
		is   any
		says string
	}{
		{[]string{"features", "hooks"}, false, "features.hooks is false: Codex runs no hooks"},
		{[]string{"approval_policy"}, "never", `approval_policy is "never": Codex asks nobody for permission`},
		{[]string{"sandbox_mode"}, "danger-full-access", `sandbox_mode is "danger-full-access": Codex runs commands without asking`},
		{[]string{"approvals_reviewer"}, "auto_review", `approvals_reviewer is "auto_review": Codex decides about permissions by itself`},
		{[]string{"approvals_reviewer"}, "guardian_subagent", `approvals_reviewer is "guardian_subagent": Codex decides about permissions by itself`},
	} {
		v, err := GetTOML(text, c.path...)
		if err != nil {
			return "", err
		}
		if v == c.is {
			return c.says, nil
		}
	}
	return "", nil
}
