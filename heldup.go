package sayso

import (
	"fmt"
	"strings"
)

// MetadataBlocked is where an ask says in its metadata what waits behind it, for
// whoever decides what to answer first: an object with the names of the tools that
// are to run after it ("tools"), and of the agents that wait for who asks ("agents").
const MetadataBlocked = "blocked"

// MetadataNotify is where an ask says in its metadata that notifications are to show
// less of it than the person allows: "count" for only that a question waits, "sender"
// for only who asks. It can never make them show more.
const MetadataNotify = "notify"

const (
	heldUpMost  = 99 // names that are counted
	heldUpShown = 5  // names that are shown
)

// HeldUp is what waits behind an ask, as its host tells it.
type HeldUp struct{ Tools, Agents []string }

// HeldUp returns what waits behind the ask. The names are safe to show.
func (a *Ask) HeldUp() HeldUp {
	all, _ := a.Metadata[MetadataBlocked].(map[string]any)
	names := func(of string) (names []string) {
		list, _ := all[of].([]any)
		for _, v := range list[:min(len(list), heldUpMost)] {
			if s, ok := v.(string); ok && !Blank(s) {
				names = append(names, SafeLine(s))
			}
		}
		return names
	}
	return HeldUp{names("tools"), names("agents")}
}

// Count is how much waits.
func (h HeldUp) Count() int { return len(h.Tools) + len(h.Agents) }

// Short says how much waits, for a list: "holds up 3"; "" if nothing does.
func (h HeldUp) Short() string {
	switch n := h.Count(); {
	case n == 0:
		return ""
	case n >= heldUpMost:
		return fmt.Sprintf("holds up %d or more", heldUpMost)
	default:
		return fmt.Sprintf("holds up %d", n)
	}
}

// String says what waits: "next: write, deploy; waiting: planner".
func (h HeldUp) String() string {
	var parts []string
	for _, each := range []struct {
		of    string
		names []string
	}{{"next", h.Tools}, {"waiting", h.Agents}} {
		if len(each.names) == 0 {
			continue
		}
		text := strings.Join(each.names[:min(len(each.names), heldUpShown)], ", ")
		if more := len(each.names) - heldUpShown; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, each.of+": "+text)
	}
	return strings.Join(parts, "; ")
}
