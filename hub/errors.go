package hub

import "errors"

// The errors of a [Store]; a store may wrap them.
var (
	ErrNotFound  = errors.New("hub: no such ask")
	ErrConflict  = errors.New("hub: the record has changed")
	ErrFull      = errors.New("hub: the waiting room is full")
	ErrUndecided = errors.New("hub: it is not known whether the write was made")
)
