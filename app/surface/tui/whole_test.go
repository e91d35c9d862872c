package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
)

// A long header is shown whole, although the tabs have no room for it.
func TestLongHeaderIsWhole(t *testing.T) {
	header := strings.Repeat("nothing but words ", 8) + "and drop the table"
	for _, a := range []*sayso.Ask{databases(), service(), secret()} {
		a.Questions[0].Header = header
		dialog(t, nil, func(p *person, _ *Model) {
			p.resizes(40, 30)
			if got := squeeze(strings.ReplaceAll(p.sees(), bar, "")); !strings.Contains(got, header) {
				t.Errorf("the header is not whole on\n%s", p.sees())
			}
		}, a)
	}
}

// marksUpTo is a text of so many runes in lines with a mark each.
func marksUpTo(runes int) (text string, marks []string) {
	for len(text) < runes {
		marks = append(marks, fmt.Sprintf("MARK%dX", len(marks)))
		text += marks[len(marks)-1] + " of a text that is long\n"
	}
	return text, marks
}

// Text of 2,000 runes is never cut: it scrolls, and until its end was in sight no
// answer is taken.
func TestLongTextScrolls(t *testing.T) {
	text, marks := marksUpTo(2000)
	for name, put := range map[string]func(*sayso.Question){
		"body":        func(q *sayso.Question) { q.Body = text },
		"question":    func(q *sayso.Question) { q.Text = text },
		"description": func(q *sayso.Question) { q.Options[1].Description = text },
		"label":       func(q *sayso.Question) { q.Options[1].Label = strings.ReplaceAll(text, "\n", " ") },
		"preview":     func(q *sayso.Question) { q.Options[1].Preview = text },
	} {
		for _, size := range []terminal{{w: 40, h: 24}, {w: 80, h: 24}, {w: 160, h: 24}} {
			t.Run(fmt.Sprint(name, " ", size.w), func(t *testing.T) {
				a := databases()
				put(&a.Questions[0])
				dialog(t, nil, func(p *person, m *Model) {
					p.resizes(size.w, size.h)
					p.slowly("2", "2", "enter", "enter", "enter")
					if m.Done() {
						t.Fatal("an answer was taken before all was in sight")
					}
					p.slowly("ctrl+o")
					all := p.sees()
					for range 100 {
						p.press("pgdown")
						all += p.sees()
					}
					for _, mark := range marks {
						if !strings.Contains(all, mark) {
							t.Fatalf("%s is never in sight", mark)
						}
					}
					p.slowly("down", "up")
					for range 10 { // a long label is reviewed screen by screen
						p.slowly("enter")
					}
					if got := answersOf(m, 0); len(got) != 1 || len(got[0].Selected) != 1 || got[0].Selected[0] != "o2" {
						t.Errorf("answers %v on\n%s", got, p.sees())
					}
				}, a)
			})
		}
	}
}

// A review that is taller than the screen is sent once its end was in sight.
func TestReviewIsReadToItsEnd(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.resizes(40, 24)
		p.slowly("0")
		p.pastes(strings.Repeat("a long reason ", 60) + "and the END")
		p.slowly("enter")
		p.mustSee("Review and send")
		p.mustNotSee("END")
		p.slowly("enter")
		if m.Done() {
			t.Fatal("the review was sent before its end was in sight")
		}
		p.mustSee("END", "This is part of your answer, too.")
		p.slowly("enter")
		if status(m, 0) != sayso.StatusAnswered {
			t.Errorf("status %q on\n%s", status(m, 0), p.sees())
		}
	}, databases())
}

// After an answer nothing is called a draft: neither words that were typed before an
// option was chosen, nor what could not be kept while the hub was away.
func TestAnAnswerLeavesNoDraftBehind(t *testing.T) {
	for name, away := range map[string]bool{"the hub is there": false, "the hub was away": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := surfacetest.NewWorld(t)
				p := openDialog(w)
				ticket := w.Submit(databases())
				p.Show(ticket)
				if away {
					w.Kill()
				}
				p.Type(0, "half a thought")
				p.Choose(0, "o2")
				if away {
					p.Send()
					w.Revive()
				}
				p.Send()
				if got := w.Closed(ticket).Outcome.Answers[0]; got.Other != "" || len(got.Selected) != 1 {
					t.Errorf("stored %v", got)
				}
				if s := p.Sees(); !strings.Contains(s, "✓ Database: SQLite") || strings.Contains(s, "half") || strings.Contains(s, "kept") {
					t.Errorf("left on the terminal:\n%s", s)
				}
			})
		})
	}
}

// Own words that name an option choose it only in a window that can show it.
func TestNamedOptionNeedsRoom(t *testing.T) {
	for h := 5; h <= 24; h++ {
		dialog(t, nil, func(p *person, m *Model) {
			p.slowly("0")
			p.types("sqlite")
			p.resizes(30, h)
			p.slowly("enter")
			s := m.form().sheets[0]
			shown := strings.Contains(squeeze(p.sees()), "SQLite")
			if s.picked[1] && !shown {
				t.Errorf("%d rows: chosen unseen on\n%s", h, p.sees())
			}
			if !s.picked[1] && s.words.value() != "sqlite" {
				t.Errorf("%d rows: the words became %q", h, s.words.value())
			}
			p.resizes(80, 24)
			for range 3 { // choose, where there was no room, and confirm
				p.slowly("enter")
			}
			if got := answersOf(m, 0); len(got) != 1 || len(got[0].Selected) != 1 || got[0].Selected[0] != "o2" {
				t.Errorf("%d rows: answers %v on\n%s", h, got, p.sees())
			}
		}, databases())
	}
}
