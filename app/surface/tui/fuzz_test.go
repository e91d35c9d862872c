package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// FuzzDialog puts any text into every place that an asker fills, on a screen of
// any size, and looks at a few frames.
func FuzzDialog(f *testing.F) {
	f.Add("Which database?", uint8(80), uint8(24), "12n\t")
	f.Add("\x1b]52;c;AA\x07\u202e\n> 1) Yes", uint8(40), uint8(16), "o/x")
	f.Add(strings.Repeat("支付服务", 20)+"\n\n```\ncode", uint8(120), uint8(30), "jjj ")
	f.Add("# a\n\n> - b **c** [d](e) ![f](g) <h> &#27;", uint8(200), uint8(50), "0x")
	f.Add("rm -rf ~\n```\n+x\x1b[2J\u202e", uint8(40), uint8(24), "oe1")
	f.Fuzz(func(t *testing.T, text string, width, height uint8, keys string) {
		if len(text) > 300 || len(keys) > 4 {
			return
		}
		w, h := max(int(width), 40), max(int(height), 16)
		ask := everywhere(text)
		if len(keys)%2 == 1 {
			ask = mayEverywhere(text)
		}
		m := New(one(ask), &Options{Guard: -1, Now: func() time.Time { return start }})
		m.Init()
		m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		for _, k := range " " + keys {
			switch k {
			case '\t':
				m.Update(tea.KeyPressMsg{Code: tea.KeyTab})
			case 'o':
				m.Update(tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl})
			default:
				m.Update(tea.KeyPressMsg{Code: k, Text: string(k)})
			}
			if m.Done() {
				t.Fatal("no Enter was pressed")
			}
			view := m.View().Content
			lines := strings.Split(view, "\n")
			if p := safe(view); p != "" {
				t.Fatalf("a frame %s", p)
			}
			if p := framed(view); p != "" {
				t.Fatalf("the frame holds %q", p)
			}
			if len(lines) > h {
				t.Fatalf("%d lines on %d rows:\n%s", len(lines), h, ansi.Strip(view))
			}
			for _, l := range lines {
				if drawnApart(l) > w {
					t.Fatalf("%d columns on %d: %q", drawnApart(l), w, l)
				}
			}
		}
	})
}
