package hubtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Party is one tenant of a hub as the two sides see it: a program that asks, and
// the person who answers.
type Party struct {
	Asker  hub.Asker
	Person hub.Inbox
}

// RunAsker holds a [hub.Asker], together with the [hub.Inbox] of the same hub, to
// its contract. fresh returns the two sides of a hub that holds nothing yet; the
// asker's id is "robot".
func RunAsker(t *testing.T, fresh func(t *testing.T) Party) {
	for _, c := range []struct {
		name string
		fn   func(*testing.T, Party)
	}{
		{"submit and get", askerSubmits},
		{"wait and consume", askerWaits},
		{"withdraw", askerWithdraws},
		{"relay", askerRelays},
		{"relay is not a person's word", askerRelayIsBounded},
		{"list and watch", askerWatches},
		{"await", askerAwaits},
		{"await loses a race", askerLoses},
		{"the same questions", askerAsksTheSame},
		{"late", askerIsLate},
		{"hold", askerSeesNothingHeld},
		{"amend", askerIsToldOfChanges},
		{"a large approval", askerAsksForMuch},
		{"search", partySearches},
		{"precedents", personPrecedents},
		{"decisions", askerDecisions},
	} {
		t.Run(c.name, func(t *testing.T) { c.fn(t, fresh(t)) })
	}
}

func askerSubmits(t *testing.T, p Party) {
	ctx := within(t)
	a := newAsk("one")
	a.Origin.Asker, a.Origin.Via = "somebody else", "forged"
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, a))
	if ticket.Handle == "" || ticket.Ask.Origin.Asker != "robot" || ticket.Ask.Origin.Via == "forged" {
		t.Errorf("handle %q, asker %q via %q", ticket.Handle, ticket.Ask.Origin.Asker, ticket.Ask.Origin.Via)
	}
	if a.Origin.Asker != "somebody else" {
		t.Error("Submit changes the ask of its caller")
	}
	again := must[*hub.Ticket](t)(p.Asker.Submit(ctx, a))
	if !again.Replayed || again.Handle != ticket.Handle {
		t.Errorf("the same ask again: replayed %v, %s", again.Replayed, again.Handle)
	}
	if got := must[*hub.Ticket](t)(p.Asker.Get(ctx, ticket.Handle)); got.Handle != ticket.Handle || got.Ask.ID != "one" {
		t.Errorf("got %+v", got)
	}
	for _, handle := range []string{"", "made up"} {
		if _, err := p.Asker.Get(ctx, handle); !errors.Is(err, hub.ErrNotFound) && !errors.Is(err, hub.ErrHandle) {
			t.Errorf("get %q: %v", handle, err)
		}
	}
	var invalid *sayso.InvalidError
	if _, err := p.Asker.Submit(ctx, &sayso.Ask{ID: "empty"}); !errors.As(err, &invalid) {
		t.Errorf("an ask without questions: %v", err)
	}
}

func askerWaits(t *testing.T, p Party) {
	ctx := within(t)
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("one")))
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := p.Asker.Wait(short, ticket.Handle); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for nothing: %v", err)
	}
	if _, err := p.Asker.Consume(ctx, ticket.Handle); !errors.Is(err, hub.ErrOpen) {
		t.Errorf("consuming what is open: %v", err)
	}
	must[*hub.Ticket](t)(p.Person.Close(ctx, ticket, says("ann", "o2")))
	closed := must[*hub.Ticket](t)(p.Asker.Wait(ctx, ticket.Handle))
	if closed.Handle != ticket.Handle || choice(closed.Outcome) != choice(says("ann", "o2")) || closed.Outcome.By.Kind != sayso.ByPerson {
		t.Errorf("%s by %+v", choice(closed.Outcome), closed.Outcome.By)
	}
	has := must[*hub.Ticket](t)(p.Asker.Consume(ctx, ticket.Handle))
	if has.Consumed.IsZero() || has.Replayed {
		t.Errorf("consumed %v, replayed %v", has.Consumed, has.Replayed)
	}
	if _, err := p.Person.Undo(ctx, has); !errors.Is(err, hub.ErrConsumed) {
		t.Errorf("undoing what was consumed: %v", err)
	}
}

func askerWithdraws(t *testing.T, p Party) {
	ctx := within(t)
	for _, status := range []sayso.Status{sayso.StatusCancelled, sayso.StatusSuperseded} {
		ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk(string(status))))
		closed := must[*hub.Ticket](t)(p.Asker.Withdraw(ctx, ticket.Handle, status, "not needed"))
		if closed.Status() != status || closed.Outcome.By.Kind != sayso.ByAsker || closed.Outcome.Reason != "not needed" {
			t.Errorf("%s: %+v", status, closed.Outcome)
		}
	}
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("declined")))
	if _, err := p.Asker.Withdraw(ctx, ticket.Handle, sayso.StatusDeclined, ""); err == nil {
		t.Error("an asker declines its own ask")
	}
	must[*hub.Ticket](t)(p.Person.Close(ctx, ticket, says("ann", "o1")))
	var closed *hub.ClosedError
	if _, err := p.Asker.Withdraw(ctx, ticket.Handle, sayso.StatusCancelled, ""); !errors.As(err, &closed) || choice(closed.Ticket.Outcome) != choice(says("ann", "o1")) || closed.Ticket.Handle != ticket.Handle {
		t.Errorf("withdrawing what is answered: %v", err)
	}
}

func askerRelays(t *testing.T, p Party) {
	ctx := within(t)
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("one")))
	forged := says("ann", "o1")
	forged.By.Surface, forged.By.Assurance = "editor", sayso.AssurancePasskey
	closed := must[*hub.Ticket](t)(p.Asker.Relay(ctx, ticket, forged))
	by := sayso.Responder{Kind: sayso.ByProgram, ID: "robot", Surface: "editor"}
	if closed.Outcome.By != by || !slices.Equal(closed.Outcome.Answers[0].Selected, []string{"o1"}) {
		t.Errorf("%+v", closed.Outcome)
	}
	if again := must[*hub.Ticket](t)(p.Asker.Relay(ctx, ticket, forged)); !again.Replayed {
		t.Error("the same reply again is another one")
	}
	var lost *hub.ClosedError
	if _, err := p.Person.Close(ctx, ticket, says("ann", "o2")); !errors.As(err, &lost) || lost.Ticket.Outcome.By != by {
		t.Errorf("a person after the program: %v", err)
	}
	other := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("two")))
	shown := &hub.Ticket{Address: other.Address, Handle: other.Handle, Digest: other.Digest[1:] + "0"}
	var changed *hub.ChangedError
	if _, err := p.Asker.Relay(ctx, shown, forged); !errors.As(err, &changed) {
		t.Errorf("a reply to other questions: %v", err)
	}
}

func askerRelayIsBounded(t *testing.T, p Party) {
	ctx := within(t)
	named, sure := newAsk("named", "ann", "robot"), newAsk("sure")
	sure.MinAssurance = sayso.AssuranceKey
	for _, c := range []struct {
		ask  *sayso.Ask
		want error
	}{{named, hub.ErrNotAllowed}, {sure, hub.ErrAssurance}} {
		ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, c.ask))
		if _, err := p.Asker.Relay(ctx, ticket, says("ann", "o1")); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.ask.ID, err, c.want)
		}
		if got := must[*hub.Ticket](t)(p.Asker.Get(ctx, ticket.Handle)); !got.Open() {
			t.Errorf("%s is closed by %+v", c.ask.ID, got.Outcome.By)
		}
	}
}

// askerView is what a Watch has told.
type askerView struct {
	mu     sync.Mutex
	open   map[string]bool
	ready  bool
	closed []string
}

func (w *askerView) change(c hub.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case c.Reset:
		w.open, w.ready = map[string]bool{}, false
	case c.Ready:
		w.ready = true
	case c.Ticket != nil && c.Ticket.Handle == "":
		w.closed = append(w.closed, "a ticket without a handle")
	case c.Ticket != nil && c.Ticket.Open():
		w.open[c.Ticket.Ask.ID] = true
	case c.Ticket != nil:
		delete(w.open, c.Ticket.Ask.ID)
		w.closed = append(w.closed, c.Ticket.Ask.ID)
	}
}

func (w *askerView) shows(ids ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		if !w.open[id] {
			return false
		}
	}
	return w.ready && len(w.open) == len(ids)
}

func askerWatches(t *testing.T, p Party) {
	ctx, cancel := context.WithCancel(within(t))
	in := func(id, conversation string) *sayso.Ask {
		a := newAsk(id)
		a.Origin.Conversation = conversation
		return a
	}
	one := must[*hub.Ticket](t)(p.Asker.Submit(ctx, in("one", "talk")))
	must[*hub.Ticket](t)(p.Asker.Submit(ctx, in("elsewhere", "other")))
	var all, some askerView
	var wg sync.WaitGroup
	for w, f := range map[*askerView]*hub.Filter{&all: nil, &some: {Conversation: "talk"}} {
		wg.Go(func() {
			if err := p.Asker.Watch(ctx, f, w.change); !errors.Is(err, context.Canceled) {
				t.Errorf("the watch ends with %v", err)
			}
		})
	}
	eventually(t, "what is open is told", func() bool { return all.shows("one", "elsewhere") && some.shows("one") })
	must[*hub.Ticket](t)(p.Asker.Submit(ctx, in("two", "talk")))
	eventually(t, "a new ask is told", func() bool { return all.shows("one", "two", "elsewhere") && some.shows("one", "two") })
	must[*hub.Ticket](t)(p.Person.Close(ctx, one, says("ann", "o1")))
	eventually(t, "an answer is told", func() bool { return all.shows("two", "elsewhere") && some.shows("two") })
	cancel()
	wg.Wait()
	if !slices.Contains(some.closed, "one") || slices.Contains(some.closed, "a ticket without a handle") {
		t.Errorf("told as closed: %q", some.closed)
	}
	var ids []string
	err := hub.Each(within(t), p.Asker, &hub.Filter{Status: hub.AnyStatus, Limit: 1}, func(got *hub.Ticket) bool {
		if got.Handle == "" {
			t.Error("a list has a ticket without a handle")
		}
		ids = append(ids, got.Ask.ID)
		return true
	})
	if slices.Sort(ids); err != nil || !slices.Equal(ids, []string{"elsewhere", "one", "two"}) {
		t.Errorf("the list has %q, %v", ids, err)
	}
}

func askerAwaits(t *testing.T, p Party) {
	ctx := within(t)
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("one")))
	done := make(chan *hub.Ticket, 1)
	go func() {
		has, err := hub.Await(ctx, p.Asker, ticket)
		if err != nil {
			t.Error(err)
		}
		done <- has
	}()
	must[*hub.Ticket](t)(p.Person.Close(ctx, ticket, says("ann", "o2")))
	if has := <-done; has == nil || has.Consumed.IsZero() || choice(has.Outcome) != choice(says("ann", "o2")) {
		t.Errorf("has %+v", has)
	}
}

func askerLoses(t *testing.T, p Party) {
	ctx := within(t)
	sure := newAsk("sure")
	sure.MinAssurance = sayso.AssuranceKey
	for _, c := range []struct {
		ask    *sayso.Ask
		status sayso.Status
		kind   sayso.ResponderKind
	}{{newAsk("plain"), sayso.StatusAnswered, sayso.ByProgram}, {sure, sayso.StatusSuperseded, sayso.ByAsker}} {
		ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, c.ask))
		race, lose := context.WithCancelCause(ctx)
		lose(&sayso.SupersededError{Winner: says("ann", "o1")})
		if _, err := hub.Await(race, p.Asker, ticket); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.ask.ID, err)
		}
		got := must[*hub.Ticket](t)(p.Asker.Get(ctx, ticket.Handle))
		if got.Status() != c.status || got.Outcome.By.Kind != c.kind || got.Consumed.IsZero() {
			t.Errorf("%s: %s by %s, consumed %v", c.ask.ID, got.Status(), got.Outcome.By.Kind, got.Consumed)
		}
	}
}

func askerAsksTheSame(t *testing.T, p Party) {
	ctx := within(t)
	a := newAsk("")
	a.Origin.Conversation = "talk"
	one := must[*hub.Ticket](t)(hub.SubmitSame(ctx, p.Asker, "test", a))
	if again := must[*hub.Ticket](t)(hub.SubmitSame(ctx, p.Asker, "test", a)); again.Handle != one.Handle {
		t.Error("the same questions are asked twice")
	}
	must[*hub.Ticket](t)(p.Person.Close(ctx, one, says("ann", "o1")))
	if again := must[*hub.Ticket](t)(hub.SubmitSame(ctx, p.Asker, "test", a)); again.Handle != one.Handle || again.Open() {
		t.Error("the answer is not found again")
	}
	must[*hub.Ticket](t)(p.Asker.Consume(ctx, one.Handle))
	if next := must[*hub.Ticket](t)(hub.SubmitSame(ctx, p.Asker, "test", a)); next.Handle == one.Handle || !next.Open() {
		t.Error("the same questions, once answered, are not asked again")
	}
}

func askerIsLate(t *testing.T, p Party) {
	ctx := within(t)
	var tickets []*hub.Ticket
	for i := range 4 {
		a := newAsk(fmt.Sprint("ask ", i))
		a.Origin.Conversation = "talk"
		tickets = append(tickets, must[*hub.Ticket](t)(p.Asker.Submit(ctx, a)))
	}
	must[*hub.Ticket](t)(p.Person.Close(ctx, tickets[0], says("ann", "o1")))
	must[*hub.Ticket](t)(p.Asker.Withdraw(ctx, tickets[1].Handle, sayso.StatusCancelled, ""))
	has := must[*hub.Ticket](t)(p.Person.Close(ctx, tickets[2], says("ann", "o1")))
	must[*hub.Ticket](t)(p.Asker.Consume(ctx, tickets[2].Handle))

	late, open, err := hub.TakeLate(ctx, p.Asker, "talk", has.Outcome.At)
	if err != nil || len(late) != 0 || open != 2 {
		t.Errorf("at once: %d late, %d open, %v", len(late), open, err)
	}
	later := has.Outcome.At.Add(time.Minute)
	late, open, err = hub.TakeLate(ctx, p.Asker, "talk", later)
	if err != nil || open != 1 || len(late) != 1 || late[0].Ask.ID != "ask 0" || late[0].Consumed.IsZero() {
		t.Errorf("later: %d late, %d open, %v", len(late), open, err)
	}
	if late, _, err = hub.TakeLate(ctx, p.Asker, "talk", later); err != nil || len(late) != 0 {
		t.Errorf("it is told twice: %d, %v", len(late), err)
	}
}
