package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// draft saves a draft as the script does, for the form that the browser has, and
// returns the status. fields replace those of the form.
func (w *world) draft(b *browser, page string, fields ...string) int {
	w.t.Helper()
	form := url.Values{"life": {b.value("life")}, "base": {b.value("base")}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return w.post(b.c, page+"/draft", form).code
}

// TestUndoShowsWhatWasSent: a draft that was saved before the answer, or comes after
// it, never takes its place.
func TestUndoShowsWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	b := w.browse("ann")
	b.open(page)
	old := *b
	life, base := b.value("life"), b.value("base")
	late := func(when string) {
		t.Helper()
		if code := w.draft(&old, page, "life", life, "base", base, "t2", "too late"); code != http.StatusConflict {
			t.Errorf("a late draft %s is taken: %d", when, code)
		}
	}
	if code := w.draft(b, page, "q0", "option:o1", "t2", "older"); code != http.StatusOK {
		t.Fatalf("the draft is refused: %d", code)
	}
	b.open(page)
	for round, words := range []string{"first", "second"} {
		b.tick(b.form(), "q0", "option:o2")
		b.tick(b.form(), "q1", "option:o1")
		b.write(b.form(), "n0", "a note")
		b.write(b.form(), "t2", words)
		b.press(b.form(), nil)
		late("after the answer")
		b.press(b.undo(), nil)
		late("after the undo")
		b.open(page)
		if b.value("q0") != "option:o2" || b.value("q1") != "option:o1" || b.value("n0") != "a note" || b.value("t2") != words {
			t.Errorf("round %d: the form has %q %q %q %q", round, b.value("q0"), b.value("q1"), b.value("n0"), b.value("t2"))
		}
		if s := b.main(true); strings.Contains(s, "older") || strings.Contains(s, "too late") {
			t.Errorf("round %d: the page has an older draft:\n%s", round, s)
		}
	}
	if code := w.draft(b, page, "t2", "newer"); code != http.StatusOK {
		t.Fatalf("a draft after the undo is refused: %d", code)
	}
	if b.open(page); b.value("t2") != "newer" {
		t.Errorf("the draft after the undo is not there: %q", b.value("t2"))
	}
}

// TestLateSend: an answer that was on its way while the person sent another and undid
// it does not close the ask.
func TestLateSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(words("What name?"))
	b := w.browse("ann")
	b.open(page)
	b.write(b.form(), "t0", "late")
	slow := *b
	b.write(b.form(), "t0", "late") // the same, sent again
	b.press(b.form(), nil)
	b.press(b.undo(), nil)
	slow.press(slow.form(), nil)
	if w.outcome(ticket) != nil {
		t.Error("an answer that was undone came back")
	}
	if s := slow.main(false); !strings.Contains(s, "Nothing was sent") || !strings.Contains(s, "late") {
		t.Errorf("the page does not say so:\n%s", s)
	}
}

// TestUndoDeclined: behind a declined ask is the form as it was.
func TestUndoDeclined(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(words("What name?"))
	b := w.browse("ann")
	b.open(page)
	for _, text := range []string{"typed and declined", "typed, declined again"} {
		b.write(b.form(), "t0", text)
		b.press(b.form(), button("decline"))
		if s := b.main(false); !strings.Contains(s, "Declined by you") || !strings.Contains(s, text) {
			t.Fatalf("the page has not what was typed:\n%s", s)
		}
		if b.press(b.undo(), nil); b.value("t0") != text {
			t.Fatalf("the form has %q", b.value("t0"))
		}
	}
}

// TestWhoMayUndo: the button is there where it works, and nowhere else.
func TestWhoMayUndo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		by       sayso.Responder
		consumed bool
		undo     bool
		says     string
	}{
		{"mine, from the terminal", sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"}, false, true, "You can undo until the agent receives it."},
		{"mine, and the agent has it", sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"}, true, false, "You can no longer undo this answer."},
		{"somebody else's", sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "terminal"}, false, false, "by bob (terminal)"},
		{"handed on by a program", sayso.Responder{Kind: sayso.ByProgram, ID: "editor", Surface: "acp"}, false, false, "by somebody through editor (acp)"},
		{"of a person without a name", sayso.Responder{Kind: sayso.ByPerson, Surface: "terminal"}, false, false, "by you (terminal)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			ticket, page := w.ask(words("What name?"))
			closed, err := w.hub.Close(t.Context(), ticket, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "x"}}, By: tt.by}, nil)
			if err == nil && tt.consumed {
				_, err = w.hub.Consume(t.Context(), closed)
			}
			if err != nil {
				t.Fatal(err)
			}
			b := w.browse("ann")
			b.open(page)
			if s := b.main(false); (b.undo() != nil) != tt.undo || !strings.Contains(s, tt.says) {
				t.Errorf("undo %v, want %v and %q:\n%s", b.undo() != nil, tt.undo, tt.says, s)
			}
			b.load("POST", page, url.Values{"do": {"undo"}})
			if opened := w.outcome(ticket) == nil; opened != tt.undo {
				t.Errorf("undone: %v", opened)
			}
			if s := b.main(false); !tt.undo && !strings.Contains(s, "Nothing was undone") {
				t.Errorf("it is not said that nothing was undone:\n%s", s)
			}
		})
	}
}

// TestUndoOfAnother: a page that shows an older answer does not undo a newer one.
func TestUndoOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(words("What name?"))
	b := w.browse("ann")
	answer := func(text string) {
		b.open(page)
		b.write(b.form(), "t0", text)
		b.press(b.form(), nil)
	}
	answer("first")
	old := *b
	b.press(b.undo(), nil)
	answer("second")
	old.press(old.undo(), nil)
	if o := w.outcome(ticket); o == nil || o.Answers[0].Other != "second" {
		t.Errorf("the newer answer was undone: %+v", o)
	}
	if s := old.main(false); !strings.Contains(s, "Nothing was undone") || !strings.Contains(s, "second") {
		t.Errorf("the page does not say so:\n%s", s)
	}
}

// TestDrafts: a draft is there on another device, for its person only, and takes
// nobody's words away.
func TestDrafts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(threeQuestions())
	first, second := w.browse("ann"), w.browse("ann")
	first.open(page)
	second.open(page)
	if code := w.draft(first, page, "q0", "option:o2", "t2", "half"); code != http.StatusOK {
		t.Fatalf("got %d", code)
	}
	reply := w.post(second.c, page+"/draft", url.Values{"base": {second.value("base")}, "t2": {"other"}})
	var got struct {
		Version string
		Unknown []string
	}
	if err := json.Unmarshal([]byte(reply.body), &got); err != nil || reply.code != http.StatusConflict || !slices.Equal(got.Unknown, []string{"half"}) {
		t.Fatalf("the second device writes over the first: %d %s", reply.code, reply.body)
	}
	if second.open(page); second.value("q0") != "option:o2" || second.value("t2") != "half" || second.value("base") != got.Version {
		t.Errorf("the draft is not there: %q %q", second.value("q0"), second.value("t2"))
	}
	if code := w.draft(first, page, "base", "", "t2", "half a thought"); code != http.StatusOK {
		t.Errorf("a draft whose reply was lost stands in the way of the next: %d", code)
	}
	if r := w.get(w.login("bob"), page); strings.Contains(r.body, "half") {
		t.Error("somebody else sees the draft")
	}
	if _, err := w.hub.Close(t.Context(), ticket, &sayso.Outcome{Status: sayso.StatusDeclined, By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "terminal"}}, nil); err != nil {
		t.Fatal(err)
	}
	if second.open(page); !strings.Contains(second.main(true), "half a thought") {
		t.Errorf("the draft is gone with the ask:\n%s", second.main(true))
	}
}

// TestDraftFromTheTerminal: a draft that another surface saved counts by its time.
func TestDraftFromTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(words("What name?"))
	b := w.browse("ann")
	terminal := func(text string) {
		t.Helper()
		if err := w.hub.SaveDraft(t.Context(), ticket.Address, "ann", &hub.Draft{Answers: []sayso.Answer{{QuestionID: "q1", Other: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	terminal("before")
	if b.open(page); b.value("t0") != "before" {
		t.Errorf("the form has %q", b.value("t0"))
	}
	b.write(b.form(), "t0", "sent")
	b.press(b.form(), nil)
	if b.press(b.undo(), nil); b.value("t0") != "sent" {
		t.Errorf("after the undo the form has %q", b.value("t0"))
	}
	terminal("after")
	if b.open(page); b.value("t0") != "after" {
		t.Errorf("the form has %q", b.value("t0"))
	}
}

func words(text string) *sayso.Ask {
	return &sayso.Ask{Questions: []sayso.Question{{Text: text}}}
}
