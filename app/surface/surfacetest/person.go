package surfacetest

import (
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Person is somebody at a surface, as the functions by which they use it. A function
// that is nil is something that the surface does not have; cases that need it are
// left out. Of a protocol, the person is the program at the other end that shows
// what it is sent and nothing more.
type Person struct {
	// Show brings the ask before the person. Must be set.
	Show func(*hub.Ticket)

	// Sees returns what is to be seen at this moment, as plain text; empty: the
	// surface does not show the ask. Must be set.
	Sees func() string

	// SeesAll returns everything that can be seen of the ask: it scrolls, opens and
	// highlights as a person would, and ends where an answer can be given. Must be
	// set.
	SeesAll func() string

	// Says returns the last message of the surface to the person, if there is one:
	// why something was refused, what became of it. Must be set.
	Says func() string

	// Choose chooses an option of the question. Must be set.
	Choose func(question int, option string)

	// Type gives a text as the answer to the question, in the place where a person
	// would put it.
	Type func(question int, text string)

	// TypeList gives several texts as the answer to the question, where the surface
	// takes a list.
	TypeList func(question int, texts []string)

	// Send sends what was chosen and typed. A surface that sends by itself, when
	// the last question is answered, does nothing here. Must be set.
	Send func()

	// Confirm is the second action that a dangerous option takes. Must be set.
	Confirm func()

	// Decline tells the asker that the person does not answer.
	Decline func()

	// Interrupt ends the surface the hard way: ctrl+c, a closed tab, a lost
	// connection.
	Interrupt func()

	// Reopen leaves without sending and comes back to the ask.
	Reopen func(*hub.Ticket)

	// Away leaves an ask that is still open, so that another can be shown.
	Away func()

	// Undo takes the answer back and returns to the question.
	Undo func(*hub.Ticket)

	// Ahead is what was typed before the question appeared. It is called before
	// Show.
	Ahead func(keys string)

	// List returns the list of what waits, as plain text.
	List func() string

	// Resize gives the surface another width and height, in columns and rows.
	Resize func(columns, rows int)

	// Numbers says that the surface numbers the options and takes their numbers.
	Numbers bool

	// Joined says that a text may name several options with commas between them.
	Joined bool

	// Paged says that not all of a long ask is to be seen at once: the person has
	// to scroll or open something.
	Paged bool

	// Lines says that own words are a single line.
	Lines bool

	// Silent says that the surface cannot speak first: what happened elsewhere it
	// says when the person sends something.
	Silent bool

	// Limit is the most runes of an ask that the surface shows; zero: there is none.
	// What is longer it leaves to others.
	Limit int

	// Field is the most runes that fit into the field for own words; zero: there is no
	// limit.
	Field int

	// Refers says that the surface never takes a dangerous option. It says where to
	// choose one.
	Refers bool

	// Single says that the surface leaves questions that take several options to others.
	Single bool

	// Prints says that Show puts everything before the person, however long it is: there
	// is nothing to open.
	Prints bool

	// Assurance is how sure the surface is of who answers.
	Assurance sayso.Assurance

	// Columns is the width below which no line may go; zero: it has none.
	Columns int

	approvals Approvals // of the row in [Surfaces]
}

// flat is a text without what a surface may add or change to fit it in: spaces, line
// ends, and the bars that mark the asker's lines.
func flat(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\n', '\r', '\t', '\u00a0', '|', '▎', '│', '▸':
			return -1
		}
		return r
	}, s)
}

// sees reports whether the text is on the screen, however it is wrapped.
func sees(screen, text string) bool { return strings.Contains(flat(screen), flat(text)) }
