package tui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/testenv"
)

// TestKeysActOnWhatIsInSight has somebody press any keys in windows of any size.
// What a key changes was on the screen when it was pressed, as far as the text of
// the screen tells: the oracle does not know how the dialog draws.
func TestKeysActOnWhatIsInSight(t *testing.T) {
	pressed, answers := anyKeys(t, os.Getenv("SAYSO_LONG") != "")
	t.Logf("%d keys, %d answers", pressed, answers)
	if answers < pressed/1000 {
		t.Errorf("%d keys gave only %d answers: they do not show much", pressed, answers)
	}
}

// TestFigure_TUIKEYS counts the answers that came from something out of sight.
func TestFigure_TUIKEYS(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	pressed, answers := anyKeys(t, true)
	t.Logf("FIGURE TUIKEYS 0 unseen/%d", pressed)
	t.Logf("%d answers were sent", answers)
}

// anyKeys presses some thousand keys, or more than 10⁵ in the long run, and fails
// the test at the first that acts on what is out of sight.
func anyKeys(t *testing.T, long bool) (pressed, answers int) {
	checks, keys := 50, 100
	if long {
		checks, keys = 250, 500
	}
	for name, value := range map[string]string{
		"rapid.checks": fmt.Sprint(checks), "rapid.steps": fmt.Sprint(keys), "rapid.nofailfile": "true", "rapid.shrinktime": "10s",
		"rapid.seed": fmt.Sprint(1 + testenv.Rand(t).Uint64N(1<<62)), // 0 would draw one
	} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWatcher(t, rt)
		rt.Repeat(map[string]func(*rapid.T){"act": func(rt *rapid.T) {
			w.rt = rt
			w.act(anyAction.Draw(rt, "action"))
			pressed++
		}})
		answers += w.answers
	})
	return pressed, answers
}

// twenty is an ask with twenty options whose descriptions wrap. The label and the
// number of each option name it.
func twenty(several, previews, danger bool, body int) *sayso.Ask {
	q := sayso.Question{Header: "Many", Text: "Which of these?", Multi: several}
	for i := range 20 {
		o := sayso.Option{
			ID: fmt.Sprint("o", i+1), Label: optionMark(i) + " is a label of some length",
			Description: strings.Repeat("A description that takes more than one line. ", 3),
			Danger:      danger && i%3 == 1,
		}
		if previews && i%2 == 0 {
			o.Preview = strings.Repeat("what it would do\n", 1+2*i)
		}
		q.Options = append(q.Options, o)
	}
	for i := range body {
		q.Body += fmt.Sprintf("- line %d of the body\n", i)
	}
	return &sayso.Ask{ID: "ask_twenty", Origin: origin, Questions: []sayso.Question{q}}
}

func optionMark(i int) string { return fmt.Sprintf("OPTION-%02d", i+1) }

// action is a key, a paste, or another size of the window.
type action struct {
	key, paste string
	size       *tea.WindowSizeMsg
}

func (a action) GoString() string { return a.String() }

func (a action) String() string {
	if a.size != nil {
		return fmt.Sprintf("%d × %d", a.size.Width, a.size.Height)
	}
	return fmt.Sprintf("%s%.10q", a.key, a.paste)
}

var anyAction = rapid.Custom(func(t *rapid.T) action {
	switch n := rapid.IntRange(0, 99).Draw(t, "kind"); {
	case n < 8:
		size := rapid.SampledFrom([]tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 40, Height: 24}, {Width: 120, Height: 40}}).Draw(t, "size")
		return action{size: &size}
	case n < 11:
		return action{size: &tea.WindowSizeMsg{Width: rapid.IntRange(15, 160).Draw(t, "width"), Height: rapid.IntRange(4, 60).Draw(t, "height")}}
	case n < 14:
		return action{paste: rapid.SampledFrom([]string{"zz", "zz\nzz", strings.Repeat("zzz ", 450)}).Draw(t, "paste")}
	}
	return action{key: rapid.SampledFrom(someKeys).Draw(t, "key")}
})

// someKeys are the keys of the dialog, the likely ones several times.
var someKeys = strings.Fields(`
	down down down down down down up up up up pgdown pgdown pgdown pgdown pgdown pgup pgup pgup pgup home end end
	enter enter enter enter enter enter enter enter enter enter enter enter space space space space space space
	ctrl+o ctrl+o ctrl+o ctrl+o 0 1 3 5 5 5 9 9 z z z z y y y n n / s esc esc esc esc
	tab shift+tab backspace backspace ctrl+j ctrl+u left j ctrl+c ctrl+d`)

// watcher presses keys in a dialog, and looks at the screen before each.
type watcher struct {
	t        *testing.T
	rt       *rapid.T
	ask      *sayso.Ask
	m        *Model
	w, h     int
	reviewed map[string]bool // what the review has shown of the answer as it is
	answers  int
}

func newWatcher(t *testing.T, rt *rapid.T) *watcher {
	w := &watcher{t: t, rt: rt, w: 80, h: 24}
	if rapid.Bool().Draw(rt, "narrow") {
		w.w = 40
	}
	w.ask = twenty(rapid.Bool().Draw(rt, "several"), rapid.Bool().Draw(rt, "previews"), rapid.Bool().Draw(rt, "danger"),
		rapid.SampledFrom([]int{0, 3, 40}).Draw(rt, "body"))
	w.opens()
	return w
}

// opens shows the ask anew.
func (w *watcher) opens() {
	w.m = New(one(w.ask), &Options{Guard: -1, Now: func() time.Time { return start }})
	w.m.look = look{} // colours take time, and are cut off again
	w.m.Init()
	w.m.Update(tea.WindowSizeMsg{Width: w.w, Height: w.h})
	w.reviewed = map[string]bool{}
}

// screen is what a terminal of this size shows.
func (w *watcher) screen() ([]string, *tea.Cursor) {
	v := w.m.View()
	lines := strings.Split(ansi.Strip(v.Content), "\n")
	if len(lines) > max(w.h, 1) {
		w.rt.Fatalf("%d lines on %d rows:\n%s", len(lines), w.h, v.Content)
	}
	for _, l := range lines {
		if n := drawnApart(l); n > w.w {
			w.rt.Fatalf("%d columns on %d: %q", n, w.w, l)
		}
	}
	return lines, v.Cursor
}

// state is everything that a key can change about an answer.
type state struct {
	picked      []string
	words, note string
	filter      string
	page        int
}

func (w *watcher) state() state {
	s := w.m.forms[0].sheets[0]
	var picked []string
	for i, p := range s.picked {
		if p {
			picked = append(picked, optionMark(i))
		}
	}
	return state{picked, s.words.value(), s.note.value(), s.filter, w.m.forms[0].page}
}
