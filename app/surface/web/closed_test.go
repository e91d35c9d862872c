package web_test

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

// TestHowClosed: page and list say what became of an ask in the words of the terminal,
// and who called it off.
func TestHowClosed(t *testing.T) {
	t.Parallel()
	ann, asker := sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"}, sayso.Responder{Kind: sayso.ByAsker}
	for _, tt := range []struct {
		status sayso.Status
		by     sayso.Responder
		want   string
	}{
		{sayso.StatusDeclined, ann, "Declined by you, ann (terminal)"},
		{sayso.StatusCancelled, ann, "Cancelled by you, ann (terminal)"},
		{sayso.StatusCancelled, asker, "The agent no longer needs this answer"},
		{sayso.StatusSuperseded, asker, "Replaced by a newer request"},
		{sayso.StatusUnreachable, asker, "Closed without an answer"},
	} {
		w := newWorld(t)
		ticket, page := w.ask(words("What name?"))
		if _, err := w.hub.Close(t.Context(), ticket, &sayso.Outcome{Status: tt.status, By: tt.by, Reason: "Not this week."}, nil); err != nil {
			t.Fatal(err)
		}
		b := w.browse("ann")
		b.open(page)
		if s := b.main(false); !strings.Contains(s, tt.want) {
			t.Errorf("%s by the %s: the page does not say %q:\n%s", tt.status, tt.by.Kind, tt.want, s)
		}
		for _, address := range []string{page, "/?view=history"} {
			if body := w.get(w.c, address).body; strings.Contains(body, `class="note ok"`) || strings.Contains(body, `class="a ok"`) {
				t.Errorf("%s by the %s: %s looks as if it was answered", tt.status, tt.by.Kind, address)
			}
		}
		head, _, _ := strings.Cut(tt.want, " by you")
		if s := said(w.get(w.c, "/?view=history").body); !strings.Contains(s, head) {
			t.Errorf("%s by the %s: the list does not say %q:\n%s", tt.status, tt.by.Kind, head, s)
		}
	}
}
