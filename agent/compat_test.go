package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/hub"
)

// oldLog is the log of a conversation as versions before the one that merges records
// wrote it: a model's reply with a tool, an ask and another tool, the answer, and
// the end.
func oldLog(t *testing.T) []journal.Record {
	data, err := os.ReadFile("testdata/journal/layout1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []journal.Record
	for line := range bytes.Lines(data) {
		var r journal.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// A host goes on with what an earlier version has left, after whichever record it
// died: the question is asked once, and no tool has its effect twice.
func TestOldJournal(t *testing.T) {
	t.Parallel()
	log := oldLog(t)
	const put, rested, owned, heard, claimed, wrote = 4, 5, 6, 7, 8, 9 // how many records there are when it has happened
	for n := 1; n <= len(log); n++ {
		for _, taken := range []bool{false, true} {
			if taken && n != put && n != owned {
				continue // only there the hub may be a step ahead of the log, or not
			}
			t.Run(fmt.Sprintf("%d %t", n, taken), func(t *testing.T) {
				t.Parallel()
				replies := []modeltest.Reply{
					uses(use("read", text("r1")), use("ask_user", questions("Which database?", "PostgreSQL", "SQLite")), use("write", text("w1"))),
					modeltest.Say("done"),
				}
				w := newClosedWorld(t, wires[0], modeltest.Steps(replies[min(n, 2)-1:]...))
				w.opts.Tools[0].Repeat = true
				w.fill(log[:n])
				if n > put || n == put && taken {
					w.ticket(log[put-1], n >= owned, n > owned || n == owned && taken)
				}
				w.open()
				if n < owned {
					c := w.rest("c1", "awaiting_user_response")
					w.answer(c.Asks()[0], chose("o1"))
					w.closed("c1", 1)
				}
				got := tell(w.rest("c1", "idle"))
				told := `#3 write did {"text":"w1"}`
				if n == claimed {
					told = "#3 error The call was interrupted"
				}
				for _, want := range []string{`#1 read did {"text":"r1"}`, `#2 {"answers":{"Which database?":"PostgreSQL"}}`, told, "model: done"} {
					if strings.Count(got, want) != 1 {
						t.Errorf("%q is not there once:\n%s", want, got)
					}
				}
				page, err := w.hub.List(t.Context(), "home", &hub.Filter{Status: hub.AnyStatus})
				if err != nil || n < wrote && len(page.Tickets) != 1 {
					t.Errorf("%d asks, %v", len(page.Tickets), err)
				}
				if ran := strings.Join(w.ran, ", "); strings.Contains(ran, "write") != (n < claimed) {
					t.Errorf("ran: %s", ran)
				}
			})
		}
	}
}

// fill writes the log of a conversation.
func (w *world) fill(log []journal.Record) {
	var last uint64
	for _, r := range log {
		var err error
		if last, err = w.journal.Append(w.t.Context(), "c1", r, last); err != nil {
			w.t.Fatal(err)
		}
	}
}

// ticket puts the ask that a record waits for.
func (w *world) ticket(r journal.Record, answered, taken bool) {
	s, err := conversation.UnmarshalState(r.State)
	if err != nil {
		w.t.Fatal(err)
	}
	a := (&agent.Conversation{State: s}).Asks()[0]
	asks := w.hub.Asker("home", sayso.Responder{})
	t, err := asks.Submit(w.t.Context(), a)
	if err != nil {
		w.t.Fatal(err)
	}
	if answered {
		w.answer(a, chose("o1"))
	}
	if taken {
		if _, err := asks.Consume(w.t.Context(), t.Handle); err != nil {
			w.t.Fatal(err)
		}
	}
}
