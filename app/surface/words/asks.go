package words

import (
	"strings"

	"github.com/saysohq/sayso"
)

// Verified is [sayso.Origin.Verified] in the language.
func (w *Catalogue) Verified(o sayso.Origin) string {
	who := sayso.Origin{Asker: o.Asker}.Verified()
	if sayso.Blank(o.Asker) {
		who = w.Unverified
	}
	switch o.Via {
	case "":
		return who
	case "socket":
		return who + " " + w.OnThisMachine
	}
	return who + " " + w.Say(w.Over, strings.Join(strings.Fields(sayso.SafeLine(o.Via)), " "))
}

// Needs is [sayso.Ask.Needs] in the language.
func (w *Catalogue) Needs(a *sayso.Ask) string {
	switch {
	case a.Needs() == "":
		return ""
	case a.MinAssurance == sayso.AssuranceKey:
		return w.NeedsKey
	case a.MinAssurance == sayso.AssuranceLogin:
		return w.NeedsLogin
	}
	return w.NeedsPasskey
}

// heldUpNames is how many names are listed before it says how many more there are.
const heldUpNames = 5

// WaitsBehind is [sayso.HeldUp.String] in the language: what an ask holds up, by name.
func (w *Catalogue) WaitsBehind(h sayso.HeldUp) string {
	var parts []string
	for _, each := range []struct {
		of    string
		names []string
	}{{w.NextTools, h.Tools}, {w.WaitingAgents, h.Agents}} {
		n := len(each.names)
		if n == 0 {
			continue
		}
		names := strings.Join(each.names[:min(n, heldUpNames)], ", ")
		if n > heldUpNames {
			names += w.Say(w.AndMore, n-heldUpNames)
		}
		parts = append(parts, w.Say(each.of, names))
	}
	return strings.Join(parts, "; ")
}

// HowMuchWaits is [sayso.HeldUp.Short] in the language.
func (w *Catalogue) HowMuchWaits(h sayso.HeldUp) string {
	switch n := h.Count(); {
	case n == 0:
		return ""
	case n >= 99: // they are not counted any further
		return w.HoldsUpMany
	default:
		return w.Say(w.HoldsUp, n)
	}
}
