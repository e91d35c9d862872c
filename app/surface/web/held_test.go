package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

func choose(text string, labels ...string) *sayso.Ask {
	q := sayso.Question{Text: text}
	for _, l := range labels {
		q.Options = append(q.Options, sayso.Option{Label: l})
	}
	return &sayso.Ask{Questions: []sayso.Question{q}}
}

// TestTap: where an answer is held, an option is a button that sends it, unless
// something about the ask takes a second look.
func TestTap(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, &web.Options{Grace: 30 * time.Second})
	danger, secret, preview, several := choose("Danger?", "Keep", "Drop"), choose("Secret?", "a", "b"), choose("Preview?", "a", "b"), choose("Several?", "a", "b")
	danger.Questions[0].Options[1].Danger = true
	secret.Questions[0].Text = "What is your password?"
	preview.Questions[0].Options[0].Preview = "image: postgres"
	several.Questions[0].Multi = true
	for _, tt := range []struct {
		name string
		ask  *sayso.Ask
		taps bool
	}{
		{"simple", choose("Simple?", "Yes", "No"), true}, {"danger", danger, false}, {"a secret", secret, false},
		{"preview", preview, false}, {"several", several, false}, {"two questions", threeQuestions(), false}, {"words", choose("Words?"), false},
	} {
		_, page := w.ask(tt.ask)
		if taps := strings.Contains(w.get(w.c, page).body, `value="tap option:`); taps != tt.taps {
			t.Errorf("%s: an option sends: %v, want %v", tt.name, taps, tt.taps)
		}
	}
	w = newWorld(t) // where nothing is held
	if _, page := w.ask(choose("Simple?", "Yes", "No")); strings.Contains(w.get(w.c, page).body, `value="tap option:`) {
		t.Error("an option sends an answer that cannot be taken back")
	}
}

// TestHeld: an answer is held, every page offers to undo it, the next ask of the list
// opens, and after an undo the ask is open with the answer in its form.
func TestHeld(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, &web.Options{Grace: 30 * time.Second})
	first, page := w.ask(choose("First?", "Red", "Blue"))
	w.ask(choose("Second?", "Up", "Down"))
	b := w.browse("ann")
	b.open(page + "?view=waiting")
	b.press(b.form(), button("tap option:o2"))
	now, err := w.hub.Get(t.Context(), first.Address)
	if err != nil || now.Held == nil || now.Held.Outcome.Answers[0].Selected[0] != "o2" || !now.Open() {
		t.Fatalf("%+v %v", now, err)
	}
	if s := b.main(true); !strings.Contains(s, "Second?") || !strings.Contains(s, "Sends in") || !strings.Contains(s, "Blue") {
		t.Fatalf("the page says\n%s", s)
	}
	bar := find(b.doc, byID("held"))
	b.press(bar, func(n *node) bool { return n.Data == "button" })
	if now, err = w.hub.Get(t.Context(), first.Address); err != nil || now.Held != nil || !now.Open() || now.History[0].Why != hub.Undone {
		t.Fatalf("%+v %v", now, err)
	}
	if got := b.value("q0"); got != "option:o2" {
		t.Errorf("the form has %q", got)
	}
}

// TestLater: an ask that is left for later is not the next one, and is in its view.
func TestLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(choose("First?", "Red", "Blue"))
	w.ask(choose("Second?", "Up", "Down"))
	r := w.post(w.c, page+"?view=waiting", form(ticket.Digest, "do", "later hour"))
	if to := r.header.Get("Location"); r.code != http.StatusSeeOther || strings.HasPrefix(to, page) || !strings.HasPrefix(to, "/ask/") {
		t.Errorf("%d %s", r.code, to)
	}
	for path, want := range map[string]bool{"/": false, "/?view=later": true} {
		if got := strings.Contains(w.get(w.c, path).body, "First?"); got != want {
			t.Errorf("%s has it: %v", path, got)
		}
	}
}

// TestSettings: what a person chooses counts from then on, and what cannot be is refused.
func TestSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(choose("First?", "Red", "Blue"))
	if r := w.post(w.c, "/settings", url.Values{"grace": {"10"}, "language": {"de"}, "zone": {"Asia/Tokyo"}}); r.code != http.StatusSeeOther {
		t.Fatalf("%d %s", r.code, r.body)
	}
	body := w.get(w.c, page).body
	for _, want := range []string{`lang="de"`, "Gefragt von:", "10 Sekunden", `value="tap option:o1"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if !strings.Contains(w.get(w.c, "/settings").body, "JST") {
		t.Error("times are not of the zone")
	}
	for _, bad := range []url.Values{{"grace": {"31"}}, {"zone": {"Mars/Olympus"}}, {"language": {"tlh"}}} {
		if r := w.post(w.c, "/settings", bad); r.code != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", bad, r.code)
		}
	}
}

// TestBatch: each ask of a batch has its own record; what is of another kind is left out.
func TestBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, page := w.ask(choose("Which license?", "MIT", "Apache"))
	b, _ := w.ask(choose("Which license?", "MIT", "Apache"))
	other, otherPage := w.ask(choose("Something else?", "Yes", "No"))
	handle := func(p string) string { return strings.TrimPrefix(p, "/ask/") }
	body := w.get(w.c, "/batch?same="+handle(page)).body
	if strings.Count(body, `name="digest"`) != 2 {
		t.Errorf("the page does not show both:\n%s", body)
	}
	r := w.post(w.c, "/batch", url.Values{
		"ask": {handle(page), w.hub.Handle(b.Address), handle(otherPage)}, "digest": {a.Digest, b.Digest, other.Digest}, "do": {"send"}, "q0": {"option:o2"},
	})
	if r.code != http.StatusOK || w.outcome(other) != nil {
		t.Fatalf("%d, other %+v", r.code, w.outcome(other))
	}
	for _, each := range []*hub.Ticket{a, b} {
		if o := w.outcome(each); o == nil || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("stored %+v", o)
		}
	}
}

// TestAmend: an answer that the agent has can be changed by who gave it.
func TestAmend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(choose("First?", "Red", "Blue"))
	w.post(w.c, page, form(ticket.Digest, "q0", "option:o1"))
	if strings.Contains(w.get(w.c, page).body, "amend=1") {
		t.Error("it can be amended although it can be undone")
	}
	now, err := w.hub.Get(t.Context(), ticket.Address)
	if err == nil {
		_, err = w.hub.Consume(t.Context(), now)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := w.browse("ann")
	b.open(page + "?amend=1")
	b.tick(b.form(), "q0", "option:o2")
	b.press(b.form(), button("amend"))
	if o := w.outcome(ticket); o == nil || o.Answers[0].Selected[0] != "o2" {
		t.Errorf("stored %+v, the page says\n%s", o, b.main(false))
	}
}
