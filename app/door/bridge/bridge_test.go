package bridge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// desk is a bridge, its hub, and what the agent was told.
type desk struct {
	*hubfake.World
	bridge *bridge.Bridge
	told   []*bridge.Told
	reply  error // what the agent says when it is told
}

// at runs a test with a desk, in a bubble.
func at(t *testing.T, do func(d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{World: hubfake.New(t)}
		d.bridge = bridge.New(d.Client("agent"), &bridge.Options{Host: "agent"})
		defer d.bridge.Close()
		do(d)
	})
}

const question = "Which database?"

// ask opens a question.
func (d *desk) ask(id string) {
	d.T.Helper()
	a, err := d.bridge.Question(dialect.Claude, bridge.From{Session: "s1", Call: id, Dir: "/home/ann/shop"}, json.RawMessage(
		`{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"SQLite","description":"a"},{"label":"MySQL","description":"b"}]}]}`))
	if err != nil {
		d.T.Fatal(err)
	}
	d.bridge.Open(&bridge.Request{ID: id, Ask: a, Reply: d.take})
	synctest.Wait()
}

func (d *desk) take(_ context.Context, t *bridge.Told) error {
	d.told = append(d.told, t)
	return d.reply
}

// permit opens a request for permission.
func (d *desk) permit(id, command string, now func() string) {
	d.T.Helper()
	ask := func(command string) (*sayso.Ask, error) {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			return nil, err
		}
		p := sayso.NewApproval(sayso.ApproveShell, "bash", input, &sayso.ApprovalOptions{Command: "command"})
		p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny}}
		return d.bridge.Approval(p, bridge.From{Session: "s1", Call: id})
	}
	a, err := ask(command)
	if err != nil {
		d.T.Fatal(err)
	}
	r := &bridge.Request{ID: id, Ask: a, Reply: d.take}
	if now != nil {
		r.Now = func() (*sayso.Ask, error) { return ask(now()) }
	}
	d.bridge.Open(r)
	synctest.Wait()
}

// decide answers the one open request for permission with the option of an offer.
func (d *desk) decide(offer int) {
	d.T.Helper()
	for _, t := range d.All() {
		if t.Open() {
			d.Say(t.Ask.Questions[0].Text, t.Ask.Questions[0].Options[offer].Label)
			synctest.Wait()
			return
		}
	}
	d.T.Fatal("nothing is open")
}

// only returns the one ask.
func (d *desk) only() *hub.Ticket {
	d.T.Helper()
	all := d.All()
	if len(all) != 1 {
		d.T.Fatalf("the hub has %d asks, want 1", len(all))
	}
	return all[0]
}

func (d *desk) wantTold(n int) {
	d.T.Helper()
	synctest.Wait()
	if len(d.told) != n {
		d.T.Fatalf("the agent was told %d times, want %d", len(d.told), n)
	}
}

// TestPermissionJustStored: the connection ends before the hub has said that it has the
// request. Nobody can allow it any more.
func TestPermissionJustStored(t *testing.T) {
	at(t, func(d *desk) {
		d.bridge.Close()
		d.bridge = bridge.New(hubfake.Slow{Asker: d.Client("agent")}, &bridge.Options{Host: "agent"})
		d.permit("p1", "make", nil)
		if !d.only().Open() {
			t.Fatalf("it became %+v", d.only().Outcome)
		}
		d.bridge.Close()
		if now := d.only(); now.Status() != sayso.StatusCancelled {
			t.Errorf("the connection has ended, and it is %s", now.Status())
		}
	})
}

func TestInboxFirst(t *testing.T) {
	at(t, func(d *desk) {
		d.ask("q1")
		d.Say(question, "SQLite")
		synctest.Wait()
		d.wantTold(1)
		if got := d.told[0]; got.Outcome.Status != sayso.StatusAnswered || got.Verdict != nil {
			t.Errorf("told %+v", got)
		}
		if d.only().Consumed.IsZero() {
			t.Error("the hub was not told that the agent has the answer")
		}
		d.bridge.Settled("q1", nil) // the echo
		if d.bridge.Waits("q1") {
			t.Error("the request is still open")
		}
	})
}

func TestDialogFirst(t *testing.T) {
	at(t, func(d *desk) {
		d.ask("q1")
		a := d.only().Ask
		d.bridge.Settled("q1", &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: a.Questions[0].ID, Other: "Redis"}}})
		synctest.Wait()
		d.wantTold(0)
		o := d.only().Outcome
		if o == nil || o.Status != sayso.StatusAnswered || o.By.Surface != "agent" || o.By.Kind != sayso.ByProgram {
			t.Errorf("it became %+v", o)
		}
	})
}

// TestDialogUnknown: nobody knows what was said there, so nothing is told as answered.
func TestDialogUnknown(t *testing.T) {
	at(t, func(d *desk) {
		d.ask("q1")
		d.bridge.Settled("q1", nil)
		synctest.Wait()
		if o := d.only().Outcome; o == nil || o.Status != sayso.StatusSuperseded {
			t.Errorf("it became %+v", o)
		}
	})
}

func TestDropped(t *testing.T) {
	at(t, func(d *desk) {
		d.ask("q1")
		d.bridge.Dropped("q1", "the turn was interrupted")
		synctest.Wait()
		if o := d.only().Outcome; o == nil || o.Status != sayso.StatusCancelled || o.Reason != "the turn was interrupted" {
			t.Errorf("it became %+v", o)
		}
	})
}

func TestDeclined(t *testing.T) {
	at(t, func(d *desk) {
		d.ask("q1")
		d.Say(question, string(sayso.StatusDeclined))
		synctest.Wait()
		d.wantTold(1)
	})
}

// TestLateAnswer: the agent has gone; what is answered then comes with the next prompt,
// once.
func TestLateAnswer(t *testing.T) {
	at(t, func(d *desk) {
		d.ask("q1")
		d.bridge.Close()
		if !d.only().Open() {
			t.Fatal("the question was closed")
		}
		d.Say(question, "SQLite")
		time.Sleep(time.Minute)
		next := bridge.New(d.Client("agent"), &bridge.Options{Host: "agent"})
		defer next.Close()
		for i, want := range []bool{true, false} {
			text, err := next.Late(d.T.Context(), "s1")
			if err != nil || strings.Contains(text, "SQLite") != want || !want && text != "" {
				t.Errorf("prompt %d: %q, %v", i+1, text, err)
			}
		}
	})
}

// TestUndelivered: the agent went away in the moment of the answer. It is kept for the
// next prompt.
func TestUndelivered(t *testing.T) {
	at(t, func(d *desk) {
		d.reply = context.DeadlineExceeded
		d.ask("q1")
		d.Say(question, "SQLite")
		synctest.Wait()
		d.wantTold(1)
		text, err := d.bridge.Late(d.T.Context(), "s1")
		if err != nil || !strings.Contains(text, "SQLite") {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// TestBothAtOnce: the agent says that it has an answer; ours is not told again.
func TestBothAtOnce(t *testing.T) {
	at(t, func(d *desk) {
		d.reply = bridge.ErrSettled
		d.ask("q1")
		d.Say(question, "SQLite")
		synctest.Wait()
		if text, err := d.bridge.Late(d.T.Context(), "s1"); text != "" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func TestHubAway(t *testing.T) {
	at(t, func(d *desk) {
		d.Stop()
		d.ask("q1")
		time.Sleep(time.Minute)
		d.Start()
		time.Sleep(time.Minute)
		d.Stop()
		d.Start()
		d.Say(question, "SQLite")
		time.Sleep(time.Minute)
		d.wantTold(1)
	})
}

// TestDialogWhileHubAway: the hub is told when it is there again.
func TestDialogWhileHubAway(t *testing.T) {
	at(t, func(d *desk) {
		d.ask("q1")
		d.Stop()
		d.bridge.Settled("q1", nil)
		time.Sleep(time.Minute)
		d.Start()
		time.Sleep(time.Minute)
		if d.only().Open() {
			t.Error("it is still open")
		}
	})
}

func TestPermission(t *testing.T) {
	for name, c := range map[string]struct {
		offer   int
		now     string
		allowed bool
		changed bool
	}{
		"allowed":                {0, "touch a", true, false},
		"denied":                 {1, "touch a", false, false},
		"allowed, but changed":   {0, "rm -rf /", false, true},
		"denied, though changed": {1, "rm -rf /", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(d *desk) {
				d.permit("p1", "touch a", func() string { return c.now })
				d.decide(c.offer)
				d.wantTold(1)
				got := d.told[0]
				if got.Changed != c.changed || (got.Verdict != nil && got.Verdict.Allowed()) != c.allowed {
					t.Errorf("told %+v", got)
				}
			})
		})
	}
}

// TestPermissionOver: what nobody waits for cannot be allowed any more.
func TestPermissionOver(t *testing.T) {
	at(t, func(d *desk) {
		d.permit("p1", "touch a", nil)
		d.bridge.Close()
		if o := d.only().Outcome; o == nil || o.Status != sayso.StatusCancelled {
			t.Errorf("it became %+v", o)
		}
	})
}

// TestPermissionKilled: a process that was killed withdrew nothing; the next one of the
// session does.
func TestPermissionKilled(t *testing.T) {
	at(t, func(d *desk) {
		d.permit("p1", "touch a", nil)
		d.permit("p2", "touch b", nil)
		d.Stop() // nobody can be told
		d.bridge.Close()
		d.Start()
		next := bridge.New(d.Client("agent"), &bridge.Options{Host: "agent"})
		defer next.Close()
		if _, err := next.Late(d.T.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		for _, a := range d.All() {
			if a.Open() {
				t.Errorf("%s is still open", a.Ask.Questions[0].Text)
			}
		}
	})
}

// TestPermissionAgain: the same call asks again after it was allowed. That is decided
// anew.
func TestPermissionAgain(t *testing.T) {
	at(t, func(d *desk) {
		d.permit("p1", "touch a", nil)
		d.decide(0)
		d.wantTold(1)
		d.permit("p1", "touch a", nil)
		d.wantTold(1)
		if n := len(d.All()); n != 2 {
			t.Errorf("the hub has %d asks, want 2", n)
		}
	})
}
