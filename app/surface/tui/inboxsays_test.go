package tui

import (
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// What a key came to and what is held are two things on the last line, and undo belongs
// to what is held.
func TestInboxBarTellsNoticeFromHeld(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "2", "esc", "e", "1")
		r.mustSee("later: ", "· ✓ Database: SQLite · Sends in")
		r.wait(6 * time.Second)
		r.slowly("v", "2", "e")
		r.mustSee("It waits for you again.")
		r.mustNotSee("again. · u undo")
	}, databases(), aged(keep(), time.Minute))
}

// A view says what is in it, and what its keys do there.
func TestInboxViewsSayWhatTheyHave(t *testing.T) {
	other := aged(keep(), time.Minute)
	other.Origin.Agents = []string{"packer"}
	atDesk(t, func(r *room) {
		r.mustSee("Waiting for you 2")
		r.box.lookFor(hub.Search{Agent: "packer"})
		r.program.Send(searchMsg{r.box})
		r.wait(time.Second)
		r.mustSee("Waiting for you 1 · Agent: packer")
		r.slowly("esc", "v", "2")
		r.mustSee("Later 0", "Nothing here")
		r.slowly("esc", "e", "1", "v", "2")
		r.mustSee("Later 1", "e show now")
	}, databases(), other)
}

// What this terminal holds was not given in another one.
func TestInboxKnowsItsOwnAnswer(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("v", "4", "x")
		r.types("Not now.")
		r.slowly("enter")
		r.mustSee("Declined in the terminal by ann")
		r.mustNotSee("another terminal")
		r.wait(6 * time.Second)
		r.mustSee("o ask again")
		r.mustNotSee("a amend") // there is no answer
	}, databases())
}

// A number answers, although an earlier draft has another option.
func TestInboxNumberOverDraft(t *testing.T) {
	atDesk(t, func(r *room) {
		d := &hub.Draft{Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}}
		if err := r.hub.Inbox("t", ann).SaveDraft(t.Context(), r.ticket(databases()), d); err != nil {
			t.Fatal(err)
		}
		r.slowly("enter")
		r.mustSee("1 ● PostgreSQL")
		r.slowly("2")
		r.mustSee("✓ Database: SQLite · Sends in")
	}, databases())
}
