package tui

import (
	"testing"
	"time"
)

// What is pasted is looked for as if it had been typed: among open and closed asks.
func TestInboxSearchesWhatIsPasted(t *testing.T) {
	atDesk(t, func(r *room) {
		r.answered(databases(), "o2")
		r.slowly("/")
		r.pastes("sqlite\n")
		r.wait(time.Second)
		r.mustSee("/ sqlite", "Which database should the", "All 1")
		r.mustNotSee("old logs")
	}, databases(), keep())
}
