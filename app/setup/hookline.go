package setup

import (
	"encoding/json"
	"regexp"
	"strings"
)

// hookLine returns the shell command that runs sayso as a hook of an agent.
func hookLine(e *Env, agent string) string {
	var words []string
	for _, w := range e.Words("hook", agent) {
		words = append(words, quote(w))
	}
	return strings.Join(words, " ")
}

// quote spells a word for the shell.
func quote(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	}
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isHookOf returns a function that knows our hooks of an agent.
func isHookOf(agent string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var h struct{ Type, Command string }
		if json.Unmarshal(raw, &h) != nil || h.Type != "command" {
			return false
		}
		before, _, ok := strings.Cut(h.Command, " hook "+agent)
		return ok && strings.Contains(before, "sayso")
	}
}

// hookWait returns the time that somebody has given our hook of an agent to wait, as
// "--wait 10s", or "". Setting up again keeps it.
func hookWait(settings []byte, agent string) string {
	found := regexp.MustCompile(`sayso[^"]* hook ` + agent + `( --wait [0-9a-z.]+)"`).FindSubmatch(settings)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// jsonHook is one hook in the settings of Gemini CLI and Qwen Code.
func jsonHook(matcher, name, command string, timeout int) any {
	hook := Ordered{{"type", "command"}, {"name", name}, {"command", command}, {"timeout", timeout}}
	entry := Ordered{{"hooks", []any{hook}}}
	if matcher != "" {
		entry = append(Ordered{{"matcher", matcher}}, entry...)
	}
	return entry
}
