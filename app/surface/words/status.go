package words

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Closed says what became of an ask, in the terminal and on the web.
func (w *Catalogue) Closed(o *sayso.Outcome) string {
	in := &w.Inbox
	switch o.Status {
	case sayso.StatusPending:
		return in.LeftForLater
	case sayso.StatusAnswered:
		return in.WasAnswered
	case sayso.StatusDeclined:
		return in.WasDeclined
	case sayso.StatusCancelled:
		if o.By.Kind == sayso.ByAsker {
			return in.WasWithdrawn
		}
		return in.WasCancelled
	case sayso.StatusExpired:
		return in.WasExpired
	case sayso.StatusSuperseded:
		return in.WasSuperseded
	}
	return in.WasUnanswered
}

// Place picks the words for the surface of an answer: those for a terminal, for the
// browser, or for any other.
func Place(surface, terminal, browser, other string) string {
	switch surface {
	case "terminal", "prompt":
		return terminal
	case "web":
		return browser
	}
	return other
}

// Why says why an earlier answer to an ask does not count.
func (w *Catalogue) Why(why hub.Why) string {
	switch why {
	case hub.Undone:
		return w.Inbox.WasUndone
	case hub.Amended:
		return w.Inbox.WasAmended
	case hub.Late:
		return w.Inbox.WasLate
	}
	return string(why)
}

// AskedAgain says to a reader who asked a closed ask again.
func (w *Catalogue) AskedAgain(by, reader string) string {
	if by == reader {
		return w.Inbox.AgainByYou
	}
	return w.Say(w.Inbox.AgainBy, sayso.SafeLine(by))
}
