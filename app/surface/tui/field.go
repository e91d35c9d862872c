package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// softLimit is the length from which on a text is called long. It is a remark,
// never a bound.
const softLimit = 2000

// field is where the person types: own words, or a note.
type field struct {
	area   textarea.Model
	secret bool // drawn as dots

	history  []string // newest first
	recalled int      // index of what is shown of it; -1: nothing
}

func newField(placeholder string, secret bool, history []string) *field {
	a := textarea.New()
	a.Prompt = ""
	a.Placeholder = placeholder
	a.ShowLineNumbers = false
	a.DynamicHeight, a.MinHeight, a.MaxHeight = true, 1, 6
	a.MaxContentHeight = 1 << 20 // else the seventh line is swallowed
	a.SetVirtualCursor(false)    // a real cursor: the windows of input methods follow it
	a.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("ctrl+j", "shift+enter", "alt+enter"))
	a.KeyMap.Paste.SetEnabled(false) // would run a clipboard program; the terminal pastes
	if secret {
		history = nil
	}
	return &field{area: a, secret: secret, history: history, recalled: -1}
}

func (f *field) value() string { return f.area.Value() }
func (f *field) empty() bool   { return sayso.Blank(f.area.Value()) }
func (f *field) length() int   { return utf8.RuneCountInString(f.area.Value()) }

func (f *field) set(s string) {
	f.area.SetValue(s)
	f.area.MoveToEnd()
	f.follow()
}

// follow moves the window of a tall text to its cursor, which only a focused
// field does by itself.
func (f *field) follow() {
	focused := f.area.Focused()
	f.area.Focus()
	f.area, _ = f.area.Update(nil)
	if !focused {
		f.area.Blur()
	}
}

func (f *field) resize(w int) { f.area.SetWidth(max(w, 4)) }

func (f *field) press(msg tea.KeyPressMsg) tea.Cmd {
	if f.secret && msg.Text == "" {
		switch msg.String() {
		case "backspace", "ctrl+h", "ctrl+u", "ctrl+w":
			f.area.MoveToEnd() // dots have no middle
		default:
			return nil
		}
	}
	f.recalled = -1
	var cmd tea.Cmd
	f.area, cmd = f.area.Update(msg)
	return cmd
}

// paste inserts text that came in one piece. Control characters stay outside, and
// so do the ones that turn the reading direction of the whole line.
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
	f.area.InsertString(s)
	f.follow()
}

// recall replaces an empty field, or what was recalled before, by an older (1) or
// a newer (-1) answer. It reports whether the key was meant for it.
func (f *field) recall(step int) bool {
	if len(f.history) == 0 || f.recalled < 0 && (f.area.Value() != "" || step < 0) {
		return false
	}
	f.recalled = min(f.recalled+step, len(f.history)-1)
	if f.recalled < 0 {
		f.area.Reset()
		return true
	}
	f.set(f.history[f.recalled])
	return true
}

// atTop reports whether the cursor is on the first line on screen.
func (f *field) atTop() bool { return f.area.Line() == 0 && f.area.LineInfo().RowOffset == 0 }

// view returns the lines of the field and where its cursor is.
func (f *field) view() ([]string, *tea.Cursor) {
	if f.secret && f.area.Value() != "" {
		lines := hardwrap(strings.Repeat("•", f.length()), f.area.Width()-1)
		var c *tea.Cursor
		if f.area.Focused() {
			c = tea.NewCursor(utf8.RuneCountInString(lines[len(lines)-1]), len(lines)-1)
		}
		return lines, c
	}
	lines := strings.Split(f.area.View(), "\n")
	return lines, f.area.Cursor()
}

// shown returns the text in one line, for places where it is not edited.
func (f *field) shown() string {
	if f.secret {
		return strings.Repeat("•", min(f.length(), 12))
	}
	return oneLine(f.value())
}
