package ntfy

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/ntfytest"
)

// desk notes what it is told.
type desk struct {
	mu      sync.Mutex
	place   string
	kept    int
	pressed []string
	refuse  string // what it says to every press, instead of doing it
	fails   int    // how often it fails
}

func newDesk() *desk { return &desk{} }

func (d *desk) Place(context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.place, nil
}

func (d *desk) Keep(_ context.Context, place string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.place = place
	d.kept++
	return nil
}

func (d *desk) Press(_ context.Context, account, data string) (*notify.Reply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails > 0 {
		d.fails--
		return nil, errors.New("the store is away")
	}
	d.pressed = append(d.pressed, account+"|"+data)
	return &notify.Reply{Done: d.refuse == "", Text: d.refuse}, nil
}

func (d *desk) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.pressed)
}

func (d *desk) Link(context.Context, string, *notify.Contact) (*notify.Reply, error) {
	panic("nobody links an account here")
}

func (d *desk) Say(context.Context, string, notify.Place, string) (*notify.Reply, error) {
	panic("nobody says anything here")
}

func (d *desk) Prompted(context.Context, string, string, string) error { panic("nobody is asked") }

// runReplies runs Replies until the test, or stop, ends it.
func runReplies(t *testing.T, c *Channel, d notify.Desk) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Replies(ctx, d); !errors.Is(err, context.Canceled) {
			t.Errorf("Replies: %v", err)
		}
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// patience is how long something may take that happens. A mutant makes it never happen.
func patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SAYSO_PATIENCE")); err == nil {
		return d
	}
	return time.Minute
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience())
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}

// own is a server as the page has it: the hub may publish and read answers, and
// everybody may answer.
func own(t *testing.T) (*ntfytest.Server, *Address) {
	s := ntfytest.New(t)
	s.Deny()
	s.Allow("tk_hub", "ask", "w")
	s.Allow("tk_hub", "back", "r")
	s.Allow("tk_ann", "ask", "r")
	s.Allow("", "back", "w")
	return s, &Address{Server: s.URL(), Topic: "ask", Token: "tk_hub", Answers: "back"}
}

func TestAnswer(t *testing.T) {
	s, a := own(t)
	c, d := channel(t), newDesk()
	runReplies(t, c, d)
	to := contact(t, a)
	if _, err := c.Put(t.Context(), to, note(c, to, nil), ""); err != nil {
		t.Fatal(err)
	}
	m := s.Shown("ask")[0]
	var labels []string
	for _, b := range m.Actions {
		labels = append(labels, b.Action+" "+b.Label)
	}
	if want := "http 1. PostgreSQL, or; so/http 2. SQLite/http Mute claude-code for 1 h"; strings.Join(labels, "/") != want {
		t.Errorf("buttons %q", labels)
	}
	for _, b := range m.Actions {
		if b.Clear {
			t.Error("it is cleared before the hub has the answer")
		}
	}
	if strings.Contains(s.Wire(), "tk_hub") {
		t.Error("the token goes to the phone")
	}
	if !strings.Contains(d.place, "back") {
		t.Error("the topic is not kept before the buttons are sent")
	}
	if status := s.Press(m.Actions[1]); status != 200 {
		t.Fatal(status)
	}
	eventually(t, "the press arrives", func() bool { return len(d.all()) == 1 })
	if got := d.all()[0]; got != s.URL()+"/ask back|tokentoken.1" {
		t.Error(got)
	}
	// What is no data of a button goes nowhere, and stops nothing.
	for _, junk := range []string{"", "hello there", "<b>", strings.Repeat("x", 33), "a\nb", "é"} {
		s.Press(ntfytest.Action{Action: "http", Method: "POST", URL: s.URL() + "/back", Body: junk})
	}
	s.Press(m.Actions[0])
	eventually(t, "the next press arrives", func() bool { return len(d.all()) == 2 })
	if got := d.all()[1]; !strings.HasSuffix(got, "|tokentoken.0") {
		t.Error(got)
	}
}

// A press is taken once the desk has it, also one made while nobody followed the topic.
func TestRestart(t *testing.T) {
	s, a := own(t)
	d := newDesk()
	c := channel(t)
	stop := runReplies(t, c, d)
	to := contact(t, a)
	if _, err := c.Put(t.Context(), to, note(c, to, nil), ""); err != nil {
		t.Fatal(err)
	}
	m := s.Shown("ask")[0]
	s.Press(m.Actions[0])
	eventually(t, "the first", func() bool { return len(d.all()) == 1 })
	eventually(t, "its place is kept", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return strings.Contains(d.place, "msg") })
	s.Cut()
	s.Press(m.Actions[1])
	eventually(t, "the one after the stream was cut", func() bool { return len(d.all()) == 2 })
	stop()
	s.Press(m.Actions[0])

	next := channel(t) // which knows nothing
	d.mu.Lock()
	d.fails = 1
	d.mu.Unlock()
	runReplies(t, next, d)
	eventually(t, "the one from between", func() bool { return len(d.all()) == 3 })
	s.Press(m.Actions[1])
	eventually(t, "a new one", func() bool { return len(d.all()) == 4 })
	for i, end := range []string{".0", ".1", ".0", ".1"} {
		if !strings.HasSuffix(d.all()[i], end) {
			t.Errorf("%d: %s", i, d.all()[i])
		}
	}
}

// Where the hub cannot read answers, a question is told without buttons, and a test
// says why.
func TestUnreadable(t *testing.T) {
	s, a := own(t)
	s.Allow("tk_hub", "back", "w")
	c := channel(t)
	c.opts.Ready = 50 * time.Millisecond
	runReplies(t, c, newDesk())
	to := contact(t, a)
	if _, err := c.Put(t.Context(), to, note(c, to, nil), ""); err != nil {
		t.Fatal(err)
	}
	if m := s.Shown("ask")[0]; len(m.Actions) != 1 || m.Actions[0].Action != "view" {
		t.Errorf("%+v", m.Actions)
	}
	test := &notify.Note{Key: "t", Test: true, Alert: true, Title: "sayso", Body: "A test.", Buttons: []notify.Button{{Label: "It arrived", Data: "tok.ok"}}}
	if _, err := c.Put(t.Context(), to, test, ""); err == nil || !strings.Contains(err.Error(), "read the topic for answers") {
		t.Error(err)
	}
	s.Allow("tk_hub", "back", "r")
	c.opts.Ready = time.Minute
	if _, err := c.Put(t.Context(), to, test, ""); err != nil {
		t.Fatal(err)
	}
	shown := s.Shown("ask")
	if b := shown[len(shown)-1].Actions; len(b) != 1 || b[0].Body != "tok.ok" {
		t.Errorf("the buttons of a test: %+v", b)
	}
}

// A press that is of no use is told, but not often: everybody can write to the topic.
func TestTold(t *testing.T) {
	s, a := own(t)
	c, d := channel(t), newDesk()
	d.refuse = "This button is out of date."
	runReplies(t, c, d)
	to := contact(t, a)
	if _, err := c.Put(t.Context(), to, note(c, to, nil), ""); err != nil {
		t.Fatal(err)
	}
	m := s.Shown("ask")[0]
	for range 5 {
		s.Press(m.Actions[0])
	}
	eventually(t, "all presses arrive", func() bool { return len(d.all()) == 5 })
	replies := slices.DeleteFunc(s.Published("ask"), func(m ntfytest.Message) bool { return m.Sequence != "reply" })
	if len(replies) != 1 || replies[0].Message != d.refuse {
		t.Errorf("%+v", replies)
	}
}

// The access control of the page: what everybody can do at the server is to answer.
func TestAccess(t *testing.T) {
	s, _ := own(t)
	post := func(topic string) int {
		return s.Press(ntfytest.Action{Action: "http", Method: "POST", URL: s.URL() + "/" + topic, Body: "x"})
	}
	if got := post("ask"); got != 403 {
		t.Errorf("everybody may publish questions: %d", got)
	}
	if got := post("back"); got != 200 {
		t.Errorf("nobody may answer: %d", got)
	}
	c := channel(t)
	for token, want := range map[string]bool{"tk_hub": true, "tk_ann": false, "": false, "tk_other": false} {
		err := c.try(t.Context(), &Address{Server: s.URL(), Answers: "back", Token: token})
		if (err == nil) != want {
			t.Errorf("reading answers with %q: %v", token, err)
		}
	}
}
