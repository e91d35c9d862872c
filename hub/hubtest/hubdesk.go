package hubtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// knowing lets a hub know some people.
func knowing(o *hub.Options) {
	o.People = func(context.Context, string) ([]string, error) { return []string{"alice", "bob", "carol"}, nil }
}

// testDelegate hands an ask from one inbox to another person, at another hub: it is
// listed, watched and followed there, also by who was away, and by nobody else.
func (s *suite) testDelegate(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store, knowing), s.open(t, s.peer(t, store), knowing)
	alice, bob, carol := show(t, other.Inbox(tenant, person("alice"))), show(t, other.Inbox(tenant, person("bob"))), show(t, other.Inbox(tenant, person("carol")))
	away := newReader(other, hub.Filter{Person: "bob"})
	away.until(t, "ready", func() bool { return away.id != "" })
	away.Close()
	present := newReader(h, hub.Filter{Person: "bob"})
	present.until(t, "ready", func() bool { return present.id != "" })
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("hard", "alice")))
	must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("another", "alice")))
	eventually(t, "alice sees both", func() bool { return slices.Equal(alice.open(), []string{"another", "hard"}) })

	passed := must[*hub.Ticket](t)(h.Delegate(ctx, ticket, "bob", "you know\x1b[31m this", person("alice")))
	if len(passed.Passed) != 1 || passed.Passed[0].From != "alice" || passed.Passed[0].To != "bob" || strings.Contains(passed.Passed[0].Comment, "\x1b") {
		t.Fatalf("the ticket says %+v", passed.Passed)
	}
	again := must[*hub.Ticket](t)(h.Delegate(ctx, passed, "bob", "you know\x1b[31m this", person("alice")))
	if !again.Replayed || len(again.Passed) != 1 {
		t.Errorf("the same again: %+v", again.Passed)
	}
	eventually(t, "bob sees it", func() bool { return slices.Equal(bob.open(), []string{"hard"}) })
	present.until(t, "bob follows it", func() bool { return present.open[ticket.Address] != nil })
	away.resets = 0
	away.join(t, other)
	away.until(t, "bob hears of it when he is back", func() bool { return away.open[ticket.Address] != nil })
	if away.resets > 0 {
		t.Error("coming back was a reset")
	}
	fresh := newReader(other, hub.Filter{Person: "bob"})
	fresh.until(t, "ready", func() bool { return fresh.id != "" })
	if len(fresh.open) != 1 || fresh.open[ticket.Address] == nil {
		t.Errorf("a new reader is told %q", fresh.told)
	}
	for _, in := range []*hub.Hub{h, other} {
		for who, want := range map[string]int{"alice": 2, "bob": 1, "carol": 0} {
			if got := listed(t, in, who); len(got) != want {
				t.Errorf("%s lists %q", who, got)
			}
		}
	}
	if got := carol.open(); len(got) > 0 {
		t.Errorf("carol sees %q", got)
	}
	_, err := other.Close(ctx, passed, says("carol", "o1"), nil)
	wantErr(t, err, hub.ErrNotAllowed)
	wantErr(t, other.SaveDraft(ctx, ticket.Address, "carol", &hub.Draft{}), hub.ErrNotAllowed)
	wantErr(t, other.Snooze(ctx, ticket, "carol", &hub.Snooze{Back: true}), hub.ErrNotAllowed)

	must[*hub.Ticket](t)(other.Close(ctx, passed, says("bob", "o2"), nil))
	got := must[*hub.Ticket](t)(h.Wait(ctx, ticket.Address))
	if got.Outcome.By.ID != "bob" || len(got.Passed) != 1 {
		t.Errorf("the outcome is by %+v, passed %+v", got.Outcome.By, got.Passed)
	}
	eventually(t, "bob is told that it is closed", func() bool { return len(bob.open()) == 0 })
	eventually(t, "alice is told who answered", func() bool { return alice.told("hard") == choice(says("bob", "o2")) })
	for _, r := range []*reader{present, away, fresh} {
		r.until(t, "bob is told that it is closed", func() bool { return r.open[ticket.Address] == nil })
	}
	if got := listed(t, other, "bob"); len(got) > 0 {
		t.Errorf("bob still lists %q", got)
	}
}

// listed lists what waits for somebody, one at a time.
func listed(t *testing.T, h *hub.Hub, who string) []string {
	t.Helper()
	var ids []string
	for f := (hub.Filter{Person: who, Limit: 1}); ; {
		page := must[*hub.Tickets](t)(h.List(within(t), tenant, &f))
		if len(page.Tickets) > 1 {
			t.Errorf("a page of one has %d", len(page.Tickets))
		}
		for _, one := range page.Tickets {
			ids = append(ids, one.Address.ID)
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return ids
		}
	}
}

// testDelegateChain hands an ask on and back.
func (s *suite) testDelegateChain(t *testing.T) {
	h, ctx := s.open(t, s.new(t), knowing), within(t)
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("hard", "alice")))
	for _, step := range [][2]string{{"alice", "bob"}, {"bob", "carol"}, {"carol", "alice"}} {
		ticket = must[*hub.Ticket](t)(h.Delegate(ctx, ticket, step[1], "", person(step[0])))
	}
	for who, waits := range map[string]bool{"alice": true, "bob": false, "carol": false} {
		if !ticket.MayAnswer(who) || (ticket.DelegatedBy(who) == nil) != waits {
			t.Errorf("%s may answer: %v; delegated: %+v", who, ticket.MayAnswer(who), ticket.DelegatedBy(who))
		}
		if got := listed(t, h, who); len(got) != 1 {
			t.Errorf("%s lists %q", who, got)
		}
	}
	if to := ticket.DelegatedTo("alice"); to == nil || to.From != "carol" {
		t.Errorf("alice has it from %+v", to)
	}
	must[*hub.Ticket](t)(h.Close(ctx, ticket, says("bob", "o1"), nil)) // who delegated it may still answer
}

func (s *suite) testDelegateRefuses(t *testing.T) {
	h, ctx := s.open(t, s.new(t), knowing), within(t)
	ask := newAsk("a", "alice")
	ask.MinAssurance = sayso.AssuranceLogin
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, ask))
	sure := person("alice")
	sure.Assurance = sayso.AssuranceLogin
	refused := func(what string, err error, words string) {
		t.Helper()
		var bad *sayso.InvalidError
		if !errors.As(err, &bad) || !errors.Is(err, hub.ErrDelegate) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := h.Delegate(ctx, ticket, "bbo", "", sure)
	refused("a slip", err, "did you mean bob?")
	_, err = h.Delegate(ctx, ticket, "Zoe", "", sure)
	refused("a stranger", err, `"Zoe"`)
	_, err = h.Delegate(ctx, ticket, "alice", "", sure)
	refused("oneself", err, "another person")
	_, err = h.Delegate(ctx, ticket, "bob", "", person("alice"))
	wantErr(t, err, hub.ErrAssurance)
	_, err = h.Delegate(ctx, ticket, "carol", "", person("bob"))
	wantErr(t, err, hub.ErrNotAllowed)
	_, err = s.open(t, s.new(t)).Delegate(ctx, ticket, "bob", "", sure)
	refused("where nobody is known", err, `"bob"`)

	ticket = must[*hub.Ticket](t)(h.Delegate(ctx, ticket, "bob", "", sure))
	_, err = h.Close(ctx, ticket, says("bob", "o1"), nil)
	wantErr(t, err, hub.ErrAssurance) // the delegate has to be as sure
	o := says("bob", "o1")
	o.By.Assurance = sayso.AssuranceLogin
	must[*hub.Ticket](t)(h.Close(ctx, ticket, o, nil))
	_, err = h.Delegate(ctx, ticket, "carol", "", sure)
	if closed := (*hub.ClosedError)(nil); !errors.As(err, &closed) || closed.Ticket.Outcome.By.ID != "bob" {
		t.Errorf("what is closed: %v", err)
	}
}

// testSnooze puts asks off until a time, and until the person is back.
func (s *suite) testSnooze(t *testing.T) {
	store, ctx := s.new(t), within(t)
	var c clock
	h, other := s.open(t, store, c.use, knowing), s.open(t, s.peer(t, store), c.use, knowing)
	one := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("one")))
	two := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("two")))
	late := newAsk("late")
	late.Deadline = c.now().Add(time.Hour)
	three := must[*hub.Ticket](t)(h.Submit(ctx, tenant, late))
	has := func(h *hub.Hub, who string, want ...hub.Address) bool {
		all := must[map[hub.Address]hub.Snooze](t)(h.Snoozed(ctx, tenant, who))
		for _, addr := range want {
			if _, ok := all[addr]; !ok {
				return false
			}
		}
		return len(all) == len(want)
	}
	off := func(tk *hub.Ticket, z *hub.Snooze) {
		t.Helper()
		if err := h.Snooze(ctx, tk, "alice", z); err != nil {
			t.Fatal(err)
		}
	}
	off(one, &hub.Snooze{Until: c.now().Add(2 * time.Hour)})
	off(two, &hub.Snooze{Back: true})
	off(three, &hub.Snooze{Back: true})
	if !has(h, "alice", one.Address, two.Address, three.Address) {
		t.Error("the hub that stored it does not know it")
	}
	eventually(t, "the other hub knows it", func() bool { return has(other, "alice", one.Address, two.Address, three.Address) })
	if !has(h, "bob") || !has(h, "") {
		t.Error("others are affected")
	}
	told := newReader(other, hub.Filter{Person: "alice"})
	told.until(t, "ready", func() bool { return told.id != "" })
	told.again = true
	expect := func(what string, addr hub.Address) {
		t.Helper()
		delete(told.last, addr)
		told.until(t, what, func() bool { return told.last[addr] > 0 })
	}

	c.add(20 * time.Minute)
	if err := other.Active(ctx, tenant, "alice"); err != nil || !has(other, "alice", one.Address, two.Address, three.Address) {
		t.Errorf("alice is back after 20 minutes: %v", err)
	}
	c.add(29 * time.Minute)
	if err := other.Active(ctx, tenant, "alice"); err != nil {
		t.Fatal(err)
	}
	c.add(2 * time.Minute) // 10 minutes before its deadline, and no longer
	if !has(h, "alice", one.Address, two.Address) {
		t.Error("a deadline does not end it")
	}
	c.add(29 * time.Minute)
	if err := h.Active(ctx, tenant, "alice"); err != nil || !has(h, "alice", one.Address) {
		t.Errorf("alice is back, and nothing ends: %v", err)
	}
	expect("the surface is told when alice is back", two.Address)
	eventually(t, "the other hub knows that she is", func() bool { return has(other, "alice", one.Address) })
	c.add(time.Hour)
	expect("the surface is told when the time has come", one.Address)
	if !has(h, "alice") || !has(other, "alice") {
		t.Error("its time has come")
	}

	off(one, &hub.Snooze{Back: true})
	eventually(t, "the other hub knows it", func() bool { return has(other, "alice", one.Address) })
	off(one, nil)
	if !has(h, "alice") {
		t.Error("ended by hand")
	}
	err := h.Snooze(ctx, one, "alice", &hub.Snooze{Until: c.now().Add(-time.Minute)})
	wantErr(t, err, hub.ErrSnooze)
	off(one, &hub.Snooze{Back: true})
	must[*hub.Ticket](t)(h.Delegate(ctx, one, "alice", "", person("bob")))
	if !has(h, "alice") {
		t.Error("it was delegated to alice, and is still put off")
	}
	must[*hub.Ticket](t)(h.Close(ctx, one, withdrawn(), nil))
	if closed := (*hub.ClosedError)(nil); !errors.As(h.Snooze(ctx, one, "alice", &hub.Snooze{Back: true}), &closed) {
		t.Error("what is closed is put off")
	}
}
