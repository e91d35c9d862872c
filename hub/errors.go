package hub

import (
	"cmp"
	"errors"
	"time"
)

// The errors of a [Store]; a store may wrap them.
var (
	ErrNotFound  = errors.New("hub: no such ask")
	ErrConflict  = errors.New("hub: the record has changed")
	ErrFull      = errors.New("hub: the hub is full")
	ErrUndecided = errors.New("hub: the store cannot tell yet")
)

// CorruptError says that a stored record is not what was stored.
type CorruptError struct {
	Address Address
	Problem string
}

func (e *CorruptError) Error() string {
	return "hub: the record of ask " + e.Address.ID + " is damaged: " + e.Problem
}

// The errors of a [Hub], beside those of its store.
var (
	ErrStopped    = errors.New("hub: the hub has stopped")
	ErrNotAllowed = errors.New("hub: not allowed to close this ask")
	ErrAssurance  = errors.New("hub: the ask requires a stronger sign-in")
	ErrStatus     = errors.New("hub: not an outcome that closes an ask")
	ErrUndone     = errors.New("hub: this close was undone")
	ErrOpen       = errors.New("hub: the ask is open")
	ErrConsumed   = errors.New("hub: the asker has the outcome")
	ErrSecret     = errors.New("hub: secrets are not kept")
	ErrHandle     = errors.New("hub: not a handle of this hub")
	ErrPreference = errors.New("hub: not a preference")
	ErrBroken     = errors.New("hub: something broke in the hub") // a hub elsewhere says so, and trying again does not help
)

// ClosedError says that another outcome closed the ask first. It comes only when
// that outcome can be read.
type ClosedError struct {
	// Ticket has the outcome that won. If its Held is set, the ask is not closed yet:
	// that is the outcome, and it counts from Held.Until on unless it is taken back.
	Ticket *Ticket
	Late   bool // the refused outcome is kept in the ticket's history, as late
}

func (e *ClosedError) Error() string {
	o := e.Ticket.Outcome
	by := cmp.Or(o.By.ID, string(o.By.Kind), "somebody")
	if o.By.Surface != "" {
		by += " on " + o.By.Surface
	}
	s := "hub: ask " + e.Ticket.Ask.ID + " was " + string(o.Status) + " by " + by + " at " + o.At.Format(time.RFC3339)
	if e.Ticket.Held != nil {
		s += ", which counts from " + e.Ticket.Held.Until.Format(time.RFC3339) + " on"
	}
	return s
}

// ChangedError says that the questions are not those that are stored: a person
// was shown other ones, or another ask has this id.
type ChangedError struct {
	Address Address
	Shown   string // the digest that came
	Stored  string // the digest of the stored questions
}

func (e *ChangedError) Error() string {
	if e.Shown == "" {
		return "hub: the answer to ask " + e.Address.ID + " does not say which questions were shown"
	}
	return "hub: ask " + e.Address.ID + " has other questions"
}
