package tui

import (
	"time"

	"github.com/saysohq/sayso"
)

// Options are the options of [New], [NewResolver] and [NewInbox]. Nil means the
// defaults. The functions are called from commands, so they may take their time,
// and one at a time for an ask.
type Options struct {
	// Words is the language. Default: [English].
	Words *Catalogue

	// By is how outcomes are signed. An ask that needs more than its assurance is
	// shown, and cannot be answered. Default: a person, on the surface "terminal".
	By sayso.Responder

	// Now is the clock. Default: time.Now.
	Now func() time.Time

	// Guard is for how long keys are dropped after a dialog, or its review page,
	// has appeared; they were meant for something else. A dropped key begins it
	// anew, up to four times the guard. Default: 350 ms; negative: none.
	Guard time.Duration

	// History is what ↑ brings back into an empty text field, newest first.
	// Default: nothing.
	History []string

	// Complete returns the paths that begin like the given one; Tab asks for them.
	// Default: no completion; see [CompletePath].
	Complete func(path string) []string

	// LoadDraft returns what was typed into the ask before, on this or another
	// surface. Default: nothing.
	LoadDraft func(*sayso.Ask) ([]sayso.Answer, error)

	// SaveDraft keeps what has been typed; no answers: there is nothing to keep
	// any more. Secrets are left out. Default: drafts end with the model.
	SaveDraft func(*sayso.Ask, []sayso.Answer) error

	// Touched is called once when the person begins to answer an ask that has a
	// deadline, so that a declared default can be stopped. Default: not called.
	Touched func(*sayso.Ask)

	// Later says that the ask can wait: somebody, such as a hub, holds it when the
	// person leaves. Esc then leaves it for later ([sayso.StatusPending]). Default:
	// nobody does, and Esc cancels it ([sayso.StatusCancelled]).
	Later bool

	// Send takes every decision to where it counts. It returns the outcome that
	// came first, if another one did: the dialog then says so. On an error the
	// dialog stays as it is, and the person may try again. Default: the decision
	// counts as it is.
	Send func(*sayso.Ask, *sayso.Outcome) (winner *sayso.Outcome, err error)

	// Whole returns an approval with everything that is stored beside the ask, as
	// [hub.Whole] does. Default: the ask has all of it, because nobody has stored it
	// yet; what it does not have can be denied, or allowed unseen.
	Whole func(*sayso.Ask) (*sayso.Ask, error)

	// Attending is called while the person presses keys at an ask, at most every
	// 20 s, so that they are not notified of what they have before them. Default: an
	// [Inbox] tells its hub, if that wants to know; a [Model] tells nobody.
	Attending func(*sayso.Ask)

	// Alert returns what an [Inbox] writes to the terminal when a question arrives
	// and the person does not look at it: a bell, or a sequence that the terminal
	// understands. It is told how many wait. With it, the title of the window says
	// so as well. Default: neither.
	Alert func(waiting int) string

	// Grace is for how long an [Inbox] holds an answer before it counts, up to 30 s,
	// so that the person can undo it. Meanwhile the number of an option answers a
	// simple question at once. Default: what the person has chosen, else 5 s;
	// negative: it counts at once. A [Model] never holds anything.
	Grace time.Duration

	// Expire closes an ask as expired when its deadline passes and the person has
	// not touched it. Default: that is the hub's to do.
	Expire bool

	inbox   bool        // the dialog is one of an [Inbox]
	amends  bool        // it changes an answer that was given
	passive bool        // it is there to be read: it has no keys
	quick   func() bool // whether choosing is answering; nil: it is not
}

const defaultGuard = 350 * time.Millisecond

// withDefaults returns a copy with every default filled in.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Words == nil {
		c.Words = English()
	}
	if c.By == (sayso.Responder{}) {
		c.By = sayso.Responder{Kind: sayso.ByPerson, Surface: "terminal"}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Guard == 0 {
		c.Guard = defaultGuard
	}
	return c
}
