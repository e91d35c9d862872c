package web

import (
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// metadataBlocked is where an ask says what waits behind it: an object with the
// names of tools and of agents. docs/agent.md describes it.
const metadataBlocked = "blocked"

const (
	blockedMost  = 99 // names that are counted
	blockedShown = 5  // names that are shown
)

// blocked returns what waits behind an ask, as its host tells it: the tools that are
// to run next, and the agents that wait for who asks.
func blocked(a *sayso.Ask) (tools, agents []string) {
	all, _ := a.Metadata[metadataBlocked].(map[string]any)
	names := func(of string) (names []string) {
		list, _ := all[of].([]any)
		for _, v := range list[:min(len(list), blockedMost)] {
			if s, ok := v.(string); ok && !sayso.Blank(s) {
				names = append(names, sayso.SafeLine(s))
			}
		}
		return names
	}
	return names("tools"), names("agents")
}

// blockedCount is how much waits behind an ask.
func blockedCount(a *sayso.Ask) int {
	tools, agents := blocked(a)
	return len(tools) + len(agents)
}

// blockedShort says how much waits, for the list.
func blockedShort(a *sayso.Ask) string {
	switch n := blockedCount(a); {
	case n == 0:
		return ""
	case n >= blockedMost:
		return fmt.Sprintf("holds up %d or more", blockedMost)
	default:
		return fmt.Sprintf("holds up %d", n)
	}
}

// blockedWords says what waits, for the page of the ask.
func blockedWords(a *sayso.Ask) string {
	tools, agents := blocked(a)
	var parts []string
	for _, each := range []struct {
		of    string
		names []string
	}{{"next", tools}, {"waiting", agents}} {
		if len(each.names) == 0 {
			continue
		}
		text := strings.Join(each.names[:min(len(each.names), blockedShown)], ", ")
		if more := len(each.names) - blockedShown; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, each.of+": "+text)
	}
	return strings.Join(parts, "; ")
}
