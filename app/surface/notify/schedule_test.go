package notify

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

const tick = 30 * time.Second

// gate is the store as one process sees it. A process that was killed writes nothing.
type gate struct {
	hub.Store
	dead atomic.Bool
}

func (g *gate) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if g.dead.Load() {
		return 0, errors.New("killed")
	}
	return g.Store.Put(ctx, r, expect)
}

// kills is a channel of one process, which may be killed just before or after a note is
// shown, and shows nothing from then on.
type kills struct {
	*device
	g    *gate
	when *atomic.Int32 // 1: before the next note, 2: after it
}

func (k *kills) Put(ctx context.Context, to *Contact, n *Note, where string) (string, error) {
	if k.when.CompareAndSwap(1, 0) {
		k.g.dead.Store(true)
	}
	if k.g.dead.Load() {
		return "", errors.New("killed")
	}
	at, err := k.device.Put(ctx, to, n, where)
	if k.when.CompareAndSwap(2, 0) {
		k.g.dead.Store(true)
		k.mu.Lock()
		k.lost = k.lost || !k.limits.Again
		k.mu.Unlock()
	}
	return at, err
}

// life is what is known of an ask, beside the hub.
type life struct {
	ticket *hub.Ticket
	open   bool
	base   time.Time // since when it waits
	closed time.Time
	agent  string
	talk   string
}

// play is one schedule.
type play struct {
	tape  []int // all choices
	ctx   context.Context
	store *hub.Memory
	hub   *hub.Hub
	gate  *gate
	kill  atomic.Int32
	n     *Notifier

	devices  map[Kind]*device
	contacts []*Contact
	prefs    Prefs
	asks     []*life
	attended map[hub.Address]time.Time
	failing  map[Kind]time.Time // when a device last failed
	began    time.Time
	checked  map[Kind]int // notes in a history that were checked

	mu  sync.Mutex
	bad []string
}

// draw makes the next choice, of n.
func (p *play) draw(n int) int {
	if len(p.tape) == 0 {
		return 0
	}
	x := p.tape[0]
	p.tape = p.tape[1:]
	return x % n
}

func (p *play) wrong(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad = append(p.bad, time.Since(p.began).String()+": "+fmt.Sprintf(format, args...))
}

func (p *play) start() {
	clear(p.attended) // it is in memory only
	p.gate = &gate{Store: p.store}
	chans := map[Kind]Channel{}
	for kind, d := range p.devices {
		chans[kind] = &kills{d, p.gate, &p.kill}
	}
	p.n = Start(p.hub, p.gate, &Options{Node: "a", Alone: true, Channels: chans})
}

func id(c *Contact) string { return c.Tenant + "/" + c.Person + "/" + c.ID }

var all = map[Kind]Limits{
	Push:     {Buttons: 2, Picks: true, Again: true},
	Telegram: {Buttons: 8, Text: 4000, Words: true},
	Desktop:  {Buttons: 3, Text: 500, Again: true},
	Mail:     {},
}

func (p *play) setUp() {
	kinds := []Kind{Push, Telegram, Desktop, Mail}
	for i := range kinds {
		j := i + p.draw(len(kinds)-i)
		kinds[i], kinds[j] = kinds[j], kinds[i]
	}
	kinds = kinds[:1+p.draw(3)]
	for kind, l := range all {
		p.devices[kind] = newDevice(l)
		p.devices[kind].chat = kind == Telegram
	}
	p.start()
	for _, kind := range kinds {
		c, err := p.n.Add(p.ctx, &Contact{Tenant: "home", Kind: kind, Detail: Detail(p.draw(3)), Account: "me", Assurance: sayso.AssuranceKey})
		if err != nil {
			p.wrong("adding: %v", err)
			return
		}
		p.contacts = append(p.contacts, c)
	}
	if p.draw(2) == 1 {
		from := p.draw(24)
		q := &Quiet{From: fmt.Sprintf("%02d:30", from), To: fmt.Sprintf("%02d:00", (from+1+p.draw(3))%24), Zone: "Asia/Kolkata", Deadlines: p.draw(2) == 1}
		p.prefs.Quiet = q
		p.n.SetPrefs(p.ctx, "home", "", func(v *Prefs) { v.Quiet = q })
	}
	synctest.Wait()
}

// step does something by chance.
func (p *play) step(i int) {
	var open []*life
	for _, l := range p.asks {
		if l.open {
			open = append(open, l)
		}
	}
	whats := []string{"ask", "ask", "ask", "burst", "answer", "answer", "undo", "attend", "restart", "kill", "fail", "fail unknown", "work", "mute", "consume", "deadline"}
	what := whats[p.draw(len(whats))]
	some := func(list []*life) *life {
		if len(list) == 0 {
			return nil
		}
		return list[p.draw(len(list))]
	}
	switch what {
	case "ask":
		p.ask(fmt.Sprint("a", i), fmt.Sprint("talk", i), 0)
	case "burst":
		for j := range 2 + p.draw(4) {
			p.ask(fmt.Sprintf("a%d-%d", i, j), fmt.Sprint("talk", i), 0)
		}
	case "deadline":
		p.ask(fmt.Sprint("a", i), fmt.Sprint("talk", i), time.Duration(1+p.draw(60))*time.Minute)
	case "answer":
		if l := some(open); l != nil {
			o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}, By: sayso.Responder{Kind: sayso.ByPerson, Surface: "telegram"}}
			if t, err := p.hub.Close(p.ctx, l.ticket, o, nil); err == nil {
				l.open, l.closed, l.ticket = false, time.Now(), t
			}
		}
	case "undo":
		if l := some(p.asks); l != nil && !l.open {
			if t, err := p.hub.Undo(p.ctx, l.ticket, sayso.Responder{Kind: sayso.ByPerson, Surface: "telegram"}); err == nil {
				l.open, l.base, l.ticket = true, time.Now(), t
			}
		}
	case "consume":
		if l := some(p.asks); l != nil && !l.open {
			p.hub.Consume(p.ctx, l.ticket)
		}
	case "attend":
		if l := some(open); l != nil {
			p.n.Attend("home", "", l.ticket.Address)
			p.attended[l.ticket.Address] = time.Now()
		}
	case "restart":
		p.n.Close()
		p.start()
	case "kill":
		p.kill.Store(int32(1 + p.draw(2)))
	case "fail", "fail unknown", "work":
		kind := p.contacts[p.draw(len(p.contacts))].Kind
		d := p.devices[kind]
		d.mu.Lock()
		for _, c := range p.contacts {
			if c.Kind == kind {
				switch what {
				case "fail":
					d.fail[id(c)], d.after = &RetryError{Err: errBroken}, false
				case "fail unknown":
					d.fail[id(c)], d.after = errBroken, p.draw(2) == 1
				default:
					delete(d.fail, id(c))
				}
			}
		}
		d.mu.Unlock()
	case "mute":
		if l := some(p.asks); l != nil {
			m := Mute{Agent: l.agent, Until: time.Now().Add(30 * time.Minute)}
			if p.n.SetPrefs(p.ctx, "home", "", func(v *Prefs) { v.Mutes = append(v.Mutes, m) }) == nil {
				p.prefs.Mutes = append(p.prefs.Mutes, m)
			}
		}
	}
}

func (p *play) ask(name, talk string, deadline time.Duration) {
	agent := []string{"ann-agent", "bob-agent"}[p.draw(2)]
	a := &sayso.Ask{ID: name, Origin: sayso.Origin{Conversation: talk, Host: agent}, Questions: []sayso.Question{{Text: "MARKTEXT " + name, Options: []sayso.Option{{Label: "MARKLABEL"}, {Label: "SQLite"}}}}}
	if deadline > 0 {
		a.Deadline = time.Now().Add(deadline)
	}
	a.Normalize()
	t, err := p.hub.Submit(p.ctx, "home", a)
	if err != nil {
		p.wrong("asking: %v", err)
		return
	}
	p.asks = append(p.asks, &life{ticket: t, open: true, base: time.Now(), agent: agent, talk: talk})
}

// pass lets time pass, and looks at the devices every few seconds.
func (p *play) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end) && len(p.bad) == 0; {
		left := time.Until(end)
		pace := 7 * time.Second
		if d > 10*time.Minute {
			pace = max(97*time.Second, d/60)
		}
		time.Sleep(min(left, pace))
		synctest.Wait()
		if p.gate.dead.Load() {
			p.n.Close()
			p.start()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		p.look()
	}
}

// life returns what is known of the ask at an address; expired ones are noticed here.
func (p *play) life(a hub.Address) *life {
	i := slices.IndexFunc(p.asks, func(l *life) bool { return l.ticket.Address == a })
	l := p.asks[i]
	if d := l.ticket.Ask.Deadline; l.open && !d.IsZero() && !time.Now().Before(d) {
		l.open, l.closed = false, later(d, l.base).Add(tick) // the hub looks so often
	}
	return l
}

// look checks what is on the devices, and what was shown since the last look.
func (p *play) look() {
	now := time.Now()
	for order, c := range p.contacts {
		d := p.devices[c.Kind]
		d.mu.Lock()
		broken := d.fail[id(c)] != nil
		d.mu.Unlock()
		if broken {
			p.failing[c.Kind] = now
		}
		// Rule 5: whatever is closed is gone within seconds.
		for _, n := range d.waiting(id(c)) {
			stale := true
			for _, t := range n.Asks {
				l := p.life(t.Address)
				stale = stale && !l.open && now.Sub(l.closed) > 5*time.Second
			}
			if _, failed := p.failing[c.Kind]; stale && !failed && !d.lost {
				p.wrong("%s still shows %q, which is closed", c.ID, n.Body)
			}
		}
		p.alerted(order, c, d)
	}
}

// alerted checks the notes that made themselves noticed.
func (p *play) alerted(order int, c *Contact, d *device) {
	all := d.alerts(id(c))
	rounds := map[string]int{}
	for i, s := range all {
		n := s.note
		key := fmt.Sprint(n.Token, n.Round)
		if rounds[key]++; rounds[key] > 1 && !d.limits.Again {
			list := ""
			for _, o := range silent(d, id(c)) {
				if o.note.Key == n.Key {
					list += fmt.Sprintf("\n  %s round %d alert %v over %v token %s %q", o.at.Sub(p.began), o.note.Round, o.note.Alert, o.note.Over, o.note.Token[:4], o.note.Title)
				}
			}
			p.wrong("%s was sent round %d of %q twice%s", c.ID, n.Round, n.Body, list)
		}
		if n.Round > len(reminders)+6 {
			p.wrong("%s was reminded %d times", c.ID, n.Round)
		}
		if i < p.checked[c.Kind] {
			continue
		}
		// Rule 8: not too many in ten minutes.
		lately := map[string]bool{key: true}
		for _, o := range all[:i] {
			if s.at.Sub(o.at) < rateFor && !slices.ContainsFunc(o.note.Asks, func(t *hub.Ticket) bool { return !t.Ask.Deadline.IsZero() }) {
				lately[fmt.Sprint(o.note.Token, o.note.Round)] = true
			}
		}
		if recent := len(lately) - 1; recent > rateMost+1 && !d.lost && p.failing[c.Kind].IsZero() { // what failed comes late
			list := ""
			for _, o := range all[:i+1] {
				list += fmt.Sprintf("\n  %s %s %d %d %q %v", o.at.Sub(p.began), o.note.Key[:4], o.note.Round, o.note.Waiting, o.note.Title, len(o.note.Asks))
			}
			p.wrong("%s: %d notes within ten minutes%s", c.ID, recent+1, list)
		}
		// Rule 7: not in quiet hours.
		if until := p.prefs.quietUntil(s.at); until.After(s.at) && !slices.ContainsFunc(n.Asks, func(t *hub.Ticket) bool { return p.prefs.breaks(t, until) }) {
			p.wrong("%s was told of %q in quiet hours", c.ID, n.Body)
		}
		// Rule 9: no more than the detail allows.
		text := n.Title + n.Body + n.Text
		if c.Detail < DetailText && strings.Contains(text, "MARK") || c.Detail < DetailSender && strings.Contains(text, "agent asks") {
			p.wrong("%s shows %q at detail %d", c.ID, text, c.Detail)
		}
		waited, muted, waits := false, true, false
		for _, t := range n.Asks {
			l := p.life(t.Address)
			if !l.open && l.closed.Before(s.at.Add(-time.Second)) {
				continue
			}
			waits = true
			// Rules 1, 2 and 4: not at once; each device in its turn.
			wait := c.After
			if order > 0 && len(p.failing) > 0 {
				wait = firstWait
			}
			if d := t.Ask.Deadline; !d.IsZero() {
				wait = min(wait, d.Sub(l.base)/2)
			}
			if at, ok := p.attended[t.Address]; ok && at.Before(s.at) && s.at.Sub(at) < attendFor-time.Second && t.Ask.Deadline.IsZero() && l.base.Before(at) {
				wait = max(wait, attendWait)
			}
			waited = waited || s.at.Sub(l.base) >= wait-burst-time.Second || l.base.After(s.at)
			// Rule 10: nothing of an agent that is muted.
			yes, _ := p.prefs.muted(t, s.at)
			muted = muted && yes
		}
		if !waits { // Rule 3: only of what waits
			p.wrong("%s was told of %q, which is closed", c.ID, n.Body)
			continue
		}
		if !waited && n.Round == 0 && p.failing[c.Kind].IsZero() { // what failed is tried again on its own
			p.wrong("%s (after %s) was told of %q too early, after %s", c.ID, c.After, n.Body, s.at.Sub(p.life(n.Asks[0].Address).base))
		}
		if muted {
			p.wrong("%s was told of %q by an agent that is muted", c.ID, n.Body)
		}
	}
	p.checked[c.Kind] = len(all)
}

// end lets everything work for long enough, and checks that nothing was forgotten.
func (p *play) end() {
	for _, d := range p.devices {
		d.mu.Lock()
		clear(d.fail)
		d.mu.Unlock()
	}
	p.kill.Store(0)
	p.pass(8 * time.Hour) // a device that failed often is tried again every six hours
	for _, l := range p.asks {
		p.life(l.ticket.Address)
		if !l.open {
			continue
		}
		told := false
		for _, c := range p.contacts {
			d := p.devices[c.Kind]
			for _, s := range append(d.alerts(id(c)), silent(d, id(c))...) {
				told = told || slices.ContainsFunc(s.note.Asks, func(t *hub.Ticket) bool { return t.Address == l.ticket.Address })
			}
		}
		if !told {
			p.wrong("nobody was told of %s, which waits for %s", l.ticket.Ask.ID, time.Since(l.base))
		}
	}
	// Rule 12: a device that works is not said to fail.
	got, err := p.n.Contacts(p.ctx, "home", "")
	for _, c := range got {
		if all := p.devices[c.Kind].alerts(id(&c)); !c.Failing.IsZero() && len(all) > 0 && all[len(all)-1].at.After(c.Failing) {
			p.wrong("%s is said to fail, and works", c.ID)
		}
	}
	if err != nil {
		p.wrong("%v", err)
	}
}

func silent(d *device, id string) (all []shown) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.history[id])
}

// TestSchedules plays random schedules of asks, answers, presence, restarts, kills, quiet
// hours and failing devices, the same ones each time.
func TestSchedules(t *testing.T) {
	checks := "400"
	if testing.Short() {
		checks = "50"
	}
	schedules(t, checks, "1")
}

// TestFigure_SCHEDULES plays other ones each time, and many.
func TestFigure_SCHEDULES(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=SCHEDULES")
	}
	schedules(t, "100000", "0")
	t.Log("FIGURE SCHEDULES 0 broken/100000-schedules")
}

func schedules(t *testing.T, checks, seed string) {
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.seed": seed} {
		f := flag.Lookup(name)
		if was := f.Value.String(); name == "rapid.checks" || was == "0" { // a seed that was asked for stays
			f.Value.Set(value)
			defer f.Value.Set(was)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		tape := rapid.SliceOfN(rapid.IntRange(0, 1<<12), 12, 160).Draw(rt, "choices")
		var bad []string
		synctest.Test(t, func(t *testing.T) { bad = playOne(t, tape) })
		if len(bad) > 0 {
			rt.Fatal(strings.Join(bad[:min(len(bad), 5)], "\n"))
		}
	})
}

func playOne(t *testing.T, tape []int) []string {
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests"), Tick: tick})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	p := &play{
		tape: tape, ctx: t.Context(), store: store, hub: h, devices: map[Kind]*device{}, attended: map[hub.Address]time.Time{}, failing: map[Kind]time.Time{}, checked: map[Kind]int{},
		began: time.Now(),
	}
	p.setUp()
	defer func() { p.n.Close() }()
	for i := 0; len(p.tape) > 0; i++ {
		p.step(i)
		if p.draw(2) == 1 {
			p.pass(time.Duration(p.draw(90)) * time.Second)
		} else {
			p.pass(time.Duration(1+p.draw(40)) * time.Minute)
		}
		if len(p.bad) > 0 {
			return p.bad
		}
	}
	p.end()
	return p.bad
}
