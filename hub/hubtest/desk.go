package hubtest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Team is one tenant of a hub as a program and three people see it, who know each
// other.
type Team struct {
	Asker         hub.Asker
	Ann, Bea, Cat hub.Desk
}

// RunDesk holds what people do at a [hub.Desk] beside answering to its contract. fresh
// returns the sides of a hub that holds nothing yet. The ids are "robot", "ann", "bea"
// and "cat".
func RunDesk(t *testing.T, fresh func(t *testing.T) Team) {
	for _, c := range []struct {
		name string
		fn   func(*testing.T, Team)
	}{
		{"delegate", deskDelegates},
		{"delegate refuses", deskDelegateRefuses},
		{"ask again", deskAsksAgain},
		{"ask again refuses", deskAgainRefuses},
		{"snooze", deskSnoozes},
		{"preferences", deskPrefers},
		{"decline", deskDeclines},
	} {
		t.Run(c.name, func(t *testing.T) { c.fn(t, fresh(t)) })
	}
}

func opens(sf *surface, want ...string) func() bool {
	return func() bool { return slices.Equal(sf.open(), want) }
}

func deskDelegates(t *testing.T, team Team) {
	ctx := within(t)
	ann, bea, cat := show(t, team.Ann), show(t, team.Bea), show(t, team.Cat)
	if got := must[[]string](t)(team.Ann.People(ctx)); !slices.Equal(got, []string{"bea", "cat"}) {
		t.Errorf("ann can delegate to %q", got)
	}
	asked := must[*hub.Ticket](t)(team.Asker.Submit(ctx, newAsk("hard", "ann")))
	eventually(t, "ann sees it", opens(ann, "hard"))
	ticket := only(t, team.Ann)
	passed := must[*hub.Ticket](t)(team.Ann.Delegate(ctx, ticket, "bea", "you know this"))
	if d := passed.DelegatedTo("bea"); d == nil || d.From != "ann" || d.Comment != "you know this" || passed.DelegatedBy("ann") == nil {
		t.Errorf("it is passed as %+v", passed.Passed)
	}
	eventually(t, "bea sees it", opens(bea, "hard"))
	ticket = only(t, team.Bea)
	if d := ticket.DelegatedTo("bea"); d == nil || d.Comment != "you know this" {
		t.Errorf("bea is told %+v", ticket.Passed)
	}
	if page := must[*hub.Tickets](t)(team.Cat.List(ctx, nil)); len(page.Tickets) > 0 || len(cat.open()) > 0 {
		t.Errorf("cat sees %+v", page.Tickets)
	}
	if _, err := team.Cat.Delegate(ctx, ticket, "ann", ""); !errors.Is(err, hub.ErrNotFound) && !errors.Is(err, hub.ErrNotAllowed) {
		t.Errorf("cat delegates it: %v", err)
	}
	if got := must[*hub.Ticket](t)(team.Asker.Get(ctx, asked.Handle)); len(got.Passed) > 0 {
		t.Errorf("the asker sees %+v", got.Passed)
	}
	found := must[*hub.Found](t)(team.Ann.Search(ctx, &hub.Search{View: hub.ViewLater}))
	if len(found.Items) != 1 || found.Waiting != 0 {
		t.Errorf("ann finds %d later, and %d wait", len(found.Items), found.Waiting)
	}
	found = must[*hub.Found](t)(team.Bea.Search(ctx, nil))
	if len(found.Items) != 1 || found.Waiting != 1 {
		t.Errorf("bea finds %d, and %d wait", len(found.Items), found.Waiting)
	}
	must[*hub.Ticket](t)(team.Bea.Close(ctx, ticket, says("", "o2")))
	got := must[*hub.Ticket](t)(team.Asker.Wait(ctx, asked.Handle))
	if got.Outcome.By.ID != "bea" || choice(got.Outcome) != choice(says("bea", "o2")) {
		t.Errorf("the asker gets %s by %+v", choice(got.Outcome), got.Outcome.By)
	}
	eventually(t, "nobody has it open", func() bool { return len(ann.open())+len(bea.open()) == 0 })
}

// only returns the one ticket that waits.
func only(t *testing.T, in hub.Desk) *hub.Ticket {
	t.Helper()
	page := must[*hub.Tickets](t)(in.List(within(t), nil))
	if len(page.Tickets) != 1 {
		t.Fatalf("%d tickets wait, want one", len(page.Tickets))
	}
	return page.Tickets[0]
}

func deskDelegateRefuses(t *testing.T, team Team) {
	ctx := within(t)
	must[*hub.Ticket](t)(team.Asker.Submit(ctx, newAsk("hard", "ann")))
	ticket := only(t, team.Ann)
	for to, words := range map[string]string{"Bae": "did you mean bea?", "zoe": `"zoe"`, "ann": "another person"} {
		_, err := team.Ann.Delegate(ctx, ticket, to, "")
		if bad := (*sayso.InvalidError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), words) {
			t.Errorf("to %s: %v", to, err)
		}
	}
	must[*hub.Ticket](t)(team.Ann.Close(ctx, ticket, says("", "o1")))
	if _, err := team.Ann.Delegate(ctx, ticket, "bea", ""); !errors.As(err, new(*hub.ClosedError)) {
		t.Errorf("what is closed: %v", err)
	}
}

func deskSnoozes(t *testing.T, team Team) {
	ctx := within(t)
	must[*hub.Ticket](t)(team.Asker.Submit(ctx, newAsk("later")))
	ticket := only(t, team.Ann)
	views := func(in hub.Desk, open, later int) func() bool {
		return func() bool {
			now := must[*hub.Found](t)(in.Search(ctx, nil))
			off := must[*hub.Found](t)(in.Search(ctx, &hub.Search{View: hub.ViewLater}))
			return len(now.Items) == open && now.Waiting == open && len(off.Items) == later && (later == 0 || off.Items[0].Snoozed != nil)
		}
	}
	off := func(s *hub.Snooze) {
		t.Helper()
		if err := team.Ann.Snooze(ctx, ticket, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*hub.Snooze{{Until: time.Now().Add(time.Hour)}, {Back: true}} {
		off(s)
		if !views(team.Ann, 0, 1)() || !views(team.Bea, 1, 0)() {
			t.Errorf("put off: %+v", s)
		}
		off(nil)
		if !views(team.Ann, 1, 0)() {
			t.Error("ended by hand")
		}
	}
	off(&hub.Snooze{Until: time.Now().Add(300 * time.Millisecond)})
	eventually(t, "the time has come", views(team.Ann, 1, 0))
	err := team.Ann.Snooze(ctx, ticket, &hub.Snooze{Until: time.Now().Add(-time.Minute)})
	if bad := (*sayso.InvalidError)(nil); !errors.As(err, &bad) {
		t.Errorf("until a minute ago: %v", err)
	}
}

func deskPrefers(t *testing.T, team Team) {
	ctx := within(t)
	ten, many := 10, 31
	if err := team.Ann.SetPreferences(ctx, &hub.Preferences{Grace: &ten, Language: "de", Zone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	if p := must[*hub.Preferences](t)(team.Ann.Preferences(ctx)); p.Grace == nil || *p.Grace != 10 || p.Language != "de" || p.Zone != "Europe/Berlin" {
		t.Errorf("ann has %+v", p)
	}
	if p := must[*hub.Preferences](t)(team.Bea.Preferences(ctx)); *p != (hub.Preferences{}) {
		t.Errorf("bea has %+v", p)
	}
	err := team.Ann.SetPreferences(ctx, &hub.Preferences{Grace: &many})
	if bad := (*sayso.InvalidError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), "grace") {
		t.Errorf("31 seconds: %v", err)
	}
}

func deskDeclines(t *testing.T, team Team) {
	ctx := within(t)
	asked := must[*hub.Ticket](t)(team.Asker.Submit(ctx, newAsk("one")))
	must[*hub.Ticket](t)(team.Bea.Close(ctx, only(t, team.Bea), &sayso.Outcome{Status: sayso.StatusDeclined, Reason: "after the release"}))
	if got := must[*hub.Ticket](t)(team.Asker.Wait(ctx, asked.Handle)); got.Outcome.Status != sayso.StatusDeclined || got.Outcome.Reason != "after the release" {
		t.Errorf("the asker gets %+v", got.Outcome)
	}
}
