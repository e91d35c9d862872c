package api

import "github.com/saysohq/sayso/hub"

// ProblemURN stands before the name of a problem in its type.
const ProblemURN = "urn:sayso:problem:"

// The names of problems that a client acts upon. docs/reference/http-api.md lists all of them.
const (
	Unauthenticated = "unauthenticated"
	NotAllowed      = "not-allowed"
	LowAssurance    = "assurance-too-low"
	NotFound        = "not-found"
	AlreadyClosed   = "already-closed"
	Changed         = "changed"
	Undone          = "undone"
	StillOpen       = "open"
	Consumed        = "consumed"
	Invalid         = "invalid"
	KeyReused       = "idempotency-key-reused"
	TooMany         = "too-many"
	Unavailable     = "unavailable"
	Internal        = "internal"
)

// The names of the events of a stream.
const (
	EventReset = "reset" // what follows begins anew
	EventReady = "ready" // every open ask was told since the reset; the data is a [Ready]
	EventAsk   = "ask"   // an ask is new or has changed; the data is a [Ticket]
	EventState = "state_change"
)

// Problem is what an error says: a problem detail (RFC 9457).
type Problem struct {
	Type    string         `json:"type" doc:"Which kind of problem; docs/reference/http-api.md lists them."`
	Title   string         `json:"title" doc:"The kind of problem, in words."`
	Status  int            `json:"status" doc:"The HTTP status."`
	Detail  string         `json:"detail,omitempty" doc:"This occurrence, in words."`
	Reason  hub.Fault      `json:"reason,omitempty" doc:"Why the hub can store nothing now, one of: disk-full, not-writable, damaged, no-descriptors, stopped."`
	Errors  []FieldProblem `json:"errors,omitempty" doc:"Everything that is wrong with the request."`
	Ticket  *Ticket        `json:"ticket,omitempty" doc:"The ask as it is now: who closed it, where, when and how. With unavailable: the ask is stored all the same."`
	Late    bool           `json:"late,omitempty" doc:"The refused answer came too late, and was kept as such."`
	Waiting []Ticket       `json:"waiting,omitempty" doc:"The asks of which one must be named."`
	Result  *ToolResult    `json:"result,omitempty" doc:"What to tell the model about a call that was refused."`
	Quota   *Quota         `json:"quota,omitempty" doc:"The limit that the request met."`
}

// FieldProblem is one thing that is wrong with a request.
type FieldProblem struct {
	Path    string `json:"path,omitempty" doc:"Where: questions[0].text; empty for the whole."`
	Message string `json:"message" doc:"What, and what to do about it."`
}
