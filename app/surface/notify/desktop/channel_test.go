package desktop_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/desktop"
	"github.com/saysohq/sayso/hub"
)

var everything = []string{"actions", "body", "body-markup", "persistence"}

func contact() *notify.Contact {
	return &notify.Contact{Tenant: "home", ID: "desktop-1", Kind: notify.Desktop, Account: "desktop-1", Detail: notify.DetailText}
}

func note() *notify.Note {
	return &notify.Note{
		Key: "k1", Token: "t1", Alert: true, Title: "claude-code asks", Body: "Which database?", URL: "https://hub.example/ask/1",
		Text:    "Which <b>database</b> & why?\n1. PostgreSQL\n2. SQLite",
		Buttons: []notify.Button{{Label: "PostgreSQL", Data: "t1.1", Answer: true}, {Label: "SQLite", Data: "t1.2", Answer: true}},
		Waiting: 1,
	}
}

// start starts a channel, with somebody who takes what it brings.
func start(t *testing.T, address string, o *desktop.Options) (*desktop.Channel, *desk) {
	t.Helper()
	if o == nil {
		o = &desktop.Options{}
	}
	o.Address = address
	c, d := desktop.New(o), &desk{}
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if err := c.Replies(ctx, d); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	})
	t.Cleanup(func() { cancel(); work.Wait(); c.Close() })
	return c, d
}

func put(t *testing.T, c *desktop.Channel, n *notify.Note, where string) string {
	t.Helper()
	where, err := c.Put(t.Context(), contact(), n, where)
	must(t, err)
	if len(where) > 256 {
		t.Errorf("%d bytes: %s", len(where), where)
	}
	return where
}

func TestShow(t *testing.T) {
	danger := note()
	danger.Asks = []*hub.Ticket{{Ask: &sayso.Ask{Questions: []sayso.Question{{Options: []sayso.Option{{Label: "Drop", Danger: true}}}}}}}
	danger.Buttons = []notify.Button{{Label: "Drop", Data: "t1.1", Answer: true, Danger: true}, {Label: "Keep", Data: "t1.2", Answer: true}}
	urgent, quiet, brief := note(), note(), note()
	urgent.Urgent, quiet.Alert, brief.Text = true, false, ""
	brief.Buttons = append(brief.Buttons, notify.Button{Label: "Show the question", Data: "t1.s"})
	nobody := contact()
	nobody.Account = ""
	for _, test := range []struct {
		name    string
		caps    []string
		to      *notify.Contact
		n       *notify.Note
		body    string
		labels  string
		urgency byte
		quiet   bool
	}{
		{"whole", everything, contact(), note(), note().Text, "Open PostgreSQL SQLite", 1, false},
		{"no markup", []string{"actions", "body"}, contact(), note(), note().Text, "Open PostgreSQL SQLite", 1, false},
		{"no actions", []string{"body", "body-markup"}, contact(), note(), note().Text, "", 1, false},
		{"no body", []string{"actions"}, contact(), note(), "", "Open", 1, false},
		{"only who asks", everything, contact(), brief, "Which database?", "Open Show the question", 1, false},
		{"without an account", everything, nobody, note(), note().Text, "Open", 1, false},
		{"dangerous", everything, contact(), danger, danger.Text, "Open Keep", 2, false},
		{"urgent", everything, contact(), urgent, urgent.Text, "Open PostgreSQL SQLite", 2, false},
		{"changed", everything, contact(), quiet, quiet.Text, "Open PostgreSQL SQLite", 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			address := startBus(t)
			fake := startDaemon(t, address, test.caps...)
			c := desktop.New(&desktop.Options{Address: address})
			defer c.Close()
			_, err := c.Put(t.Context(), test.to, test.n, "")
			must(t, err)
			got := fake.screen()[0]
			if got.summary != "claude-code asks" || got.body != test.body || strings.Join(got.labels, " ") != test.labels || got.urgency != test.urgency || got.quiet != test.quiet || got.expires != 0 {
				t.Errorf("shown %+v", got)
			}
		})
	}
}

func TestLife(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	c, d := start(t, address, nil)
	where := put(t, c, note(), "")
	if again := put(t, c, note(), where); again != where || len(fake.screen()) != 1 {
		t.Errorf("put again: %q, then %q, %d on the screen", where, again, len(fake.screen()))
	}
	if again := put(t, c, note(), ""); again != where || len(fake.screen()) != 1 { // as after a crash before where was kept
		t.Errorf("put again without where: %q, then %q, %d on the screen", where, again, len(fake.screen()))
	}

	d.set(2, nil) // the hub is away for a moment
	fake.press(1, "SQLite")
	eventually(t, "the press is taken", func() bool { return slices.Equal(d.pressed(), []string{"desktop-1 t1.2"}) })
	eventually(t, "it is closed", func() bool { return len(fake.screen()) == 0 })
	over := note()
	over.Over, over.Alert, over.Buttons = true, false, nil
	if where = put(t, c, over, where); where != "" {
		t.Errorf("it is still at %q", where)
	}
}

// TestShownWhileItCloses has a note shown while the channel closes and signals arrive:
// it connects again, and whoever closes must not wait for that connection.
func TestShownWhileItCloses(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	c := desktop.New(&desktop.Options{Address: address})
	put(t, c, note(), "")

	fake.mu.Lock() // the service does not answer: everybody waits for their turn, in this order
	var work sync.WaitGroup
	closed := make(chan struct{})
	work.Go(func() { put(t, c, note(), "") })
	<-time.After(20 * time.Millisecond)
	for range 5000 {
		fake.emit("NotificationClosed", uint32(99), uint32(1))
	}
	<-time.After(20 * time.Millisecond)
	work.Go(func() { c.Close(); close(closed) })
	<-time.After(20 * time.Millisecond)
	work.Go(func() { put(t, c, note(), "") })
	<-time.After(20 * time.Millisecond)
	fake.mu.Unlock()

	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for a connection that was made since")
	}
	work.Wait()
	c.Close()
}

// TestChangedWhilePressed shows the text of a note because its button was pressed, and
// wants it to stay.
func TestChangedWhilePressed(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	c, d := start(t, address, nil)
	n := note()
	n.Text, n.Buttons = "", []notify.Button{{Label: "Show the question", Data: "t1.s"}}
	where := put(t, c, n, "")
	fake.press(1, "Show the question")
	fake.dismiss(1) // as GNOME does after a press
	eventually(t, "the press is taken", func() bool { return len(d.pressed()) == 1 })
	whole := note()
	whole.Alert = false
	put(t, c, whole, where)
	if s := fake.screen(); len(s) != 1 || s[0].body != whole.Text {
		t.Errorf("on the screen: %+v", s)
	}
}

func TestRefused(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	c, d := start(t, address, nil)
	d.set(0, &notify.Reply{Text: "Already answered by <bob>."})
	put(t, c, note(), "")
	fake.press(1, "SQLite")
	eventually(t, "it says so", func() bool { return len(fake.screen()) == 2 })
	if s := fake.screen(); s[0].body != note().Text || s[1].body != "Already answered by <bob>." || !s[1].passing || len(s[1].keys) != 0 {
		t.Errorf("on the screen: %+v", s)
	}
}

func TestDismissed(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	c, d := start(t, address, nil)
	where := put(t, c, note(), "")
	fake.dismiss(1)
	// The signal is behind a press of another note, which is there to be waited for.
	other := note()
	other.Key = "k2"
	put(t, c, other, "")
	fake.press(2, "SQLite")
	eventually(t, "the other press is taken", func() bool { return len(d.pressed()) == 1 })
	changed := note()
	changed.Alert = false
	if got := put(t, c, changed, where); got != where {
		t.Errorf("it is at %q now", got)
	}
	eventually(t, "the other is closed", func() bool { return len(fake.screen()) == 0 })
	put(t, c, note(), where)
	if s := fake.screen(); len(s) != 1 || s[0].id != 1 {
		t.Errorf("a reminder shows %+v", s)
	}
	if got := d.pressed(); len(got) != 1 {
		t.Errorf("pressed: %q", got)
	}
}

func TestOpen(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	var mu sync.Mutex
	var opened []string
	c, d := start(t, address, &desktop.Options{Open: func(n *notify.Note, url string) error {
		mu.Lock()
		defer mu.Unlock()
		opened = append(opened, n.Key+" "+url)
		return nil
	}})
	n := note()
	n.Buttons = []notify.Button{{Label: "See it", URL: "https://hub.example/x"}}
	put(t, c, n, "")
	fake.press(1, "See it")
	eventually(t, "it is closed", func() bool { return len(fake.screen()) == 0 })
	put(t, c, n, "")
	fake.press(1, "Open")
	eventually(t, "it is closed", func() bool { return len(fake.screen()) == 0 })
	if mu.Lock(); !slices.Equal(opened, []string{"k1 https://hub.example/x", "k1 https://hub.example/ask/1"}) {
		t.Errorf("opened %q", opened)
	}
	mu.Unlock()
	if got := d.pressed(); got != nil {
		t.Errorf("pressed: %q", got)
	}
}

// TestForged has another program send what the service sends when a button is pressed.
func TestForged(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	c, d := start(t, address, nil)
	put(t, c, note(), "")
	forger := connect(t, address)
	must(t, forger.Emit(object, service+".ActionInvoked", uint32(1), "0"))
	// Sent to the channel alone, it comes whatever the channel listens to.
	var names []string
	must(t, forger.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names))
	for _, name := range names {
		if strings.HasPrefix(name, ":") {
			direct(t, forger, name)
		}
	}
	must(t, forger.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err) // all of it is on its way
	fake.press(1, "SQLite")
	eventually(t, "the press is taken", func() bool { return len(d.pressed()) > 0 })
	if got := d.pressed(); !slices.Equal(got, []string{"desktop-1 t1.2"}) {
		t.Errorf("taken: %q", got)
	}
}

// TestServiceRestarts ends the service and starts another one, which begins to count
// anew.
func TestServiceRestarts(t *testing.T) {
	address := startBus(t)
	first := startDaemon(t, address, everything...)
	c, d := start(t, address, nil)
	where := put(t, c, note(), "")
	must(t, first.conn.Close())
	second := startDaemon(t, address, everything...)
	eventually(t, "it is shown again", func() bool { return len(second.screen()) == 1 })
	second.press(1, "PostgreSQL")
	eventually(t, "the press is taken", func() bool { return slices.Equal(d.pressed(), []string{"desktop-1 t1.1"}) })

	// Another process, which knows only where the first one showed it, must not touch
	// what has that number now.
	eventually(t, "it is closed", func() bool { return len(second.screen()) == 0 })
	stranger := connect(t, address)
	var id uint32
	must(t, stranger.Object(service, object).Call(service+".Notify", 0, "mail", uint32(1), "", "New mail", "", []string{}, map[string]any{}, int32(0)).Store(&id))
	other := desktop.New(&desktop.Options{Address: address})
	defer other.Close()
	over := note()
	over.Over = true
	put(t, other, over, where)
	if s := second.screen(); len(s) != 1 || s[0].summary != "New mail" {
		t.Errorf("on the screen: %+v", s)
	}
	put(t, other, note(), where)
	if s := second.screen(); len(s) != 2 {
		t.Errorf("on the screen: %+v", s)
	}
}

func TestHubRestarts(t *testing.T) {
	address := startBus(t)
	fake := startDaemon(t, address, everything...)
	old := desktop.New(&desktop.Options{Address: address})
	where := put(t, old, note(), "")
	must(t, old.Close())
	c, d := start(t, address, nil)
	fake.press(1, "SQLite") // nobody knows what it was
	if again := put(t, c, note(), where); again != where || len(fake.screen()) != 1 {
		t.Errorf("put again: %q, then %q, %d on the screen", where, again, len(fake.screen()))
	}
	fake.press(1, "PostgreSQL")
	eventually(t, "the press is taken", func() bool { return len(d.pressed()) > 0 })
	if got := d.pressed(); !slices.Equal(got, []string{"desktop-1 t1.1"}) {
		t.Errorf("taken: %q", got)
	}
	over := note()
	over.Over = true
	put(t, c, over, where)
	if s := fake.screen(); len(s) != 0 {
		t.Errorf("on the screen: %+v", s)
	}
}

func TestNoDesktop(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	c := desktop.New(nil)
	defer c.Close()
	if _, err := c.Put(t.Context(), contact(), note(), ""); !errors.Is(err, desktop.ErrNoBus) {
		t.Errorf("without a bus: %v", err)
	}
	over := note()
	over.Over = true
	if where, err := c.Put(t.Context(), contact(), over, "guid :1.2 3"); where != "" || err != nil {
		t.Errorf("without a bus, over: %q, %v", where, err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", startBus(t))
	if _, err := c.Put(t.Context(), contact(), note(), ""); err == nil || !strings.Contains(err.Error(), "install one such as dunst") {
		t.Errorf("without a service: %v", err)
	}
	startDaemon(t, os.Getenv("DBUS_SESSION_BUS_ADDRESS"), everything...)
	put(t, c, note(), "")
	if got, err := c.Server(t.Context()); got != "fake 1" || err != nil {
		t.Errorf("the service is %q, %v", got, err)
	}
}
