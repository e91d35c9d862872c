package hub

import (
	"context"
	"time"

	"github.com/saysohq/sayso"
)

// Desk is an [Inbox] at which a person can do more than answer: search, change their
// mind, leave an ask for later or to somebody else, and see what was decided before.
// What [Hub.Inbox] and package client return is a Desk. A surface that is given an
// [Inbox] of somebody else's asks whether it is one.
type Desk interface {
	Inbox

	// Search returns a page of what the person may see, open and closed.
	Search(ctx context.Context, s *Search) (*Found, error)

	// Hold closes an ask as Close does, but the outcome counts only after so long:
	// until then the asker does not get it, and Undo always takes it back. Without
	// a time it is Close.
	Hold(ctx context.Context, seen *Ticket, o *sayso.Outcome, d time.Duration) (*Ticket, error)

	// Amend replaces an outcome that the person gave, as [Hub.Amend] does. If the
	// asker has the earlier one, it gets this one as a late message.
	Amend(ctx context.Context, seen *Ticket, o *sayso.Outcome) (*Ticket, error)

	// AskAgain asks a closed ask once more, as [Hub.AskAgain] does.
	AskAgain(ctx context.Context, seen *Ticket) (*Ticket, error)

	// Snooze hides an ask from what waits for the person; nil shows it again. Nobody
	// else is affected.
	Snooze(ctx context.Context, seen *Ticket, s *Snooze) error

	// Delegate hands an open ask to another person, who may answer it from then on.
	Delegate(ctx context.Context, seen *Ticket, to, comment string) (*Ticket, error)

	// People returns whom an ask can be delegated to.
	People(ctx context.Context) ([]string, error)

	// Precedents returns what was answered before to the same question, or to one
	// like it, the best first.
	Precedents(ctx context.Context, seen *Ticket) ([]Precedent, error)

	// Preferences returns what the person has chosen, with the defaults filled in.
	Preferences(ctx context.Context) (*Preferences, error)

	// SetPreferences keeps what the person has chosen.
	SetPreferences(ctx context.Context, p *Preferences) error
}

var _ Desk = (*inbox)(nil)

// Held is an outcome that a person has given and that does not count yet: until its
// time has come, the asker does not get it and the person can take it back.
type Held struct {
	Outcome *sayso.Outcome `json:"outcome"`
	Nonce   string         `json:"nonce,omitempty"`
	Until   time.Time      `json:"until"`
}

// Passed says that an open ask was delegated.
type Passed struct {
	From    string    `json:"from"`
	To      string    `json:"to"`
	Comment string    `json:"comment,omitempty"`
	At      time.Time `json:"at"`
}

// Snooze is until when a person does not want to see an ask.
type Snooze struct {
	Until time.Time `json:"until,omitzero"`
	Back  bool      `json:"back,omitempty"` // until the person is back, instead
	Since time.Time `json:"since,omitzero"` // when it began
}

// Precedent is an answer that was given before.
type Precedent struct {
	Ticket *Ticket `json:"ticket"`
	Same   bool    `json:"same"`  // the questions are identical
	Score  float64 `json:"score"` // how alike they are, up to 1

	// Answers are those of the precedent as answers to the ask at hand, by its ids;
	// nil if they do not fit, so that they can be read and not reused.
	Answers []sayso.Answer `json:"answers,omitempty"`
}

// Preferences are what a person has chosen for all surfaces.
type Preferences struct {
	Grace    *int   `json:"grace,omitempty"`    // seconds for which an answer is held, 0 to 30; nil: the default of the surface
	Language string `json:"language,omitempty"` // "en", "de"; empty: that of the browser or the terminal
	Zone     string `json:"zone,omitempty"`     // of times, as in Europe/Berlin; empty: that of the browser or the terminal
}
