package hubtest

import (
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// inWorkspace is an ask with one question and two options.
func inWorkspace(id, workspace, text string, to ...string) *sayso.Ask {
	a := &sayso.Ask{
		ID: id, To: to, Origin: sayso.Origin{Conversation: "before", Workspace: workspace},
		Questions: []sayso.Question{{Text: text, Options: []sayso.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite"}}}},
	}
	a.Normalize()
	return a
}

// testPrecedents asks what was answered before, and leaves it open.
func (s *suite) testPrecedents(t *testing.T) {
	ctx := within(t)
	h := s.open(t, s.new(t))
	in := h.Inbox(tenant, person("ann")).(hub.Desk)
	submit := func(a *sayso.Ask) *hub.Ticket { return must[*hub.Ticket](t)(h.Submit(ctx, tenant, a)) }
	first := submit(inWorkspace("first", "shop", "Which database should the service use?"))
	if found := must[[]hub.Precedent](t)(in.Precedents(ctx, first)); len(found) > 0 {
		t.Errorf("before anything was answered: %+v", found)
	}
	must[*hub.Ticket](t)(in.Close(ctx, first, says("ann", "lite")))
	hidden := submit(inWorkspace("hidden", "shop", "Which database should the service use?", "bob"))
	must[*hub.Ticket](t)(h.Close(ctx, hidden, says("bob", "pg"), nil))

	again := submit(inWorkspace("again", "shop", "What database do you want for this service?"))
	found := must[[]hub.Precedent](t)(in.Precedents(ctx, again))
	if len(found) != 1 || found[0].Ticket.Address != first.Address || found[0].Same || len(found[0].Answers) != 1 || found[0].Answers[0].Selected[0] != "lite" {
		t.Errorf("in other words: %+v", found)
	}
	now := must[*hub.Ticket](t)(h.Get(ctx, again.Address))
	if !now.Open() || now.Held != nil || now.Revision != again.Revision {
		t.Errorf("an earlier answer was reused by itself: %+v", now)
	}
}

func askerDecisions(t *testing.T, p Party) {
	ctx := within(t)
	recall, ok := p.Asker.(hub.Recaller)
	if !ok {
		t.Fatalf("%T knows no decisions", p.Asker)
	}
	look := func(d hub.Decisions) []*hub.Ticket { return must[[]*hub.Ticket](t)(recall.Decisions(ctx, &d)) }
	for id, workspace := range map[string]string{"here": "shop", "elsewhere": "billing"} {
		ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, inWorkspace(id, workspace, "Which database should the service use?")))
		must[*hub.Ticket](t)(p.Person.Close(ctx, ticket, says("ann", "lite")))
	}
	must[*hub.Ticket](t)(p.Asker.Submit(ctx, inWorkspace("open", "shop", "Which database should the other service use?")))
	for _, text := range []string{"", "database", "which database for the service"} {
		if found := look(hub.Decisions{Workspace: "shop", Text: text}); len(found) != 1 || found[0].Ask.ID != "here" || found[0].Outcome == nil || found[0].Handle == "" {
			t.Errorf("%q: %+v", text, found)
		}
	}
	if found := look(hub.Decisions{Workspace: "shop", Text: "colors of the button"}); len(found) > 0 {
		t.Errorf("about something else: %+v", found[0].Ask)
	}
	if found := look(hub.Decisions{Workspace: "nowhere", Text: "database"}); len(found) > 0 {
		t.Errorf("in another workspace: %+v", found[0].Ask)
	}
	if found, err := recall.Decisions(ctx, &hub.Decisions{Text: "database"}); err == nil {
		t.Errorf("in no workspace: %+v", found)
	} else if errors.Is(err, sayso.ErrUnreachable) {
		t.Errorf("no workspace: %v", err)
	}
}

func personPrecedents(t *testing.T, p Party) {
	ctx := within(t)
	desk := p.Person.(hub.Desk)
	first := must[*hub.Ticket](t)(p.Asker.Submit(ctx, inWorkspace("first", "shop", "Which database should the service use?")))
	must[*hub.Ticket](t)(p.Person.Close(ctx, first, says("ann", "pg")))
	again := must[*hub.Ticket](t)(p.Asker.Submit(ctx, inWorkspace("again", "shop", "Which database should the service use?")))
	found := must[[]hub.Precedent](t)(desk.Precedents(ctx, again))
	if len(found) != 1 || !found[0].Same || found[0].Score != 1 || found[0].Ticket.Outcome == nil || len(found[0].Answers) != 1 || found[0].Answers[0].Selected[0] != "pg" {
		t.Errorf("%+v", found)
	}
	if now := must[*hub.Ticket](t)(p.Asker.Get(ctx, again.Handle)); !now.Open() {
		t.Errorf("an earlier answer was reused by itself: %+v", now.Outcome)
	}
}
