package hook

import (
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Agent is an agent whose hooks the door takes.
type Agent interface {
	Info() Info

	// Parse reads an event. The error is for whoever set the hook up.
	Parse(data []byte) (Event, error)
}

// Info is what the door has to know of an agent.
type Info struct {
	Name    string      // how surfaces name the program, and the place where a person is who answers in it
	Tool    *sayso.Tool // whose calls are carried
	Events  []string    // the names of its events, in the order in which they come
	Nothing []byte      // the reply that says nothing

	// Blocks says that the agent opens no dialog of its own while one of its events
	// waits. The event then waits for [Options].Wait, and what is answered meanwhile
	// takes the place of the dialog; otherwise it says nothing, and the dialog opens.
	Blocks bool

	// Unattended reports by the header of a request whether nobody sits at the
	// terminal of the session. Default: somebody always does.
	Unattended func(http.Header) bool
}

// Event is one event of an agent.
type Event interface {
	About() About

	// Said returns what was answered in the agent's own dialog, of an event that
	// means [Answered].
	Said(a *sayso.Ask) (*sayso.Outcome, error)

	// Reply words what the agent is told; nil says nothing. The door calls it once
	// at most.
	Reply(t Told) ([]byte, error)
}

// About is what the door has to know of an event.
type About struct {
	Name    string // as the agent calls it
	Meaning Meaning
	Session string     // which is the conversation of its asks
	Dir     string     // that the session works in
	Agent   string     // which agent of the session it is, if not the one that the person talks to
	Tool    string     // that is called, of an event of a tool call
	Call    sayso.Call // the tool call, but for where it comes from; its ID may be missing
	Failed  bool       // of [Ran]: it failed, or did not run

	// Continues says of an event that means [Prompted] that the turn goes on: the
	// person has said nothing, and what is open is not withdrawn.
	Continues bool

	// Refuses says that the agent refuses the question by itself where somebody
	// sits at the terminal: nobody is asked.
	Refuses bool
}

// Meaning says what an event means.
type Meaning int

// What events mean.
const (
	Nothing  Meaning = iota // nothing to the door
	Alone                   // the agent's package replies by itself; no hub is needed
	Asking                  // the agent is about to ask
	Showing                 // it shows a dialog of its own, until there is an answer
	Answered                // the question was answered in that dialog
	Prompted                // the person has said what to do next

	// Permitting: the agent needs permission for a tool call, and waits. The event
	// is a [Permission].
	Permitting

	Called // a tool call begins; it may need permission, and has its id
	Ran    // a tool call has ended

	// Noticing: the agent opens a dialog that can be answered there only. The event is
	// a [Notice].
	Noticing

	Ended // the session has ended
)

// Told is what an agent is told. The zero value is the reply of an event that means
// [Alone]; otherwise one of its parts is there.
type Told struct {
	// Ask and Outcome are what came of the question. One that is pending has waited
	// for as long as it may.
	Ask     *sayso.Ask
	Outcome *sayso.Outcome

	// Refusal says what is wrong with the call of an unattended session.
	Refusal *sayso.Result

	// Verdict is what was decided about a tool call. Changed says that it was
	// allowed, and that it would now do something else than was shown.
	Verdict *sayso.Verdict
	Changed bool

	// Deferred ends the run until there is an answer.
	Deferred bool

	// Late are asks that were answered after their call had ended.
	Late []*hub.Ticket

	// Kept is an ask that was answered in the agent's own dialog and elsewhere in
	// the same moment: the hub has kept the other answer. It may say the same.
	Kept *hub.Ticket
}
