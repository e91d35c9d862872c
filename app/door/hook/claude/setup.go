package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Setup says which hooks Claude Code gets.
type Setup struct {
	Command []string // the words that start sayso
	URL     string   // of a hub: hooks over HTTP in place of the command
	Wait    time.Duration
	Defer   bool

	// NoPermissions leaves out what needs your permission: only questions reach the
	// hub.
	NoPermissions bool
}

// permitTools are the tools whose runs are told to a hub over HTTP, which would
// otherwise get every file that Claude Code reads.
const permitTools = toolName + "|Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|WebSearch|ExitPlanMode|mcp__.*"

// matchers says for which tools each event is taken; an event that is missing is not.
func (s *Setup) matchers() map[string]string {
	ask := strings.Join(append([]string{toolName}, ourTools...), "|")
	switch {
	case s.NoPermissions:
		return map[string]string{UserPromptSubmit: "", PreToolUse: ask, PermissionRequest: toolName, PostToolUse: toolName}
	case s.URL != "":
		return map[string]string{UserPromptSubmit: "", PreToolUse: ask, PermissionRequest: "*", PostToolUse: permitTools, PostToolUseFailure: permitTools}
	}
	return map[string]string{UserPromptSubmit: "", PreToolUse: "*", PermissionRequest: "*", PostToolUse: "*", PostToolUseFailure: "*"}
}

// The time limits of hooks in seconds: of those that wait for a person, and of
// the others. Claude Code waits for ten minutes if it is not told.
const (
	dayLimit   = 86400
	shortLimit = 30
)

// AddSetup returns the settings of Claude Code with the hooks of the door. All
// else stays as it is; hooks of the door that are there already are replaced.
// Settings may be empty.
func AddSetup(settings []byte, s *Setup) ([]byte, error) {
	all, hooks, err := readSettings(settings)
	if err != nil {
		return nil, err
	}
	wanted := map[string]json.RawMessage{}
	matchers := s.matchers()
	events := slices.DeleteFunc(slices.Clone(Events), func(event string) bool { _, ok := matchers[event]; return !ok })
	for _, event := range events {
		if wanted[event], err = s.entry(event, matchers[event]); err != nil {
			return nil, err
		}
	}
	if has(hooks, wanted) {
		return settings, nil
	}
	if _, err := removeOurs(hooks); err != nil {
		return nil, err
	}
	for _, event := range events {
		list, err := readList(hooks.get(event))
		if err != nil {
			return nil, fmt.Errorf("hooks.%s: %w", event, err)
		}
		hooks.set(event, spellList(append(list, wanted[event])))
	}
	all.set("hooks", hooks.spell())
	return indented(all.spell())
}

// RemoveSetup returns the settings without the hooks of the door.
func RemoveSetup(settings []byte) ([]byte, error) {
	all, hooks, err := readSettings(settings)
	if err != nil {
		return nil, err
	}
	changed, err := removeOurs(hooks)
	if err != nil || !changed {
		return settings, err
	}
	if len(*hooks) == 0 {
		all.remove("hooks")
	} else {
		all.set("hooks", hooks.spell())
	}
	return indented(all.spell())
}

func readSettings(settings []byte) (all, hooks *object, err error) {
	all, hooks = &object{}, &object{}
	if len(bytes.TrimSpace(settings)) == 0 {
		return all, hooks, nil
	}
	if err := json.Unmarshal(settings, all); err != nil {
		return nil, nil, fmt.Errorf("the settings cannot be read: %w", err)
	}
	if raw := all.get("hooks"); raw != nil {
		if err := json.Unmarshal(raw, hooks); err != nil {
			return nil, nil, fmt.Errorf("hooks: %w", err)
		}
	}
	return all, hooks, nil
}

// entry spells the hook of an event.
func (s *Setup) entry(event, matcher string) (json.RawMessage, error) {
	type one struct {
		Type    string            `json:"type"`
		Command string            `json:"command,omitempty"`
		URL     string            `json:"url,omitempty"`
		Timeout int               `json:"timeout"`
		Headers map[string]string `json:"headers,omitempty"`
		Env     []string          `json:"allowedEnvVars,omitempty"`
	}
	h := one{Type: "command", Timeout: shortLimit}
	if waits(event) {
		h.Timeout = dayLimit
	}
	if s.URL == "" {
		h.Command = s.command(event)
	} else {
		var err error
		h.Type = "http"
		if h.URL, err = s.url(event); err != nil {
			return nil, err
		}
		h.Headers = map[string]string{"Authorization": "Bearer $SAYSO_KEY", EntrypointHeader: "$CLAUDE_CODE_ENTRYPOINT"}
		h.Env = []string{"SAYSO_KEY", "CLAUDE_CODE_ENTRYPOINT"}
	}
	return spell(struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []one  `json:"hooks"`
	}{matcher, []one{h}}), nil
}

func (s *Setup) command(event string) string {
	var words []string
	for _, w := range append(slices.Clone(s.Command), "hook", "claude") {
		words = append(words, quote(w))
	}
	if waits(event) && s.Wait > 0 {
		words = append(words, "--wait", s.Wait.String())
	}
	if event == PreToolUse && s.Defer {
		words = append(words, "--defer")
	}
	return strings.Join(words, " ")
}

// quote spells a word for the shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// waits reports whether the hook of an event may wait for a person.
func waits(event string) bool { return event == PreToolUse || event == PermissionRequest }

const hooksPath = "/v1/hooks/claude/"

func (s *Setup) url(event string) (string, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("hook: the address of a hub is a URL with http or https")
	}
	u.Path = strings.TrimRight(u.Path, "/") + hooksPath + event
	q := url.Values{}
	if waits(event) && s.Wait > 0 {
		q.Set("wait", s.Wait.String())
	}
	if event == PreToolUse && s.Defer {
		q.Set("defer", "true")
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// removeOurs takes the door's hooks out, and what is empty without them.
func removeOurs(hooks *object) (changed bool, err error) {
	for _, event := range hooks.names() {
		entries, err := readList(hooks.get(event))
		if err != nil {
			return false, fmt.Errorf("hooks.%s: %w", event, err)
		}
		var kept []json.RawMessage
		here := false
		for i, raw := range entries {
			entry := &object{}
			if err := json.Unmarshal(raw, entry); err != nil {
				return false, fmt.Errorf("hooks.%s[%d]: %w", event, i, err)
			}
			list, err := readList(entry.get("hooks"))
			if err != nil {
				return false, fmt.Errorf("hooks.%s[%d].hooks: %w", event, i, err)
			}
			rest := slices.DeleteFunc(slices.Clone(list), ours)
			if len(rest) == len(list) {
				kept = append(kept, raw)
				continue
			}
			here = true
			if len(rest) > 0 {
				entry.set("hooks", spellList(rest))
				kept = append(kept, entry.spell())
			}
		}
		switch {
		case here && len(kept) == 0:
			hooks.remove(event)
		case here:
			hooks.set(event, spellList(kept))
		}
		changed = changed || here
	}
	return changed, nil
}

// ours reports whether a hook is one of the door.
func ours(raw json.RawMessage) bool {
	var h struct{ Type, Command, URL string }
	if json.Unmarshal(raw, &h) != nil {
		return false
	}
	switch h.Type {
	case "command":
		before, _, ok := strings.Cut(h.Command, " hook claude")
		return ok && strings.Contains(before, "sayso")
	case "http":
		return strings.Contains(h.URL, hooksPath)
	}
	return false
}

// has reports whether the hooks of the door are the wanted ones, wherever they
// stand among others.
func has(hooks *object, wanted map[string]json.RawMessage) bool {
	for _, m := range *hooks {
		list, err := readList(m.value)
		if err != nil {
			return false
		}
		found := 0
		for _, raw := range list {
			if bytes.Equal(compact(raw), wanted[m.name]) {
				found++
			} else if bytes.Contains(raw, []byte("sayso")) || bytes.Contains(raw, []byte(hooksPath)) {
				return false // perhaps an older one
			}
		}
		if _, ok := wanted[m.name]; ok && found != 1 {
			return false
		}
	}
	for event := range wanted {
		if hooks.get(event) == nil {
			return false
		}
	}
	return true
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	json.Compact(&b, raw) // it was read as JSON
	return b.Bytes()
}

// indented spells settings as Claude Code does.
func indented(settings []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, settings, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
