package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// shown is a note on a device.
type shown struct {
	note *Note
	at   time.Time
}

// device is a channel in memory, with one screen for each contact. Notes on it stay
// until they are replaced or withdrawn, as on a phone.
type device struct {
	limits Limits

	mu      sync.Mutex
	next    int
	screen  map[string]map[string]*Note // by contact and where
	history map[string][]shown
	fail    map[string]error // by contact; nil: it works
	after   bool             // a failing device shows the note all the same
	slow    time.Duration
	chat    bool // it keeps messages that are over
	lost    bool // a note stands whose place nobody was told
}

func newDevice(l Limits) *device {
	return &device{limits: l, screen: map[string]map[string]*Note{}, history: map[string][]shown{}, fail: map[string]error{}}
}

func (d *device) Limits() Limits { return d.limits }

func (d *device) Put(ctx context.Context, to *Contact, n *Note, where string) (string, error) {
	if d.slow > 0 {
		select {
		case <-time.After(d.slow):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	id := to.Tenant + "/" + to.Person + "/" + to.ID
	err := d.fail[id]
	if err != nil && !d.after {
		return "", err
	}
	if d.screen[id] == nil {
		d.screen[id] = map[string]*Note{}
	}
	d.history[id] = append(d.history[id], shown{n, time.Now()})
	if d.limits.Again {
		where = n.Key
	}
	if n.Over && !d.chat {
		delete(d.screen[id], where)
		return "", err
	}
	if n.Over && where == "" {
		return "", err
	}
	if where == "" || n.Alert && !d.limits.Again {
		delete(d.screen[id], where)
		d.next++
		where = fmt.Sprint("m", d.next)
	}
	d.screen[id][where] = n
	if err != nil {
		d.lost = d.lost || !d.limits.Again
		return "", err
	}
	return where, nil
}

// waiting returns the notes that a contact shows and that are not over.
func (d *device) waiting(id string) (all []*Note) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.screen[id] {
		if !n.Over {
			all = append(all, n)
		}
	}
	return all
}

// alerts returns the notes that made themselves noticed.
func (d *device) alerts(id string) (all []shown) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.history[id] {
		if s.note.Alert && !s.note.Test {
			all = append(all, s)
		}
	}
	return all
}

// world is a hub with a notifier.
type world struct {
	*testing.T
	store hub.Store
	hub   *hub.Hub
	n     *Notifier
	chans map[Kind]Channel
}

func newWorld(t *testing.T, chans map[Kind]Channel) *world {
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: store, hub: h, chans: chans}
	w.start()
	t.Cleanup(func() {
		w.n.Close()
		h.Stop()
	})
	return w
}

func (w *world) start() {
	w.n = Start(w.hub, w.store, &Options{Node: "a", Alone: true, Channels: w.chans, URL: func(handle string) string {
		if handle == "" {
			return "https://hub.example/"
		}
		return "https://hub.example/ask/" + handle
	}})
}

func (w *world) restart() {
	w.n.Close()
	w.start()
}

func (w *world) add(kind Kind, after time.Duration, change func(*Contact)) string {
	c := &Contact{Tenant: "home", Kind: kind, After: after, Detail: DetailSender, Account: "acc-" + string(kind), Assurance: sayso.AssuranceKey}
	if change != nil {
		change(c)
	}
	c, err := w.n.Add(w.Context(), c)
	if err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
	return "home//" + c.ID
}

func (w *world) ask(id string, change func(*sayso.Ask)) *hub.Ticket {
	a := &sayso.Ask{ID: id, Origin: sayso.Origin{Conversation: "talk-" + id, Host: "some-agent"}, Questions: []sayso.Question{{
		Text: "Which database, " + id + "?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	if change != nil {
		change(a)
	}
	a.Normalize()
	t, err := w.hub.Submit(w.Context(), "home", a)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

func (w *world) answer(t *hub.Ticket) {
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}, By: sayso.Responder{Kind: sayso.ByPerson, Surface: "terminal"}}
	if _, err := w.hub.Close(w.Context(), t, o, nil); err != nil {
		w.Fatal(err)
	}
}

func (w *world) expect(d *device, id string, alerts, waiting int) {
	w.Helper()
	synctest.Wait()
	if got, still := len(d.alerts(id)), len(d.waiting(id)); got != alerts || still != waiting {
		w.Fatalf("%s: %d alerts and %d notes stand, want %d and %d", id, got, still, alerts, waiting)
	}
}

// TestTell: a question is told after 20 s, reminded of, and withdrawn when it is
// answered.
func TestTell(t *testing.T) {
	for _, chat := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
			d.chat = chat
			w := newWorld(t, map[Kind]Channel{Telegram: d})
			id := w.add(Telegram, 0, nil)
			ask := w.ask("a", nil)
			time.Sleep(19 * time.Second)
			w.expect(d, id, 0, 0)
			time.Sleep(2 * time.Second)
			w.expect(d, id, 1, 1)
			n := d.waiting(id)[0]
			if n.Title != "some-agent asks" || n.Text != "" || n.Buttons[0].Label != "Show the question" || strings.Contains(n.Title+n.Body, "database") {
				t.Errorf("the first note is %+v", n)
			}
			time.Sleep(9 * time.Minute)
			w.expect(d, id, 1, 1)
			time.Sleep(2 * time.Minute)
			w.expect(d, id, 2, 1)
			w.restart()
			time.Sleep(10 * time.Second)
			w.expect(d, id, 2, 1)
			time.Sleep(time.Hour)
			w.expect(d, id, 3, 1)
			w.answer(ask)
			time.Sleep(time.Second)
			w.expect(d, id, 3, 0)
		})
	}
}

// TestDesk: a press shows the question, another one answers it, once, and Undo takes
// it back.
func TestDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
		d.chat = true
		w := newWorld(t, map[Kind]Channel{Telegram: d})
		id := w.add(Telegram, -1, func(c *Contact) { c.Account = "7" })
		ask := w.ask("a", nil)
		time.Sleep(time.Second)
		w.expect(d, id, 1, 1)
		desk := &desk{w.n, Telegram}
		press := func(account, label string, n *Note) *Reply {
			t.Helper()
			for _, b := range n.Buttons {
				if strings.Contains(b.Label, label) && b.Data != "" {
					r, err := desk.Press(t.Context(), account, b.Data)
					if err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					return r
				}
			}
			t.Fatalf("no button %q in %+v", label, n.Buttons)
			return nil
		}
		if r := press("8", "Show", d.waiting(id)[0]); r.Done {
			t.Error("anybody can press")
		}
		press("7", "Show", d.waiting(id)[0])
		w.expect(d, id, 1, 1)
		first := d.waiting(id)[0]
		if !strings.Contains(first.Text, "Which database, a?") || !strings.Contains(first.Text, "Asked by: unverified") {
			t.Errorf("the whole question is\n%s", first.Text)
		}
		if r := press("7", "SQLite", first); !r.Stored || r.Text != "Sent: SQLite." {
			t.Errorf("the reply is %+v", r)
		}
		w.expect(d, id, 1, 0)
		if r := press("7", "SQLite", first); !r.Stored {
			t.Errorf("the same press again: %+v", r)
		}
		if r := press("7", "PostgreSQL", first); r.Stored {
			t.Errorf("another press: %+v", r)
		}
		var over *Note
		for _, n := range d.screen[id] {
			over = n
		}
		if r := press("7", "Undo", over); !r.Done {
			t.Errorf("undo: %+v", r)
		}
		time.Sleep(time.Second)
		w.expect(d, id, 1, 1)
		if now, _ := w.hub.Get(t.Context(), ask.Address); !now.Open() {
			t.Error("it is not open again")
		}
		if r := press("7", "SQLite", first); r.Stored {
			t.Errorf("the press comes again, after it was taken back: %+v", r)
		}
		if r := press("7", "SQLite", d.waiting(id)[0]); !r.Stored {
			t.Errorf("a new press: %+v", r)
		}
	})
}

// TestReminderHides: a reminder is seen on the lock screen again, so it shows no more
// than the first one did, although the person has opened the question meanwhile.
func TestReminderHides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
		d.chat = true
		w := newWorld(t, map[Kind]Channel{Telegram: d})
		id := w.add(Telegram, -1, func(c *Contact) { c.Account = "7" })
		w.ask("a", nil)
		time.Sleep(time.Second)
		w.expect(d, id, 1, 1)
		if r, err := (&desk{w.n, Telegram}).Press(t.Context(), "7", d.waiting(id)[0].Buttons[0].Data); err != nil || !r.Done {
			t.Fatal(r, err)
		}
		w.expect(d, id, 1, 1)
		if n := d.waiting(id)[0]; n.Alert || !strings.Contains(n.Text, "Which database") {
			t.Fatalf("opened, it shows %+v", n)
		}
		time.Sleep(11 * time.Minute)
		w.expect(d, id, 2, 1)
		if n := d.waiting(id)[0]; strings.Contains(n.Title+n.Body+n.Text, "database") || n.Buttons[0].Label != "Show the question" {
			t.Errorf("the reminder shows %+v", n)
		}
	})
}

// TestPresence: a person who is at the question is told later, and told all the same.
func TestPresence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(Limits{Again: true})
		w := newWorld(t, map[Kind]Channel{Push: d})
		id := w.add(Push, 0, nil)
		ask := w.ask("a", nil)
		for range 11 {
			w.n.Attend("home", "", ask.Address)
			time.Sleep(10 * time.Second)
		}
		w.expect(d, id, 0, 0)
		for range 5 {
			w.n.Attend("home", "", ask.Address)
			time.Sleep(10 * time.Second)
		}
		w.expect(d, id, 1, 1)
	})
}

// TestMany: whoever gets many questions gets one notification that counts them.
func TestMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(Limits{Again: true})
		w := newWorld(t, map[Kind]Channel{Push: d})
		id := w.add(Push, 0, nil)
		for i := range 12 {
			w.ask(fmt.Sprint("a", i), nil)
			time.Sleep(20 * time.Second)
		}
		time.Sleep(30 * time.Second)
		w.expect(d, id, 4, 4)
		most := 0
		for _, n := range d.waiting(id) {
			most = max(most, n.Waiting)
		}
		if most != 9 {
			t.Errorf("the last notification is about %d questions, want 9", most)
		}
	})
}

// TestMachine: a program is told of every open and close, at once and once, also of an
// ask that was closed before it could be told, and after a restart.
func TestMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(Limits{Machine: true, Again: true})
		w := newWorld(t, map[Kind]Channel{Webhook: d})
		id := w.add(Webhook, 0, nil)
		told := func() string {
			synctest.Wait()
			var all []string
			for _, s := range silent(d, id) {
				all = append(all, fmt.Sprintf("%s over=%v", s.note.Asks[0].Ask.ID, s.note.Over))
			}
			return strings.Join(all, ", ")
		}
		a := w.ask("a", nil)
		time.Sleep(time.Second)
		w.answer(a)
		time.Sleep(time.Hour)
		w.n.Close()
		b := w.ask("b", nil)
		w.answer(b)
		w.start()
		time.Sleep(time.Hour)
		w.restart()
		time.Sleep(time.Hour)
		if got, want := told(), "a over=false, a over=true, b over=true"; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
		if _, err := w.hub.Consume(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got, want := told(), "a over=false, a over=true, b over=true"; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	})
}

var errBroken = errors.New("the wire is cut")
