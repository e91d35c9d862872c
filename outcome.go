package sayso

import (
	"slices"
	"time"

	"github.com/saysohq/sayso/internal/safetext"
)

// Status says what became of an ask.
type Status string

// The statuses. Only StatusAnswered means that somebody decided something.
const (
	StatusPending     Status = "pending"     // still open; the answer may come later
	StatusAnswered    Status = "answered"    // at least one question has an answer, or the person replied to the whole form
	StatusUnanswered  Status = "unanswered"  // the form came back with nothing in it
	StatusDeclined    Status = "declined"    // the person chose not to answer
	StatusCancelled   Status = "cancelled"   // called off before an answer, by the person or the asker; By says whom
	StatusExpired     Status = "expired"     // the asker's deadline passed
	StatusSuperseded  Status = "superseded"  // a newer ask, or a chat message, took its place
	StatusUnreachable Status = "unreachable" // nobody could be asked
)

// Statuses returns every status.
func Statuses() []Status {
	return []Status{
		StatusPending, StatusAnswered, StatusUnanswered, StatusDeclined,
		StatusCancelled, StatusExpired, StatusSuperseded, StatusUnreachable,
	}
}

// Final reports whether the status can no longer change by itself.
func (s Status) Final() bool { return s != StatusPending && s.known() }

func (s Status) known() bool { return slices.Contains(Statuses(), s) }

// Outcome is what became of an ask.
type Outcome struct {
	Status  Status    `json:"status"`
	Answers []Answer  `json:"answers,omitempty"`
	Reply   string    `json:"reply,omitempty"` // a free reply to the whole form, instead of answers
	By      Responder `json:"by,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Reason  string    `json:"reason,omitempty"` // in words, for every status but answered
}

// Answer is a person's answer to one question.
type Answer struct {
	QuestionID string   `json:"questionId"`
	Selected   []string `json:"selected,omitempty"`   // option ids
	Other      string   `json:"other,omitempty"`      // own words, beside or instead of options
	Note       string   `json:"note,omitempty"`       // a remark on the choice
	Unanswered Reason   `json:"unanswered,omitempty"` // why there is no answer; empty when there is one

	// Of the answer to an approval: the hashes of the stored contents that the person
	// was shown whole, and the tool's input as they changed it.
	Opened []string `json:"opened,omitempty"`
	Input  string   `json:"input,omitempty"`
}

// Reason says why a question has no answer although its form came back.
type Reason string

// The reasons.
const (
	ReasonSkipped       Reason = "skipped"         // the person sent the form without it
	ReasonDismissed     Reason = "dismissed"       // the person closed the question
	ReasonRepliedInChat Reason = "replied_in_chat" // the person answered in the conversation instead
)

// Answered reports whether the answer says anything: an option, words that are
// more than blank, or a note. White space and invisible characters say nothing.
func (a Answer) Answered() bool {
	for _, id := range a.Selected {
		if !safetext.Blank(id) {
			return true
		}
	}
	return !safetext.Blank(a.Other) || !safetext.Blank(a.Note)
}

// Answer returns the answer to the question with the given id.
func (o *Outcome) Answer(questionID string) (Answer, bool) {
	for _, a := range o.Answers {
		if a.QuestionID == questionID {
			return a, true
		}
	}
	return Answer{}, false
}

// HasAnswer reports whether somebody said anything at all: to one question, or
// to the form as a whole.
func (o *Outcome) HasAnswer() bool {
	for _, a := range o.Answers {
		if a.Answered() {
			return true
		}
	}
	return !safetext.Blank(o.Reply)
}

// Responder says who closed an ask, and how sure we are of it.
type Responder struct {
	Kind      ResponderKind `json:"kind,omitempty"`
	ID        string        `json:"id,omitempty"`        // the person, policy or agent
	Surface   string        `json:"surface,omitempty"`   // where: terminal, web, slack
	Assurance Assurance     `json:"assurance,omitempty"` // how the person was known
}

// ResponderKind says what kind of party closed an ask.
type ResponderKind string

// The kinds of responders.
const (
	ByPerson  ResponderKind = "person"
	ByProgram ResponderKind = "program" // a program says so: the asker's own client, an editor; who sat there is not known
	ByPolicy  ResponderKind = "policy"  // a rule, a deadline, a default: nobody decided
	ByAgent   ResponderKind = "agent"   // a parent agent answered its sub-agent
	ByAsker   ResponderKind = "asker"   // the asker withdrew
)

// Human reports whether a person decided, as far as anybody knows: at a surface, or
// in front of a program that hands on what was said.
func (k ResponderKind) Human() bool { return k == ByPerson || k == ByProgram }

// Assurance is how sure we are that the responder is who it says.
type Assurance int

// The levels. A program that runs as the person can forge AssuranceLocal, and a
// reply that a program hands on (ByProgram) never has more.
const (
	AssuranceLocal   Assurance = 0 // same user on the same machine
	AssuranceKey     Assurance = 1 // a hub key
	AssuranceLogin   Assurance = 2 // a login
	AssurancePasskey Assurance = 3 // a passkey, used for this very answer
)
