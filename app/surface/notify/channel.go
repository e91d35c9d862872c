package notify

import (
	"context"
	"errors"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Channel shows notes at the contacts of one kind. All methods may be called from
// several goroutines, but never twice at once for one note at one contact.
type Channel interface {
	// Put shows the note in place of what where shows, which is nothing if that is
	// empty, and returns where it is now: whatever the channel needs to find it again,
	// at most 256 bytes. A note that is Over is taken away, or changed to say so if
	// the channel keeps messages; where nothing is left of it, Put returns "".
	//
	// A [*RetryError] says that the note is not shown, and [ErrGone] that none will ever
	// be. After any other error nobody knows: a reminder follows soon, or the same note
	// again if that is seen once only (Limits.Again).
	Put(ctx context.Context, to *Contact, n *Note, where string) (string, error)
}

// Replier is a channel on which people also answer.
type Replier interface {
	Channel

	// Replies brings everything that people do there to the desk, until ctx ends or it
	// cannot go on. Only one process calls it at a time. Where the service repeats
	// what was not confirmed, it confirms only what the desk has taken, and keeps its
	// place with the desk.
	Replies(ctx context.Context, d Desk) error
}

// Limits say what the contacts of a channel can show.
type Limits struct {
	// Buttons is how many buttons a note may have, at most; zero: none.
	Buttons int

	// Text is the most that a note may have of the whole ask, as Size counts; zero:
	// the channel shows no asks, only that they wait. An ask that is longer gets no
	// buttons to answer it with.
	Text int
	Size func(string) int // default: runes

	Behind  bool // Text is not to be seen on a lock screen, whatever the detail
	Words   bool // people can answer in their own words
	Picks   bool // a button opens the page with the option selected, and sends nothing
	Again   bool // the same note put twice is seen once
	Machine bool // a program reads it: told at once, of every open and close, and never reminded
}

// Note is what a channel shows.
type Note struct {
	Key   string // names the note, the same in every round: letters and digits, at most 32
	Token string // names the note in the data of buttons: hard to guess
	Round int    // 0 when it is shown first, and 1 more with each reminder

	// Alert says that the person is to notice. Otherwise the note only changed.
	Alert bool

	Urgent bool // the deadline is near

	// Title and Body are what a lock screen may show: plain text, one line and at
	// most a few. They hold no more than the contact's detail allows.
	Title, Body string

	// Text is the whole ask as plain text, with who asks and all marks, or how it was
	// answered. It is empty if the limits or the detail do not allow it.
	Text string

	Buttons []Button
	URL     string // where to answer; empty: no address that others can reach

	Over    bool          // nothing waits any more: take the note away, or say so
	Waiting int           // how many asks it is about; 0 when it is over
	Asks    []*hub.Ticket // those, or those it was about; a test has none
	Until   time.Time     // of no use afterwards; zero: never
	Test    bool          // somebody wants to see whether it arrives
}

// Button is something to press at a note. It has either Data, which goes back to the
// desk as it is, or a URL to open.
type Button struct {
	Label  string
	Data   string // at most 32 bytes of letters, digits, '.', '-' and '_'
	URL    string
	Danger bool
	Answer bool // it answers an option
}

// Desk takes what people do at a channel. The account in its methods is what the
// channel knows for sure about who did it, such as the user id at the service: never a
// name, and never anything that the person's device can choose.
//
// All methods may be called again with the same arguments: doing something twice has
// no second effect. An error means that nobody knows whether it was done, and that the
// channel has to come again, also after a restart.
type Desk interface {
	// Place returns what Keep kept last, or "".
	Place(ctx context.Context) (string, error)

	// Keep keeps the channel's place: what has been taken, and need not come again.
	Keep(ctx context.Context, place string) error

	// Link makes the account a contact of whoever made the code. A code that does not
	// hold is a refusal in the reply.
	Link(ctx context.Context, code string, c *Contact) (*Reply, error)

	// Press does what a button says.
	Press(ctx context.Context, account, data string) (*Reply, error)

	// Say takes a text as the answer to what to names. Where it names nothing, the
	// text is for the one ask that waits at the account; if there are several, or
	// none, the reply says so.
	Say(ctx context.Context, account string, to Place, text string) (*Reply, error)

	// Prompted says that the channel has asked for own words, and where it did.
	Prompted(ctx context.Context, account, token, where string) error
}

// Place names a note to [Desk].Say: by its token, or by where it is shown or own words
// were asked for.
type Place struct{ Token, Where string }

// Reply is what a channel tells a person who did something there.
type Reply struct {
	Text   string // one or two sentences
	Done   bool   // what the person wanted is done; otherwise Text says why not
	Stored bool   // an answer is stored, or was
	Words  *Words // the person is to be asked for own words
}

// Words says what own words are wanted for.
type Words struct {
	Token string
	Title string // of the ask, one line
	Text  string // the question, with all that [Note].Text has
	Deny  bool   // they deny an approval, and the agent is told them
}

// ErrGone says that a contact cannot be reached any more: the subscription has ended,
// the person has blocked the bot. The contact is switched off.
var ErrGone = errors.New("notify: the contact is gone")

// RetryError says that a note was certainly not shown: the service refused it, or could
// not be reached. It also says when to try again, or that it is of no use.
type RetryError struct {
	After time.Duration // the service says so; zero: the usual pause
	Never bool          // this note will never be taken; others may be
	Err   error
}

func (e *RetryError) Error() string { return e.Err.Error() }

func (e *RetryError) Unwrap() error { return e.Err }
