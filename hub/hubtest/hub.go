package hubtest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// RunHub holds the rules of the waiting room to their promises, on a store that
// passes [Run].
func RunHub(t *testing.T, fresh New, opts *Options) {
	s := newSuite(fresh, opts)
	for _, c := range []struct {
		name string
		fn   func(*testing.T)
	}{
		{"submit", s.testSubmit},
		{"submit refuses", s.testSubmitRefuses},
		{"submit full", s.testSubmitFull},
		{"wait", s.testWait},
		{"wait ends", s.testWaitEnds},
		{"reattach", s.testReattach},
		{"attached", s.testAttached},
		{"close", s.testClose},
		{"close again", s.testCloseAgain},
		{"close refuses", s.testCloseRefuses},
		{"empty is no answer", s.testEmpty},
		{"rivals", s.testRivals},
		{"consume", s.testConsume},
		{"undo", s.testUndo},
		{"amend", s.testAmend},
		{"hold", s.testHold},
		{"hold and undo", s.testHoldUndo},
		{"hold overruled", s.testHoldOverruled},
		{"hold and deadline", s.testHoldDeadline},
		{"hold after restart", s.testHoldRestart},
		{"hold races", s.testHoldRaces},
		{"keep", s.testKeep},
		{"late", s.testLate},
		{"drafts", s.testDrafts},
		{"deadline", s.testDeadline},
		{"deadline default", s.testDeadlineDefault},
		{"deadline touched", s.testDeadlineTouched},
		{"deadline after restart", s.testDeadlineRestart},
		{"deadline and faults", s.testDeadlineFaults},
		{"clock jumps", s.testClockJumps},
		{"list", s.testList},
		{"list pages", s.testHubListPages},
		{"search", s.testSearch},
		{"watch", s.testHubWatch},
		{"watch resets", s.testWatchResets},
		{"follow", s.testFollow},
		{"follow filters", s.testFollowFilters},
		{"follow resumes", s.testFollowResumes},
		{"follow misses nothing", s.testFollowFaults},
		{"follow unsure", s.testFollowUnsure},
		{"open asks", s.testReserveOpen},
		{"interest", s.testInterest},
		{"inbox", s.testInbox},
		{"delegate", s.testDelegate},
		{"delegate chain", s.testDelegateChain},
		{"delegate refuses", s.testDelegateRefuses},
		{"snooze", s.testSnooze},
		{"precedents", s.testPrecedents},
		{"resolver", s.testResolver},
		{"resolver loses a race", s.testResolverLoses},
		{"resolver is cancelled", s.testResolverCancelled},
		{"damage", s.testDamage},
		{"bells", s.testBells},
		{"lost bells", s.testLostBells},
		{"old bells", s.testOldBells},
		{"held bells", s.testHeldBells},
		{"an answer between any two steps", s.testBetweenSteps},
		{"a fault at any step", s.testFaultAtAnyStep},
		{"death at any step", s.testDeathAtAnyStep},
		{"random sequences", s.testSequences},
	} {
		s.run(t, c.name, c.fn)
	}
}

// key is the key of every hub of the suites.
var key = []byte("a key for tests, and only for them")

// open opens a hub that stops with the test. In real time it is a hasty one.
func (s *suite) open(t *testing.T, store hub.Store, change ...func(*hub.Options)) *hub.Hub {
	t.Helper()
	o := &hub.Options{Key: key}
	if !s.Virtual {
		o.Tick = 5 * time.Millisecond
		o.RereadMin, o.RereadMax = 20*time.Millisecond, 200*time.Millisecond
	}
	for _, c := range change {
		c(o)
	}
	if s.Hub != nil {
		s.Hub(o)
	}
	h := must[*hub.Hub](t)(hub.Open(within(t), store, o))
	t.Cleanup(h.Stop)
	return h
}

// clock is a wall clock that can be set.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time      { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) add(d time.Duration) { c.ahead.Add(int64(d)) }
func (c *clock) use(o *hub.Options)  { o.Now = c.now }
func frequentSweeps(o *hub.Options)  { o.Sweep = 50 * time.Millisecond }
func (s *suite) tick() time.Duration {
	if s.Virtual {
		return time.Second
	}
	return 5 * time.Millisecond
}

const tenant = "acme"

// newAsk returns an ask with one question and two options.
func newAsk(id string, to ...string) *sayso.Ask {
	a := &sayso.Ask{
		ID:        id,
		Questions: []sayso.Question{{Header: "Deploy", Text: "Deploy to production?", Options: []sayso.Option{{Label: "Yes"}, {Label: "No"}}}},
		Origin:    sayso.Origin{Conversation: "c1", ToolCall: id},
		To:        to,
	}
	a.Normalize()
	return a
}

func person(id string) sayso.Responder {
	return sayso.Responder{Kind: sayso.ByPerson, ID: id, Surface: "terminal"}
}

// says is an answer by a person: an option's id.
func says(who, option string) *sayso.Outcome {
	return &sayso.Outcome{
		Status:  sayso.StatusAnswered,
		Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{option}}},
		By:      person(who),
	}
}

// withdrawn is the asker's withdrawal.
func withdrawn() *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}, Reason: "no longer needed"}
}

// choice is what an outcome says, in short.
func choice(o *sayso.Outcome) string {
	if o == nil {
		return "open"
	}
	words := string(o.Status) + " by " + string(o.By.Kind)
	if o.By.ID != "" {
		words += " " + o.By.ID
	}
	for _, a := range o.Answers {
		words += fmt.Sprint(": ", a.QuestionID, a.Selected, a.Other)
	}
	return words
}

// wantChoice fails unless the ticket has this outcome.
func wantChoice(t *testing.T, got *hub.Ticket, want *sayso.Outcome) {
	t.Helper()
	if got == nil || choice(got.Outcome) != choice(want) {
		t.Fatalf("the ticket is %+v, want %s", got, choice(want))
	}
}

// wantClosed fails unless err names this winner.
func wantClosed(t *testing.T, err error, winner *sayso.Outcome) *hub.ClosedError {
	t.Helper()
	var closed *hub.ClosedError
	if !errors.As(err, &closed) {
		t.Fatalf("error %v, want a ClosedError", err)
	}
	wantChoice(t, closed.Ticket, winner)
	if closed.Ticket.Outcome.At.IsZero() || closed.Ticket.Outcome.By.Surface != winner.By.Surface {
		t.Fatalf("the refusal does not say when and where: %v", closed)
	}
	return closed
}

// waitFor calls Wait in the background.
func waitFor(ctx context.Context, h *hub.Hub, addr hub.Address) <-chan waited {
	done := make(chan waited, 1)
	go func() {
		t, err := h.Wait(ctx, addr)
		done <- waited{t, err}
	}()
	return done
}

type waited struct {
	ticket *hub.Ticket
	err    error
}

// get returns what came of a background wait.
func get(t *testing.T, done <-chan waited) *hub.Ticket {
	t.Helper()
	select {
	case w := <-done:
		if w.err != nil {
			t.Fatal(w.err)
		}
		return w.ticket
	case <-time.After(soon * 10):
		t.Fatal("the wait does not end")
		return nil
	}
}
