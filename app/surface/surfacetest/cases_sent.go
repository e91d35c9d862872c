package surfacetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// types says that the person can answer with a text.
func types(p *Person) bool { return p.Type != nil }

// V3: nothing is preselected, and nothing that was not meant for it answers.
var explicit = []one{
	{"V3", "nothing is preselected", nil, func(e *env) {
		t := e.shows(database())
		e.SeesAll()
		e.answer(t)
		e.StaysOpen(t, "nothing was chosen")
	}},
	{"V3", "an empty text is no answer", types, func(e *env) {
		t := e.shows(words())
		e.Type(0, "  ")
		e.answer(t)
		e.StaysOpen(t, "nothing was typed")
	}},
	{"V3", "keys typed before it appeared", func(p *Person) bool { return p.Ahead != nil }, func(e *env) {
		t := e.Submit(database())
		e.Ahead("2\n\n1\ny\n")
		e.Show(t)
		e.StaysOpen(t, "the keys were meant for something else")
		e.Send()
		e.StaysOpen(t, "what was typed before was taken for a choice")
	}},
}

// V4: a dangerous option is marked, and takes a second action that names it.
var dangerous = []one{
	{"V4", "it takes a second action that names it", nil, func(e *env) {
		t := e.shows(danger())
		e.mustSee(strings.ToLower(e.SeesAll()), "dangerous")
		e.Choose(0, "o2")
		e.Send()
		e.StaysOpen(t, "one action is not enough")
		e.mustSee(e.Sees(), "Drop the table", "All 1,204 rows are gone for good")
		if e.Refers {
			e.refers(t)
			return
		}
		e.Confirm()
		e.wantStored(t, []string{"o2"}, "")
	}},
	{"V4", "also when its label is typed", types, func(e *env) {
		t := e.shows(danger())
		e.SeesAll()
		e.Type(0, "drop the table")
		e.Send()
		e.StaysOpen(t, "one action is not enough")
		for range 2 { // a surface may ask first whether the option is meant
			if e.Send(); !e.Now(t).Open() {
				e.Fatal("sending again is the same action, not a second one")
			}
		}
		if e.Refers {
			e.refers(t)
			return
		}
		e.Confirm()
		e.wantStored(t, []string{"o2"}, "")
	}},
	{"V4", "what is not dangerous takes one", nil, func(e *env) {
		t := e.shows(danger())
		e.SeesAll()
		e.Choose(0, "o1")
		e.Send()
		e.wantStored(t, []string{"o1"}, "")
	}},
}

// refers wants the surface to say where a dangerous option can be chosen.
func (e *env) refers(t *hub.Ticket) {
	e.Helper()
	if !inboxWords.MatchString(e.Sees() + "\n" + e.Says()) {
		e.Errorf("the surface does not say where to choose it: %q", e.Says())
	}
	e.StaysOpen(t, "the surface takes no dangerous option")
}

// inboxWords is how surfaces say where else an answer can be given.
var inboxWords = regexp.MustCompile(`(?i)inbox|sayso `)

// V5: what was sent is stored, byte for byte.
var stored = []one{
	{"V5", "words byte for byte", types, func(e *env) {
		texts := []string{" two  spaces ", "naïve 漢字 🙂 ‹x›", strings.Repeat("long ", 600) + "end", `"quoted" \n <b>`}
		if !e.Lines {
			texts = append(texts, "line one\nline two\n")
		}
		for i, text := range texts {
			if r := []rune(text); e.Field > 0 && len(r) > e.Field {
				text = string(r[:e.Field-3]) + "end" // what fits
			}
			a := words()
			a.ID = fmt.Sprint("words ", i)
			t := e.shows(a)
			e.Type(0, text)
			e.answer(t)
			e.wantStored(t, nil, text)
		}
	}},
	{"V5", "undo shows what was sent", func(p *Person) bool { return p.Undo != nil }, func(e *env) {
		t := e.shows(database())
		e.Choose(0, "o1")
		if e.Reopen != nil {
			e.Reopen(t) // a draft of the first choice is kept
		}
		e.Choose(0, "o2")
		e.answer(t)
		e.wantStored(t, []string{"o2"}, "")
		e.Undo(t)
		e.Eventually("the ask is open again", func() bool { return e.Now(t).Open() })
		e.answer(t)
		e.wantStored(t, []string{"o2"}, "")
	}},
	{"V5", "undo shows the words that were sent", func(p *Person) bool { return p.Undo != nil && p.Type != nil }, func(e *env) {
		t := e.shows(words())
		e.Type(0, "exactly this")
		e.answer(t)
		e.wantStored(t, nil, "exactly this")
		e.Undo(t)
		e.Eventually("the words are back", func() bool { return e.Now(t).Open() && sees(e.Sees(), "exactly this") })
		e.answer(t)
		e.wantStored(t, nil, "exactly this")
	}},
}

const typed = "half a thought, typed by hand"

// V6: nothing that was typed is lost.
var kept = []one{
	{"V6", "a send that fails", types, func(e *env) {
		t := e.shows(words())
		e.Type(0, typed)
		e.Kill()
		e.Send()
		e.StaysOpen(t, "the hub was away")
		e.Revive()
		if e.answer(t); e.Now(t).Open() {
			e.mustSee(e.Sees(), typed)
		}
		e.wantStored(t, nil, typed)
	}},
	{"V6", "leaving and coming back", func(p *Person) bool { return p.Reopen != nil && p.Type != nil }, func(e *env) {
		t := e.shows(words())
		e.Type(0, typed)
		e.Reopen(t)
		e.Eventually("the text is back", func() bool { return sees(e.Sees(), typed) })
		e.StaysOpen(t, "it was only left")
	}},
	{"V6", "an interruption while the hub is away", func(p *Person) bool { return p.Interrupt != nil && p.Type != nil }, func(e *env) {
		t := e.shows(two())
		e.Type(0, typed)
		e.Kill()
		e.Interrupt()
		there := sees(e.Sees(), typed)
		e.Revive()
		if !there && e.Reopen != nil {
			e.Reopen(t)
			there = sees(e.Sees(), typed)
		}
		if !there {
			e.Errorf("the text is gone:\n%s", cut(e.Sees()))
		}
		e.StaysOpen(t, "it was interrupted")
	}},
	{"V6", "a resize", func(p *Person) bool { return p.Resize != nil && p.Type != nil }, func(e *env) {
		t := e.shows(words())
		e.Type(0, typed)
		for _, size := range [][2]int{{40, 12}, {120, 50}, {80, 24}} {
			e.Resize(size[0], size[1])
			e.mustSee(e.Sees(), typed)
		}
		e.answer(t)
		e.wantStored(t, nil, typed)
	}},
}

// claims are words that say that something was done.
var claims = regexp.MustCompile(`(?i)\b(sent|answered|saved|withdrawn|cancelled|declined)\b`)

// undo is how surfaces offer it, and cannotUndo how they say that it is over.
var (
	undo       = regexp.MustCompile(`(?i)\bundo\b`)
	cannotUndo = regexp.MustCompile(`(?i)\b(cannot|can\s+no\s+longer)\s+undo\b`)
)

// V7: messages are true.
var truthful = []one{
	{"V7", "a send that fails is not called sent", nil, func(e *env) {
		t := e.shows(database())
		e.SeesAll()
		e.Choose(0, "o2")
		e.Kill()
		e.Send()
		e.StaysOpen(t, "the hub was away")
		said := regexp.MustCompile(`(?i)not (been )?sent|nothing was sent|not yet sent`).ReplaceAllString(e.Says(), "")
		if found := claims.FindString(said); found != "" {
			e.Errorf("the surface says %q while the hub has nothing: %q", found, e.Says())
		}
		e.Revive()
	}},
	{"V7", "an interruption withdraws nothing", func(p *Person) bool { return p.Interrupt != nil }, func(e *env) {
		t := e.shows(database())
		e.Interrupt()
		e.StaysOpen(t, "it was interrupted")
		said := regexp.MustCompile(`(?i)nothing was sent|not sent`).ReplaceAllString(e.Says(), "")
		if found := claims.FindString(said); found != "" {
			e.Errorf("the surface says %q of an ask that is open: %q", found, e.Says())
		}
	}},
	{"V7", "undo is offered only while it is possible", func(p *Person) bool { return p.Undo != nil }, func(e *env) {
		a := database()
		a.Final = true
		t := e.shows(a)
		e.Attend(t)
		e.Choose(0, "o2")
		e.answer(t)
		e.wantStored(t, []string{"o2"}, "")
		if e.Now(t).Consumed.IsZero() {
			e.Fatal("the answer is not stored as delivered")
		}
		if said := cannotUndo.ReplaceAllString(e.Sees()+"\n"+e.Says(), ""); undo.MatchString(said) {
			e.Errorf("the surface offers to undo what the agent has:\n%s", cut(said))
		}
	}},
	{"V7", "what was declined is said once it is", func(p *Person) bool { return p.Decline != nil }, func(e *env) {
		t := e.shows(database())
		e.Decline()
		if now := e.Closed(t); now.Status() != sayso.StatusDeclined {
			e.Errorf("stored %s", now.Status())
		}
	}},
}

// V8: who answered elsewhere, where, and what; the person's own text stays.
var elsewhere = []one{
	{"V8", "who, where and what", nil, func(e *env) {
		t := e.shows(database())
		e.Elsewhere(t, sayso.Answer{QuestionID: "q1", Selected: []string{"o2"}})
		if e.Silent {
			e.Choose(0, "o1")
			e.Send()
		}
		e.Eventually("the surface says who answered, where and what", func() bool {
			s := e.Sees() + "\n" + e.Says()
			return sees(s, "bob") && (sees(s, "web") || sees(s, "browser")) && sees(s, "SQLite")
		})
		e.wantStored(t, []string{"o2"}, "")
	}},
	{"V8", "the person's own text stays", func(p *Person) bool { return p.Type != nil && (p.Reopen != nil || p.Interrupt != nil) }, func(e *env) {
		t := e.shows(two())
		e.Type(0, typed)
		e.Elsewhere(t, sayso.Answer{QuestionID: "q1", Other: "orders"}, sayso.Answer{QuestionID: "q2", Other: "80"})
		e.Eventually("the text is there to be copied", func() bool { s := e.Sees(); return sees(s, "bob") && sees(s, typed) })
		if got, _ := e.Now(t).Outcome.Answer("q1"); got.Other != "orders" {
			e.Errorf("stored %q", got.Other)
		}
	}},
}

// V9: an answer names its ask, and never reaches another one.
var bound = []one{
	{"V9", "two asks with the same questions", nil, func(e *env) {
		a, b := database(), database()
		b.ID, b.Origin.Asker = "twin", "mallory"
		other := e.Submit(b)
		t := e.shows(a)
		e.SeesAll()
		e.Choose(0, "o2")
		e.answer(t)
		e.wantStored(t, []string{"o2"}, "")
		e.StaysOpen(other, "another ask was answered with it")
	}},
	{"V9", "an ask in the place of one that is gone", nil, func(e *env) {
		t := e.shows(database())
		e.SeesAll()
		e.Choose(0, "o2")
		if _, err := e.Hub.Withdraw(e.Context(), e.Now(t), sayso.StatusCancelled, "", sayso.Responder{}); err != nil {
			e.Fatal(err)
		}
		b := database()
		b.ID, b.Origin.Asker = "twin", "mallory"
		other := e.Submit(b)
		e.Send()
		e.StaysOpen(other, "it was answered with what was meant for another")
		if now := e.Now(t); now.Status() != sayso.StatusCancelled {
			e.Errorf("the ask that was withdrawn is %s", now.Status())
		}
	}},
	{"V9", "the answer is by who gave it", nil, func(e *env) {
		t := e.shows(database())
		e.SeesAll()
		e.Choose(0, "o2")
		e.answer(t)
		by := e.Closed(t).Outcome.By
		if !slices.Contains([]sayso.ResponderKind{sayso.ByPerson, sayso.ByProgram}, by.Kind) || by.Assurance != e.Assurance {
			e.Errorf("stored as %+v", by)
		}
	}},
}
