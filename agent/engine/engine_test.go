package engine_test

import (
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/hub"
)

// What was kept in a folder is there when it is opened again, by one process at a
// time.
func TestStartAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := engine.Start(t.Context(), dir, &engine.Options{MaxStore: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var locked *natsserver.LockedError
	if _, err := engine.Start(t.Context(), dir, nil); !errors.As(err, &locked) {
		t.Errorf("a folder that is in use: %v", err)
	}
	if _, err := e.Journal.Append(t.Context(), "c1", journal.Record{Status: "idle"}, 0); err != nil {
		t.Fatal(err)
	}
	a := &sayso.Ask{ID: "ask_1", Origin: sayso.Origin{Conversation: "c1"}, Questions: []sayso.Question{{Text: "Which?"}}}
	a.Normalize()
	if _, err := e.Hub.Submit(t.Context(), e.Tenant, a); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e, err = engine.Start(t.Context(), dir, &engine.Options{MaxStore: 64 << 20}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if l, err := e.Journal.Read(t.Context(), "c1"); err != nil || l.Records[0].Status != "idle" {
		t.Errorf("%v, %v", l, err)
	}
	if ticket, err := e.Hub.Get(t.Context(), hub.AddressOf(e.Tenant, a)); err != nil || !ticket.Open() {
		t.Errorf("%v, %v", ticket, err)
	}
}
