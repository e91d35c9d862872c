package claude

import (
	"encoding/json"
	"errors"
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

// Hook is an entry of Claude Code's settings: a hook of an event.
type Hook struct {
	Event string
	Entry json.RawMessage
}

// Hooks returns the entries that the settings need, in a fixed order.
func (s *Setup) Hooks() ([]Hook, error) {
	var all []Hook
	matchers := s.matchers()
	for _, event := range Events {
		matcher, ok := matchers[event]
		if !ok {
			continue
		}
		entry, err := s.entry(event, matcher)
		if err != nil {
			return nil, err
		}
		all = append(all, Hook{event, entry})
	}
	return all, nil
}

// Tools returns the names that Claude Code has for our tools.
func Tools() []string { return slices.Sorted(slices.Values(ourTools)) }

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

// Ours reports whether a hook in the settings was written by sayso, by any version.
func Ours(raw json.RawMessage) bool {
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
