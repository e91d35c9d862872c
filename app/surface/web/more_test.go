package web_test

import (
	"html"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

func (w *world) now(t *hub.Ticket) *hub.Ticket {
	w.t.Helper()
	now, err := w.hub.Get(w.t.Context(), t.Address)
	if err != nil {
		w.t.Fatal(err)
	}
	return now
}

// TestDelegate: an ask goes to a person that the hub knows, who sees it with the
// comment. What cannot be delegated stays, with what was typed.
func TestDelegate(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, nil, []string{"ann", "bob"})
	a := choose("Which region?", "North", "South")
	a.To = []string{"ann"}
	ticket, page := w.ask(a)
	bob := w.login("bob")
	if r := w.get(bob, page); r.code != http.StatusNotFound {
		t.Fatalf("bob sees an ask to ann: %d", r.code)
	}
	if body := w.get(w.c, page).body; !strings.Contains(body, `<option value="bob">`) || strings.Contains(body, `<option value="ann">`) {
		t.Errorf("the page offers other people:\n%s", body)
	}
	for _, tt := range []struct {
		name, to, comment, says string
	}{
		{"nobody", "", "the comment", "choose a person first"},
		{"unknown", "zed<b>", "the comment", "nobody else here is named “zed<b>”"},
		{"oneself", "ann", "the comment", "nobody else here is named “ann”"},
		{"long", "bob", "the comment" + strings.Repeat(".", 1000), "comment has 1011 characters"},
	} {
		r := w.post(w.c, page, form(ticket.Digest, "do", "delegate", "to", tt.to, "comment", tt.comment, "n0", "a note"))
		body := html.UnescapeString(r.body)
		if r.code != http.StatusUnprocessableEntity || !strings.Contains(body, tt.says) || strings.Contains(r.body, "<b>”") {
			t.Errorf("%s: %d, want %q:\n%s", tt.name, r.code, tt.says, r.body)
		}
		if !strings.Contains(body, tt.comment+"</textarea>") || !strings.Contains(body, "a note</textarea>") {
			t.Errorf("%s: what was typed is gone", tt.name)
		}
		if now := w.now(ticket); len(now.Passed) > 0 || !now.Open() {
			t.Fatalf("%s: stored %+v", tt.name, now)
		}
	}
	r := w.post(w.c, page, form(ticket.Digest, "do", "delegate", "to", "bob", "comment", "you know\r\nthe <i>South</i>"))
	if now := w.now(ticket); r.code != http.StatusSeeOther || !now.Open() || len(now.Passed) != 1 || now.Passed[0].To != "bob" || now.Passed[0].From != "ann" || now.Passed[0].Comment != "you know\nthe <i>South</i>" {
		t.Fatalf("%d, stored %+v", r.code, now)
	}
	if body := w.get(bob, page).body; !strings.Contains(body, "you know\nthe &lt;i&gt;South&lt;/i&gt;</blockquote>") {
		t.Errorf("bob does not see the comment:\n%s", body)
	}
	for path, want := range map[string]bool{"/": false, "/?view=later": true} {
		if got := strings.Contains(w.get(w.c, path).body, "Which region?"); got != want {
			t.Errorf("ann's %s has it: %v", path, got)
		}
	}
	if !strings.Contains(w.get(bob, "/").body, "Which region?") {
		t.Error("bob's list does not have it")
	}
	w.post(bob, page, form(ticket.Digest, "q0", "option:o2"))
	if o := w.outcome(ticket); o == nil || o.By.ID != "bob" {
		t.Errorf("bob's answer: %+v", o)
	}
}

// TestReuse: an earlier answer is used by the button that says so, and by nothing else.
func TestReuse(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, &web.Options{Grace: 30 * time.Second})
	answered := func(a *sayso.Ask, answer sayso.Answer) *hub.Ticket {
		t.Helper()
		earlier, _ := w.ask(a)
		answer.QuestionID = "q1"
		closed, err := w.hub.Close(t.Context(), earlier, &sayso.Outcome{
			Status: sayso.StatusAnswered, Answers: []sayso.Answer{answer}, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return closed
	}
	reuse := func(body string) string {
		_, after, _ := strings.Cut(body, `name="do" value="reuse `)
		value, _, _ := strings.Cut(after, `"`)
		return html.UnescapeString(value)
	}
	earlier := answered(choose("Which license?", "MIT", "Apache"), sayso.Answer{Selected: []string{"o2"}})
	danger := func() *sayso.Ask {
		a := choose("Which old database goes?", "None", "Orders")
		a.Questions[0].Options[1].Danger = true
		return a
	}
	dangerous := answered(danger(), sayso.Answer{Selected: []string{"o2"}})

	ticket, page := w.ask(choose("Which license?", "MIT", "Apache"))
	body := w.get(w.c, page).body
	value := reuse(body)
	if !strings.HasPrefix(value, w.hub.Handle(earlier.Address)+" ") || strings.Contains(body, " checked") {
		t.Fatalf("the page offers %q:\n%s", value, body)
	}
	other, otherPage := w.ask(choose("What colour?", "Red", "Blue"))
	drop, dropPage := w.ask(danger())
	if body := w.get(w.c, dropPage).body; reuse(body) != "" || !strings.Contains(body, "It does not fit here") {
		t.Errorf("a dangerous answer is offered:\n%s", body)
	}
	naming := func(p *hub.Ticket) string {
		return w.hub.Handle(p.Address) + " " + strconv.FormatInt(p.Outcome.At.UnixNano(), 36)
	}
	if value != naming(earlier) {
		t.Fatalf("the page offers %q, want %q", value, naming(earlier))
	}
	for name, forged := range map[string]struct {
		ticket     *hub.Ticket
		page, with string
	}{
		"of another ask":     {other, otherPage, value},
		"dangerous":          {drop, dropPage, naming(dangerous)},
		"without its answer": {ticket, page, w.hub.Handle(earlier.Address)},
		"changed since":      {ticket, page, w.hub.Handle(earlier.Address) + " 0"},
		"nothing":            {ticket, page, ""},
	} {
		r := w.post(w.c, forged.page, form(forged.ticket.Digest, "do", "reuse "+forged.with))
		if r.code != http.StatusConflict || !strings.Contains(r.body, "Nothing was sent: that earlier answer") || strings.Contains(r.body, "This is the earlier answer") {
			t.Errorf("%s: %d\n%s", name, r.code, r.body)
		}
		if now := w.now(forged.ticket); now.Held != nil || !now.Open() {
			t.Fatalf("%s: it was sent: %+v", name, now.Held)
		}
	}
	// Nor does a form choose what is dangerous and reuse something else.
	w.post(w.c, dropPage, form(drop.Digest, "do", "tap option:o2"))
	if now := w.now(drop); now.Held != nil || !now.Open() {
		t.Fatalf("a tap sent what is dangerous: %+v", now.Held)
	}
	b := w.browse("ann")
	b.open(page)
	b.write(b.form(), "n0", "as before")
	b.press(b.form(), button("reuse "+value))
	now := w.now(ticket)
	if now.Held == nil || !now.Open() || now.Held.Outcome.Answers[0].Selected[0] != "o2" || now.Held.Outcome.Answers[0].Note != "as before" {
		t.Fatalf("held %+v, the page says\n%s", now.Held, b.main(true))
	}
	if s := b.main(true); !strings.Contains(s, "Sends in") {
		t.Errorf("it cannot be undone:\n%s", s)
	}
}

// TestReuseAtOnce: where nothing is held, an earlier answer is filled in and not sent.
func TestReuseAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	earlier, earlierPage := w.ask(choose("Which license?", "MIT", "Apache"))
	w.post(w.c, earlierPage, form(earlier.Digest, "q0", "option:o2"))
	ticket, page := w.ask(choose("Which license?", "MIT", "Apache"))
	b := w.browse("ann")
	b.open(page)
	b.press(b.form(), func(n *node) bool { return n.Data == "button" && get(n, "class") == "reuse" })
	if w.outcome(ticket) != nil || b.value("q0") != "option:o2" || !strings.Contains(b.main(true), "Nothing was sent yet") {
		t.Errorf("stored %+v, the form has %q:\n%s", w.outcome(ticket), b.value("q0"), b.main(true))
	}
	b.press(b.form(), button("send"))
	if o := w.outcome(ticket); o == nil || o.Answers[0].Selected[0] != "o2" {
		t.Errorf("stored %+v", o)
	}
}

// A closed question is asked again: the page leads to the new one, which says so. The
// first stays as it was.
func TestAskAgain(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, nil, []string{"ann", "bob"})
	a := choose("Which region?", "North", "South")
	a.To = []string{"ann", "bob"}
	ticket, page := w.ask(a)
	bob := w.login("bob")
	if body := w.get(w.c, page).body; strings.Contains(body, `value="again"`) {
		t.Error("what is open can be asked again")
	}
	if r := w.post(w.c, page, form(ticket.Digest, "do", "again")); r.code != http.StatusConflict {
		t.Errorf("what is open: %d", r.code)
	}
	w.post(bob, page, form(ticket.Digest, "do", "decline"))
	if body := w.get(bob, page).body; strings.Contains(body, `value="again"`) || !strings.Contains(body, `value="undo"`) {
		t.Errorf("bob cannot undo, or has another way:\n%s", body)
	}
	if body := w.get(w.c, page).body; !strings.Contains(body, `value="again"`) {
		t.Fatalf("it cannot be asked again:\n%s", body)
	}
	r := w.post(w.c, page, form(ticket.Digest, "do", "again"))
	next := r.header.Get("Location")
	if r.code != http.StatusSeeOther || next == page || !strings.HasPrefix(next, "/ask/") {
		t.Fatalf("%d to %q:\n%s", r.code, next, r.body)
	}
	for _, tt := range []struct {
		who  *http.Client
		says string
	}{{w.c, "You asked this again"}, {bob, "ann asked this again"}} {
		for _, path := range []string{next, "/"} {
			if body := w.get(tt.who, path).body; !strings.Contains(body, "Which region?") || !strings.Contains(body, tt.says) {
				t.Errorf("%s does not say %q:\n%s", path, tt.says, body)
			}
		}
	}
	if again := w.post(bob, page, form(ticket.Digest, "do", "again")).header.Get("Location"); again != next {
		t.Errorf("bob is led to %q", again)
	}
	if now := w.now(ticket); now.Open() || now.Outcome.Status != sayso.StatusDeclined {
		t.Errorf("the first is %+v", now.Outcome)
	}
}
