package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
)

// TestStyles shows colours and weights on a dark and a light terminal, and what
// is left of them where colour is off.
func TestStyles(t *testing.T) {
	for _, term := range []struct {
		name string
		terminal
	}{
		{"dark", terminal{w: 80, h: 30, profile: colorprofile.TrueColor}},
		{"light", terminal{w: 80, h: 30, profile: colorprofile.TrueColor, light: true}},
		{"ansi16", terminal{w: 80, h: 30, profile: colorprofile.ANSI}},
		{"no-color", terminal{w: 80, h: 30, profile: colorprofile.ASCII}},
	} {
		t.Run(term.name, func(t *testing.T) {
			var got strings.Builder
			for _, v := range []struct {
				ask  *sayso.Ask
				keys []string
			}{
				{withPreviews(), []string{"2"}},
				{service(), []string{"2", "shift+tab", "ctrl+d"}},
				{branches(), []string{"2", "enter"}},
				{mayEdit(), []string{"ctrl+o"}},
			} {
				synctest.Test(t, func(t *testing.T) {
					m := New(one(v.ask), &Options{Now: func() time.Time { return start }, Guard: -1})
					p := sit(t, m, term.terminal)
					p.press(v.keys...)
					for _, l := range strings.Split(trimmed(p.screen.Render()), "\n") {
						fmt.Fprintln(&got, strings.ReplaceAll(l, "\x1b", "␛"))
					}
				})
			}
			if term.name == "no-color" {
				for _, colour := range []string{"[38;", "[3", "[48;"} {
					for _, seq := range strings.Split(got.String(), "␛")[1:] {
						if strings.HasPrefix(seq, colour) && !strings.HasPrefix(seq, "[3m") {
							t.Errorf("colour %q", seq)
						}
					}
				}
			}
			golden(t, "styles/"+term.name+".txt", got.String())
		})
	}
}

// shrinking is a program whose frame gets shorter and taller.
type shrinking int

func (n shrinking) Init() tea.Cmd { return nil }
func (n shrinking) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if to, ok := msg.(shrinking); ok {
		return to, nil
	}
	return n, nil
}
func (n shrinking) View() tea.View {
	var lines []string
	for i := range int(n) {
		lines = append(lines, fmt.Sprintf("%d of %d", i, n))
	}
	return tea.NewView(strings.Join(lines, "\n"))
}

// TestNoGhostRows guards the pin of ultraviolet: with v0.0.0-20260811164956, which
// lipgloss v2.0.6 asks for, a frame that gets shorter leaves its old rows behind.
func TestNoGhostRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(t, shrinking(10), terminal{w: 60, h: 20})
		for _, n := range []int{10, 7, 10, 5, 12, 1, 3} {
			p.program.Send(shrinking(n))
			p.wait(100 * time.Millisecond)
			want := trimmed(shrinking(n).View().Content)
			if got := p.sees(); got != want {
				t.Fatalf("after a frame of %d rows:\n%s", n, got)
			}
		}
	})
}

// TestTheScreenIsTheView walks through the dialog at random, resizing the
// terminal, and finds nothing on screen but what View returned.
func TestTheScreenIsTheView(t *testing.T) {
	names := []string{"up", "down", "1", "2", "3", "0", "space", "tab", "shift+tab", "n", "/", "x", "ctrl+o", "pgdown", "pgup", "esc", "esc", "ctrl+j", "backspace", "left"}
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			asks := []*sayso.Ask{service(), withPreviews(), frameworks(), lengthy(), cjk(), deadline()}
			m := New(one(asks[int(seed)%len(asks)]), &Options{Guard: -1, Now: func() time.Time { return start }})
			p := sit(t, m, terminal{w: 80, h: 24})
			for step := range 60 {
				what := names[random.IntN(len(names))]
				if random.IntN(6) == 0 {
					w, h := 40+random.IntN(160), 16+random.IntN(30)
					what = fmt.Sprintf("resize to %d × %d", w, h)
					p.resizes(w, h)
				} else {
					p.press(what)
				}
				p.wait(100 * time.Millisecond)
				want := trimmed(ansi.Strip(m.View().Content))
				if got := p.sees(); got != want {
					t.Fatalf("seed %d, step %d, %s:\n%s\nwant\n%s", seed, step, what, got, want)
				}
			}
		})
	}
}

// The renderer forgets what it drew beyond the old edge of a screen that became
// wider, and would begin there, in the middle of a wide letter.
func TestWideLettersSurviveAWiderScreen(t *testing.T) {
	for _, w := range []int{55, 56, 57, 58} {
		synctest.Test(t, func(t *testing.T) {
			m := New(one(cjk()), &Options{Guard: -1, Now: func() time.Time { return start }})
			p := sit(t, m, terminal{w: w, h: 24})
			p.resizes(120, 24)
			p.wait(time.Second)
			p.press("down", "down")
			if got, want := p.sees(), trimmed(ansi.Strip(m.View().Content)); got != want {
				t.Errorf("from %d columns:\n%s\nwant\n%s", w, got, want)
			}
		})
	}
}

// Every view fits the screen it is drawn for.
func TestNothingIsWiderOrTallerThanTheScreen(t *testing.T) {
	for _, v := range views {
		for _, w := range []int{40, 80, 110, 200} {
			for _, h := range []int{16, 40} {
				m := New(v.asks, &Options{Words: v.opts.Words, Now: func() time.Time { return start }, Guard: -1})
				m.Init()
				m.Update(tea.WindowSizeMsg{Width: w, Height: h})
				for _, k := range []string{"", "2", "n", "esc", "ctrl+o", "tab", "esc"} {
					if k != "" {
						m.Update(keyOf(t, k))
					}
					lines := strings.Split(m.View().Content, "\n")
					if len(lines) > h {
						t.Errorf("%s at %d × %d after %q: %d lines", v.name, w, h, k, len(lines))
					}
					for _, l := range lines {
						if drawnApart(l) > w {
							t.Errorf("%s at %d × %d after %q: %d columns in %q", v.name, w, h, k, drawnApart(l), l)
						}
					}
				}
			}
		}
	}
}

// The cursor is a real one, where the text is: windows of input methods follow it.
func TestCursorIsWhereOneTypes(t *testing.T) {
	m := New(one(cjk()), &Options{Guard: -1})
	m.Init()
	if m.View().Cursor != nil {
		t.Error("a cursor in the list")
	}
	m.Update(keyOf(t, "0"))
	m.Update(tea.PasteMsg{Content: "数据"})
	v := m.View()
	if v.Cursor == nil {
		t.Fatal("no cursor")
	}
	line := strings.Split(ansi.Strip(v.Content), "\n")[v.Cursor.Y]
	if !strings.Contains(line, "数据") || v.Cursor.X != ansi.StringWidth(line[:strings.Index(line, "数据")])+4 {
		t.Errorf("cursor at %d of %q", v.Cursor.X, line)
	}
	if v.Cursor.Color != nil || v.MouseMode != tea.MouseModeNone || v.AltScreen || v.WindowTitle != "" {
		t.Errorf("view %+v", v)
	}
	m.Update(keyOf(t, "ctrl+c"))
	if m.View().Cursor != nil {
		t.Error("a cursor under the bar")
	}
}
