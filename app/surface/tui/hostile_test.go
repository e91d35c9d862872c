package tui

import (
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// hostileWalk leads through every page and state.
var hostileWalk = []string{"", "1", "ctrl+o", "n", "esc", "c", "esc", "tab", "2", "0", "esc", "tab", "tab", "esc", "ctrl+d"}

// frames calls see with every frame of the walk.
func frames(t *testing.T, a *sayso.Ask, sizes []terminal, see func(view string)) {
	t.Helper()
	for _, term := range sizes {
		m := New(one(a), &Options{Guard: -1, Now: func() time.Time { return start }})
		m.Init()
		m.Update(tea.WindowSizeMsg{Width: term.w, Height: term.h})
		for _, k := range hostileWalk {
			if k != "" {
				m.Update(keyOf(t, k))
			}
			see(m.View().Content)
		}
		o := elsewhere(a.Origin.Host, sayso.StatusAnswered)
		o.By.ID, o.Reply = a.Origin.Host, a.Origin.Host
		m.Update(ClosedElsewhereMsg{a.ID, o})
		see(m.View().Content)
		m.forms[0].outcome = o
		see("   " + m.Record(0, term.w-3)) // it is not framed: nothing else is on screen
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// safe reports what of a drawn frame must not reach a terminal.
func safe(view string) (problem string) {
	if !utf8.ValidString(view) {
		return "is no UTF-8"
	}
	for _, r := range sgr.ReplaceAllString(view, "") {
		switch {
		case r == '\n':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r),
			unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), r >= 0xE0000 && r <= 0xE0FFF:
			return "has " + strings.ToUpper(hexRune(r))
		}
	}
	return ""
}

func hexRune(r rune) string {
	return "U+" + strings.ToUpper(hex.EncodeToString([]byte{byte(r >> 16), byte(r >> 8), byte(r)}))
}

// drawnApart is how many columns a line takes where a terminal draws every character
// by itself. It is written apart from the measure that lines are made with.
func drawnApart(line string) (n int) {
	for _, r := range ansi.Strip(line) {
		if !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			n += max(ansi.StringWidth(string(r)), 1)
		}
	}
	return n
}

// framed reports the first line in which the frame's columns hold anything but
// the frame's own marks.
func framed(view string) (problem string) {
	if strings.Join(strings.Fields(ansi.Strip(view)), " ") == English().TooSmall {
		return "" // nothing of the asker is shown
	}
	for _, l := range strings.Split(ansi.Strip(view), "\n") {
		edge := []rune(ansi.Truncate(l, 3, ""))
		for i, r := range edge {
			if r != ' ' && (i != 1 || !strings.ContainsRune("▎❯◆▸→●○✓✗", r)) {
				return l
			}
		}
	}
	return ""
}

func TestHostileCorpus(t *testing.T) {
	for i, s := range corpus(t, "terminal", "layout", "unicode") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			see := func(view string) {
				if p := safe(view); p != "" {
					t.Errorf("a frame %s", p)
				}
				if p := framed(view); p != "" {
					t.Errorf("the frame holds %q", p)
				}
				for _, l := range strings.Split(view, "\n") {
					if n := drawnApart(l); n > widths[i%3].w {
						t.Errorf("%d columns on %d: %q", n, widths[i%3].w, l)
					}
				}
				for _, never := range s.Never {
					if never != "\n" && strings.Contains(sgr.ReplaceAllString(view, ""), never) {
						t.Errorf("a frame holds %q", never)
					}
				}
			}
			frames(t, everywhere(s.Text), widths[i%3:i%3+1], see)
			frames(t, mayEverywhere(s.Text), widths[i%3:i%3+1], see)
		})
	}
}

// What reaches the terminal is what the renderer makes of a frame; it must not
// ring, retitle, link or leave anything behind either.
func TestHostileBytesOnTheWire(t *testing.T) {
	allowed := regexp.MustCompile(`\x1b\[[0-9;?>=]*[@A-HJKLMPXdfhlmnpu]|\x1b\[[0-9;?>]*\$p|\x1b\[[0-9;]* q|\x1b\]11;\?(\x07|\x1b\\)|[\r\n\x08]`)
	for _, s := range corpus(t, "terminal", "layout", "unicode") {
		synctest.Test(t, func(t *testing.T) {
			p := sit(t, New(one(everywhere(s.Text)), &Options{Guard: -1}), terminal{w: 80, h: 30})
			p.press("down", "ctrl+o")
			p.press("tab", "1", "n")
			rest := allowed.ReplaceAllString(p.raw.String(), "")
			if at := strings.IndexFunc(rest, unicode.IsControl); at >= 0 {
				t.Fatalf("%s: %.40q is on the wire", s.Name, rest[at:])
			}
		})
	}
}

// The asker's text is made of one letter that we never use, so it can be told
// from ours in every cell.
func TestAskerTextStaysInItsColumns(t *testing.T) {
	const asker = 'Ж'
	long := strings.Repeat(strings.Repeat(string(asker), 9)+" ", 30)
	for name, text := range map[string]string{
		"short": "ЖЖЖ", "long": long, "unbroken": strings.Repeat(string(asker), 500),
		"lines": strings.Repeat("Ж\n", 60), "padded": strings.Repeat(" ", 300) + "Ж", "spaces": strings.Repeat("Ж   ", 50),
	} {
		t.Run(name, func(t *testing.T) {
			a := everywhere(text)
			for i := range a.Questions {
				a.Questions[i].Text = text
				for j := range a.Questions[i].Options {
					a.Questions[i].Options[j].Label = strings.Repeat("Ж", j) + text
				}
			}
			var foot []string
			frames(t, a, widths, func(view string) {
				if p := framed(view); p != "" {
					t.Fatalf("the frame holds %q", p)
				}
				lines := strings.Split(ansi.Strip(view), "\n")
				for _, l := range lines {
					at := strings.IndexRune(l, asker)
					gutter := regexp.MustCompile(`^ [ ❯] [0-9n! ] (○|●|✎|\[[ x]\]) `).FindString(l)
					if at >= 0 && gutter != "" && at < len(gutter) {
						t.Fatalf("the asker writes into the marks: %q", l)
					}
				}
				foot = append(foot, lines[len(lines)-1])
			})
			for _, l := range foot {
				if strings.ContainsRune(l, asker) && !strings.HasPrefix(l, "   ✓") {
					t.Errorf("the asker writes into the foot: %q", l)
				}
			}
		})
	}
}

// Honest text of every script is shown as it is.
func TestLegitCorpus(t *testing.T) {
	for _, s := range corpus(t, "legit") {
		a := databases()
		a.Questions[0].Text = s.Text
		a.Normalize()
		m := New(one(a), &Options{Guard: -1})
		m.Init()
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 60})
		var seen strings.Builder
		for _, l := range strings.Split(ansi.Strip(m.View().Content), "\n") {
			if text, ok := strings.CutPrefix(l, " ▎ "); ok {
				seen.WriteString(text + " ")
			}
		}
		got, want := strings.Fields(seen.String()), strings.Fields("Database "+a.Questions[0].Text)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", s.Name, got, want)
		}
	}
}

func TestHostileCorpusInTheInbox(t *testing.T) {
	for i, s := range corpus(t, "terminal", "layout", "unicode") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			term := widths[i%3]
			b := NewInbox(t.Context(), nil, &Options{Guard: -1, Now: func() time.Time { return start }})
			b.calls.save = func(*hub.Ticket, *hub.Draft) error { return errors.New(s.Text) }
			b.Update(tea.WindowSizeMsg{Width: term.w, Height: term.h})
			a := everywhere(s.Text)
			for _, id := range []string{"one", "two"} { // as if nobody had cleaned it
				b.told(hub.Change{Ticket: &hub.Ticket{Address: hub.Address{Tenant: "t", ID: id}, Ask: a, Revision: 1}})
			}
			see := func() {
				view := b.View().Content
				if p := safe(view); p != "" {
					t.Errorf("a frame %s", p)
				}
				if p := framed(view); p != "" {
					t.Errorf("the frame holds %q", p)
				}
				for _, l := range strings.Split(view, "\n") {
					if drawnApart(l) > term.w {
						t.Errorf("%d columns: %q", drawnApart(l), l)
					}
				}
			}
			see()
			b.listed(listedMsg{inbox: b, err: errors.New(s.Text)})
			see()
			for _, k := range []string{"enter", "down", "esc"} {
				b.Update(keyOf(t, k))
				see()
			}
			f := b.dialog.forms[0]
			b.Update(ClosedMsg{f.ask, f.outcome})
			see()
		})
	}
}
