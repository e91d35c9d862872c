package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// deskViews are the screens of an inbox at a hub that offers everything, each at three
// widths.
var deskViews = []struct {
	name string
	asks []*sayso.Ask
	opts Options
	do   func(r *room)
}{
	{"desk-held", []*sayso.Ask{databases(), keep()}, Options{}, func(r *room) { r.slowly("enter", "2") }},
	{"desk-earlier", []*sayso.Ask{databases()}, Options{}, func(r *room) {
		r.answered(databases(), "o2")
		a := databases()
		a.ID = "ask_again"
		r.submit(a)
		r.wait(time.Second)
		r.slowly("enter")
	}},
	{"desk-later", []*sayso.Ask{databases(), keep()}, Options{}, func(r *room) { r.slowly("enter", "e") }},
	{"desk-decline", []*sayso.Ask{databases(), keep()}, Options{}, func(r *room) { r.slowly("x"); r.types("not before the release") }},
	{"desk-filter", []*sayso.Ask{databases(), branches()}, Options{}, func(r *room) { r.slowly("f") }},
	{"desk-search", []*sayso.Ask{databases(), keep(), branches()}, Options{}, func(r *room) {
		r.answered(databases(), "o2")
		r.slowly("/")
		r.types("data")
		r.wait(time.Second)
	}},
	{"desk-group", []*sayso.Ask{databases(), branches(), talking(keep(), "Logs of May"), talking(features(), "Logs of May")}, Options{}, func(r *room) { r.slowly("g") }},
	{"desk-history", []*sayso.Ask{databases(), keep(), name()}, Options{}, func(r *room) {
		r.answered(databases(), "o2")
		r.answered(keep(), "o1")
		r.slowly("v", "3")
	}},
	{"desk-past", []*sayso.Ask{databases()}, Options{}, func(r *room) { r.answered(databases(), "o2"); r.slowly("v", "3", "enter") }},
	{"desk-identical", []*sayso.Ask{databases(), from(databases(), "codex"), from(databases(), "crush")}, Options{}, func(r *room) { r.slowly("enter", "b") }},
	{"desk-pick", []*sayso.Ask{mayRun(), from(mayRun(), "codex"), keep()}, Options{}, func(r *room) { r.slowly("b", "down", "space") }},
	{"desk-batch", []*sayso.Ask{mayRun(), from(mayRun(), "codex")}, Options{}, func(r *room) { r.slowly("b", "down", "space", "enter", "1") }},
	{"desk-keys", []*sayso.Ask{databases()}, Options{}, func(r *room) { r.slowly("?") }},
	{"desk-german", []*sayso.Ask{databases(), keep()}, Options{Words: German()}, func(r *room) { r.slowly("enter", "2") }},
	{"desk-german-keys", []*sayso.Ask{databases()}, Options{Words: German()}, func(r *room) { r.slowly("?") }},
	{"desk-german-later", []*sayso.Ask{databases(), keep()}, Options{Words: German()}, func(r *room) { r.slowly("e") }},
}

// talking is an ask of a conversation.
func talking(a *sayso.Ask, conversation string) *sayso.Ask {
	a.Origin.Conversation = conversation
	return a
}

// from is an ask of another agent.
func from(a *sayso.Ask, host string) *sayso.Ask {
	a.ID, a.Origin.Host, a.AskedAt = "ask_of_"+host, host, a.AskedAt.Add(time.Second)
	return a
}

func TestDeskScreens(t *testing.T) {
	for _, v := range deskViews {
		t.Run(v.name, func(t *testing.T) {
			var got strings.Builder
			for _, term := range widths {
				fmt.Fprintf(&got, "=== %d × %d\n", term.w, term.h)
				synctest.Test(t, func(t *testing.T) {
					opts := v.opts
					opts.Guard = -1
					r := sitAtDesk(t, term, &opts, v.asks...)
					r.box.zone = time.UTC
					v.do(r)
					got.WriteString(r.sees())
				})
			}
			golden(t, "screens/"+v.name+".txt", got.String())
		})
	}
}

// Whatever an asker writes, the screens of the inbox show it as data, behind the three
// columns of the frame.
func TestDeskHostile(t *testing.T) {
	evil := "\x1b]2;owned\a\x1b[2J\u202e❯ 1 ● Yes\nAsked by: admin\r" + strings.Repeat("W", 300)
	bad := func(a *sayso.Ask, id string) *sayso.Ask {
		a.ID = id
		a.Origin = sayso.Origin{Host: evil, Agents: []string{evil}, Workspace: evil, Branch: evil, Conversation: "talk " + strings.Repeat("W", 90)}
		for i := range a.Questions {
			a.Questions[i].Text += evil
		}
		return a
	}
	for _, term := range widths {
		for _, keys := range [][]string{nil, {"g"}, {"f"}, {"f", "1"}, {"enter", "b"}, {"v", "3"}, {"v", "3", "enter"}, {"v", "4"}, {"x"}, {"e"}, {"d"}, {"enter", "2"}, {"?"}} {
			synctest.Test(t, func(t *testing.T) {
				r := sitAtDesk(t, term, nil, bad(databases(), "a"), bad(databases(), "b"), bad(keep(), "c"))
				c := &sayso.Ask{ID: "c", Origin: sayso.Origin{Conversation: "talk " + strings.Repeat("W", 90)}}
				if tk, err := r.hub.Get(t.Context(), hub.AddressOf("t", c)); err == nil {
					o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: tk.Ask.Questions[0].ID, Other: evil}}}
					if _, err := r.bob().Close(t.Context(), tk, o); err != nil {
						t.Fatal(err)
					}
				} else {
					t.Fatal(err)
				}
				r.wait(time.Second)
				r.slowly(keys...)
				if s := r.written(); strings.Contains(s, "owned\a") || strings.Contains(s, "\u202e") {
					t.Errorf("%v: what the asker wrote reached the terminal", keys)
				}
				for _, line := range strings.Split(r.sees(), "\n") {
					if columns(line) > term.w {
						t.Errorf("%v: %d columns on %d: %q", keys, columns(line), term.w, line)
					}
					for _, pane := range strings.Split(line, "│") {
						if head := []rune(pane); len(head) > 3 && strings.ContainsAny(string(head[:3]), "WAY1●") {
							t.Errorf("%v: the asker's text is in the frame: %q", keys, line)
						}
					}
				}
			})
		}
	}
}

// The initial of an agent can be read on every hue, and its name alone decides which.
func TestAgentMarks(t *testing.T) {
	light := func(c rgb) float64 {
		var sum float64
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(c[i]) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	seen := map[rgb]bool{}
	for degrees := 0.0; degrees < 360; degrees += 15 {
		c := hue(degrees)
		if ratio := 1.05 / (light(c) + 0.05); ratio < 4.5 {
			t.Errorf("%v°: white on %v has %.1f:1", degrees, c, ratio)
		}
		seen[c] = true
	}
	if len(seen) != 24 {
		t.Errorf("%d hues", len(seen))
	}
	b := NewInbox(t.Context(), nil, nil)
	for host, want := range map[string]string{"claude-code": " C ", "": " ? ", "·pi": " P ", "助手": " 助"} {
		got := ansi.Strip(b.mark(hub.Item{Ticket: &hub.Ticket{Ask: &sayso.Ask{Origin: sayso.Origin{Host: host}}}}))
		if got != want || columns(got) != 3 {
			t.Errorf("%q has the mark %q", host, got)
		}
	}
}
