package auth

import (
	"errors"
	"net/http"
)

// RejectedError is an [ErrCredential] about a key or a session that exists, or
// did. It is for a log: a client is told nothing of it.
type RejectedError struct {
	Why     string // secret, revoked, expired; of a session also ended and run
	Tenant  string
	Key     string // its id
	Session string // its id
	Role    Role
}

func (e *RejectedError) Error() string { return ErrCredential.Error() + ": " + e.Why }

// Is makes it an ErrCredential.
func (e *RejectedError) Is(target error) bool { return target == ErrCredential }

// Rejected returns what may be logged of a request that an [Authenticator] returned
// an error for: which key or session it is about, if there is one, and why it was
// refused: also none, if the request had no credential, or unknown.
func Rejected(r *http.Request, err error) RejectedError {
	var e *RejectedError
	switch {
	case errors.As(err, &e):
		return *e
	case errors.Is(err, ErrNoCredential) && len(r.Header["Authorization"]) == 0:
		return RejectedError{Why: "none"}
	}
	return RejectedError{Why: "unknown"}
}
