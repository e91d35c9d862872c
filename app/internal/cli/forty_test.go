package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/app/tmuxtest"
	"github.com/saysohq/sayso/hub"
)

// mostKeys is how many keys a decision may take on average.
const mostKeys = 1.5

// TestForty has a person work through 40 asks of 8 agents in the inbox, in a window
// with two panes and in one without. Every answer is stored as it was meant.
func TestForty(t *testing.T) {
	for _, columns := range []int{120, 80} {
		t.Run(strconv.Itoa(columns), func(t *testing.T) {
			t.Parallel()
			if keys := workThrough(t, columns); keys > mostKeys {
				t.Errorf("a decision takes %.2f keys, more than %.2f", keys, mostKeys)
			}
		})
	}
}

func TestFigure_KEYS(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	t.Logf("FIGURE KEYS-terminal %.2f keys/decision", workThrough(t, 120))
}

// workThrough returns how many keys a decision took, not counting the letters of own
// words.
func workThrough(t *testing.T, columns int) float64 {
	m := newMachine(t)
	m.run("list") // starts the hub
	c := m.client()
	all := surfacetest.Forty(time.Now())
	tickets := make([]*hub.Ticket, len(all))
	for i, d := range all {
		a := d.Ask
		a.Normalize()
		submitted, err := c.Submit(t.Context(), a)
		if err != nil {
			t.Fatalf("%s: %v", a.ID, err)
		}
		tickets[i] = submitted
	}
	p := &triage{t: t, columns: columns, tm: m.tmuxWide(columns, 45, "inbox")}
	p.tm.Await("Waiting for you 40")
	p.press("Enter", func() bool { return p.shown() != "" })
	for !strings.Contains(p.tm.Screen(), "All caught up") {
		p.decide(all)
	}
	p.press("q", func() bool { return !strings.Contains(p.tm.Screen(), "◆ Inbox") })
	for i, d := range all {
		wantStored(t, c.Inbox(), tickets[i], d)
	}
	t.Logf("%d keys for %d decisions in %d columns: %s", p.keys, len(all), columns, strings.Join(p.pressed, " "))
	return float64(p.keys) / float64(len(all))
}

// wantStored fails the test unless the ask has the answer that was meant.
func wantStored(t *testing.T, in hub.Inbox, was *hub.Ticket, d surfacetest.Decision) {
	t.Helper()
	var now *hub.Ticket
	for end := time.Now().Add(2 * time.Minute); now == nil || now.Open(); <-time.After(50 * time.Millisecond) { // until the last hold is over
		if time.Now().After(end) {
			t.Fatalf("%s is still open", d.Ask.ID)
		}
		list, err := in.List(t.Context(), &hub.Filter{Status: hub.AnyStatus, Conversation: d.Ask.Origin.Conversation})
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range list.Tickets {
			if got.Handle == was.Handle {
				now = got
			}
		}
	}
	q := &now.Ask.Questions[0]
	got, _ := now.Outcome.Answer(q.ID)
	var want []string
	for _, n := range d.Choose {
		want = append(want, q.Options[n-1].ID)
	}
	if now.Status() != sayso.StatusAnswered || !slices.Equal(got.Selected, want) || got.Other != d.Type {
		t.Errorf("%s: stored %s %q %q, want %q %q", d.Ask.ID, now.Status(), got.Selected, got.Other, want, d.Type)
	}
}

// tmuxWide runs sayso in a terminal of another size.
func (m *machine) tmuxWide(columns, rows int, args ...string) *tmuxtest.Terminal {
	m.t.Helper()
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	program := filepath.Join(m.dir, "sayso")
	if err := os.Symlink(self, program); err != nil && !os.IsExist(err) {
		m.t.Fatal(err)
	}
	return tmuxtest.Start(m.t, &tmuxtest.Options{Env: append(m.env, "LANG=C.UTF-8", "TERM=tmux-256color"), Dir: m.dir, Columns: columns, Rows: rows}, program, args...)
}

// triage is the person.
type triage struct {
	t       *testing.T
	columns int
	tm      *tmuxtest.Terminal
	keys    int
	pressed []string
}

// press presses a key until it was taken, and counts it every time.
func (p *triage) press(key string, taken func() bool) {
	p.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		p.tm.Keys(key)
		p.keys++
		p.pressed = append(p.pressed, key)
		for again := time.Now().Add(5 * time.Second); time.Now().Before(again); <-time.After(50 * time.Millisecond) {
			if taken() {
				return
			}
		}
		if time.Now().After(end) {
			p.t.Fatalf("%s does nothing on\n%s", key, p.tm.Screen())
		}
	}
}

// shown is the question that is open, as far as it is on the screen: what stands behind
// the asker's bar in the pane of the dialog. Empty: the list has the keys.
func (p *triage) shown() string {
	var text []string
	screen := p.tm.Screen()
	for _, line := range strings.Split(screen, "\n") {
		if _, asked, ok := strings.Cut(line, "▎ "); ok {
			text = append(text, asked)
		}
	}
	if strings.Contains(screen, "enter open") { // it stands beside the list and is not open
		return ""
	}
	return strings.Join(strings.Fields(strings.Join(text, " ")), " ")
}

// whole is the question that is open once all of it is drawn: the screen may be read
// while it changes.
func (p *triage) whole() string {
	p.t.Helper()
	end := time.Now().Add(2 * time.Minute)
	for was := p.shown(); ; {
		<-time.After(100 * time.Millisecond)
		if time.Now().After(end) {
			p.t.Fatalf("no question is open on\n%s", p.tm.Screen())
		}
		now := p.shown()
		if now == was && now != "" {
			return now
		}
		was = now
	}
}

// decide answers what is open as the script says.
func (p *triage) decide(all []surfacetest.Decision) {
	p.t.Helper()
	shown := p.whole()
	at := slices.IndexFunc(all, func(d surfacetest.Decision) bool {
		return strings.Contains(shown, strings.Join(strings.Fields(d.Ask.Questions[0].Text), " "))
	})
	if at < 0 {
		p.t.Fatalf("the script does not know %q on\n%s", shown, p.tm.Screen())
	}
	<-time.After(500 * time.Millisecond) // people read; keys that come at once were meant for the question before
	d := all[at]
	q := &d.Ask.Questions[0]
	gone := func() bool { // the next one is open, or there is none
		now := p.shown()
		return now != shown && now != "" || strings.Contains(p.tm.Screen(), "All caught up")
	}
	sees := func(text string) func() bool {
		return func() bool { return strings.Contains(p.tm.Screen(), text) }
	}
	if d.Same != "" {
		p.press("b", sees("identical questions:"))
		shown = p.whole()
	}
	danger := len(d.Choose) == 1 && q.Options[d.Choose[0]-1].Danger
	switch {
	case d.Type != "":
		p.tm.Type(d.Type)
		p.tm.Await(d.Type)
		p.press("Enter", gone)
	case danger:
		p.press(strconv.Itoa(d.Choose[0]), sees("❯ ! ○"))
		p.press("Enter", sees("Send it?"))
		<-time.After(500 * time.Millisecond)
		p.press("y", func() bool { s := p.tm.Screen(); return !strings.Contains(s, "Send it?") && gone() })
	case q.Several():
		for _, n := range d.Choose {
			p.press(strconv.Itoa(n), sees(strconv.Itoa(n)+" [x]"))
		}
		p.press("Enter", gone)
	case d.Ask.Approval != nil:
		p.press(strconv.Itoa(d.Choose[0]), sees(strconv.Itoa(d.Choose[0])+" ●"))
		p.press("Enter", gone)
	default:
		p.press(strconv.Itoa(d.Choose[0]), gone)
	}
}
