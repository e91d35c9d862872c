package telegram_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// forger has seen everything that was ever sent to anybody, and makes presses of it.
type forger struct {
	*rand.Rand
	r        *real
	ann, bob *telegramtest.User // linked
	eve      *telegramtest.User // was linked
	mallory  *telegramtest.User // never was
	notes    map[string]int64   // messages, by ask
	tokens   map[string]string  // of messages that stand, by ask
	old      []string           // tokens that were replaced
}

// TestForged sends 10,000 presses that nobody was entitled to: of strangers, of another
// person, of somebody whose account was removed, with made-up and modified data, with
// data of messages as they were before, for options that no button offers. None is
// accepted. Then the real press is.
func TestForged(t *testing.T) {
	const total = 10_000
	withReal(t, func(r *real) {
		f := &forger{Rand: testenv.Rand(t), r: r, notes: map[string]int64{}, tokens: map[string]string{}}
		f.ann, f.bob = r.link(42, "ann", notify.DetailText), r.link(43, "bob", notify.DetailText)
		f.eve, f.mallory = r.link(44, "eve", notify.DetailText), r.s.User(66, "ann") // the same name
		asks := f.asks()
		must(t, r.n.Remove(t.Context(), "home", "eve", "telegram-1"))
		soon()
		before := map[string]uint64{}
		for id, a := range asks {
			before[id] = r.now(a).Revision
		}

		kinds := map[string]int{}
		var queries []string
		for i := range total {
			kind, u, data := f.forge()
			kinds[kind]++
			queries = append(queries, u.PressData(f.notes["plain"], data))
			if i%500 == 499 {
				soon()
			}
		}
		<-time.After(10 * time.Minute)
		for id, a := range asks {
			if now := r.now(a); now.Revision != before[id] {
				t.Errorf("%s: a forged press was accepted: %+v", id, now.Outcome)
			}
		}
		for _, person := range []string{"ann", "bob"} {
			if p, err := r.n.Prefs(t.Context(), "home", person); err != nil || len(p.Mutes) > 0 {
				t.Errorf("a forged press muted something for %s: %+v, %v", person, p, err)
			}
		}
		unanswered := slices.DeleteFunc(queries, r.s.Answered)
		if r.s.Pending() != 0 || len(unanswered) > 0 {
			t.Errorf("%d presses were not confirmed, and %d not answered", r.s.Pending(), len(unanswered))
		}
		m := r.message(f.ann, asks["plain"])
		f.ann.Press(m.ID, "2. SQLite")
		soon()
		if r.now(asks["plain"]).Open() {
			t.Error("the real press was not accepted")
		}
		t.Logf("%d forged, 0 accepted: %v", total, kinds)
	})
}

// asks submits asks of all kinds, one at a time, and notes what was sent about them.
func (f *forger) asks() map[string]*hub.Ticket {
	f.r.Helper()
	changes := map[string]func(*sayso.Ask){
		"plain":  nil,
		"danger": func(a *sayso.Ask) { a.Questions[0].Options[1].Danger = true },
		"login":  func(a *sayso.Ask) { a.MinAssurance = sayso.AssuranceLogin },
		"two":    func(a *sayso.Ask) { a.Questions = append(a.Questions, sayso.Question{Text: "And why?"}) },
		"multi":  func(a *sayso.Ask) { a.Questions[0].Multi = true },
		"secret": func(a *sayso.Ask) { a.Questions[0].Text = "Paste your GitHub password" },
		"long":   func(a *sayso.Ask) { a.Questions[0].Body = strings.Repeat("a long line\n", 400) },
		"hidden": func(a *sayso.Ask) { a.Metadata = map[string]any{sayso.MetadataNotify: "sender"} }, // never opened
		"undone": nil,
	}
	asks := map[string]*hub.Ticket{}
	for _, id := range []string{"danger", "login", "two", "multi", "secret", "long", "hidden", "undone", "plain"} {
		<-f.after()
		asks[id] = f.r.ask(id, "ann", changes[id])
		f.see(id, f.ann, asks[id])
	}
	f.see("undone", f.ann, asks["undone"]) // a reminder is another message
	f.ann.Press(f.notes["undone"], "1. PostgreSQL")
	soon()
	f.old = append(f.old, f.tokens["undone"])
	f.ann.Press(f.notes["undone"], "Undo")
	soon()
	f.see("undone", f.ann, asks["undone"])
	<-f.after()
	asks["bob's"] = f.r.ask("bob's", "bob", nil)
	f.see("bob's", f.bob, asks["bob's"])
	<-f.after()
	asks["eve's"] = f.r.ask("eve's", "eve", nil)
	f.see("eve's", f.eve, asks["eve's"])
	return asks
}

// after is long enough for the next ask to get a message of its own.
func (f *forger) after() <-chan time.Time { return time.After(30 * time.Minute) }

// see notes the message about an ask, and its token.
func (f *forger) see(id string, u *telegramtest.User, t *hub.Ticket) {
	f.r.Helper()
	m := f.r.message(u, t)
	f.notes[id] = m.ID
	for _, b := range slices.Concat(m.Buttons...) {
		if token, _, ok := strings.Cut(b.Data, "."); ok {
			f.tokens[id] = token
		}
	}
	if f.tokens[id] == "" {
		f.r.Fatalf("%s: no button has data: %+v", id, m)
	}
}

// forge makes a press that must be refused.
func (f *forger) forge() (kind string, by *telegramtest.User, data string) {
	own := []string{"plain", "danger", "undone"}
	any := own[f.IntN(len(own))]
	verb := []string{"0", "1", "s", "w", "u", "m", "y"}[f.IntN(7)]
	switch f.IntN(9) {
	case 0:
		b := make([]byte, f.IntN(65))
		for i := range b {
			b[i] = byte(f.IntN(128))
		}
		return "random data", f.ann, string(b)
	case 1:
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
		b := make([]byte, 26)
		for i := range b {
			b[i] = letters[f.IntN(len(letters))]
		}
		return "a made-up token", f.ann, string(b) + "." + verb
	case 2:
		token := []byte(f.tokens[any])
		token[f.IntN(len(token))] ^= byte(1 + f.IntN(127))
		return "a modified token", f.ann, string(token) + "." + verb
	case 3:
		bad := []string{"2", "3", "99", "-1", "00", "01", "0x1", "1.0", " 1", "1 ", "１", "", ".", "9999999999999999999999", "w0", "W", "\x00"}
		return "a modified option", f.ann, f.tokens[any] + "." + bad[f.IntN(len(bad))]
	case 4:
		// Options that no button offers: dangerous, too much to show, not opened.
		not := []string{"danger.1", "login.0", "two.0", "multi.0", "secret.0", "long.0", "long.1", "hidden.0", "hidden.1", "login.w", "two.w", "multi.w", "secret.w"}
		ask, option, _ := strings.Cut(not[f.IntN(len(not))], ".")
		return "an option that is not offered", f.ann, f.tokens[ask] + "." + option
	case 5:
		return "a token of before", f.ann, f.old[f.IntN(len(f.old))] + "." + verb
	case 6:
		return "of another person", f.bob, f.tokens[any] + "." + verb
	case 7:
		return "of a stranger", f.mallory, f.tokens[[]string{"plain", "bob's", "undone"}[f.IntN(3)]] + "." + verb
	}
	return "of an account that was removed", f.eve, fmt.Sprint(f.tokens[[]string{"eve's", "plain"}[f.IntN(2)]], ".", verb)
}
