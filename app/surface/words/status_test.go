package words

import (
	"slices"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Every status has words, and those of one that was not answered are never those of
// one that was.
func TestClosed(t *testing.T) {
	for _, l := range Languages() {
		w := For(l.Tag)
		var said []string
		for _, s := range sayso.Statuses() {
			for _, by := range []sayso.ResponderKind{sayso.ByPerson, sayso.ByAsker} {
				got := w.Closed(&sayso.Outcome{Status: s, By: sayso.Responder{Kind: by}})
				if got == "" || (got == w.Inbox.WasAnswered) != (s == sayso.StatusAnswered) {
					t.Errorf("%s: %s by the %s is %q", l.Tag, s, by, got)
				}
				said = append(said, got)
			}
		}
		// unreachable is told as unanswered; only cancelled depends on who did it.
		slices.Sort(said)
		if n := len(slices.Compact(said)); n != len(sayso.Statuses()) {
			t.Errorf("%s: %d different words for the statuses: %q", l.Tag, n, said)
		}
		for _, why := range []hub.Why{hub.Undone, hub.Amended, hub.Late} {
			if got := w.Why(why); got == "" || l.Tag != "en" && got == For("en").Why(why) {
				t.Errorf("%s: %s is %q", l.Tag, why, got)
			}
		}
	}
	en := English()
	for by, want := range map[sayso.ResponderKind]string{sayso.ByPerson: "Cancelled", sayso.ByAsker: "The agent no longer needs this answer"} {
		if got := en.Closed(&sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: by}}); got != want {
			t.Errorf("cancelled by the %s is %q, want %q", by, got, want)
		}
	}
}
