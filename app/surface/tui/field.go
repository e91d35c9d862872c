package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

const fieldRows = 6 // of a field on the screen

// field is where the person types: own words, or a note.
type field struct {
	text        *editor
	placeholder string
	secret      bool // drawn as dots

	history  []string // newest first
	recalled int      // index of what is shown of it; -1: nothing
}

func newField(placeholder string, secret bool, history []string) *field {
	if secret {
		history = nil
	}
	return &field{text: newEditor(secret), placeholder: placeholder, secret: secret, history: history, recalled: -1}
}

func (f *field) value() string { return f.text.value() }
func (f *field) empty() bool   { return sayso.Blank(f.value()) }
func (f *field) length() int   { return utf8.RuneCountInString(f.value()) }

func (f *field) set(s string) { f.text.set(s) }

// press takes a key. Dots have no middle, so a secret is typed and deleted at its
// end only.
func (f *field) press(msg tea.KeyPressMsg) {
	if f.secret && msg.Text == "" {
		switch msg.String() {
		case "backspace", "ctrl+h", "ctrl+u", "ctrl+w":
			f.text.toEnd()
		default:
			return
		}
	}
	f.recalled = -1
	f.text.press(msg)
}

// paste inserts text that came in one piece. Terminals send line ends as carriage
// returns. Other control characters stay outside, and so do the ones that turn the
// reading direction of the whole line.
func (f *field) paste(s string) {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if f.secret {
		s = strings.TrimSpace(strings.ReplaceAll(s, "\n", " "))
	}
	f.recalled = -1
	f.text.insert(s)
}

// recall replaces an empty field, or what was recalled before, by an older (1) or
// a newer (-1) answer. It reports whether the key was meant for it.
func (f *field) recall(step int) bool {
	if len(f.history) == 0 || f.recalled < 0 && (f.value() != "" || step < 0) {
		return false
	}
	f.recalled = min(f.recalled+step, len(f.history)-1)
	if f.recalled < 0 {
		f.set("")
		return true
	}
	f.set(f.history[f.recalled])
	return true
}

// view draws the field, and says how many rows its text has and where the cursor
// is.
func (f *field) view() (lines []string, rows int, cursor *tea.Cursor) {
	lines, rows, x, y := f.text.view(fieldRows)
	return lines, rows, tea.NewCursor(x, y)
}

// shown returns the text in one line, for places where it is not edited.
func (f *field) shown() string {
	if f.secret {
		return strings.Repeat("•", min(f.length(), 12))
	}
	return sayso.SafeLine(oneLine(f.value()))
}
