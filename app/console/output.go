package console

import (
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
)

// Say tells the person something: one paragraph on standard error.
func (w *World) Say(format string, args ...any) {
	fmt.Fprintln(w.Err, sayso.SafeText(fmt.Sprintf(format, args...)))
}

// Tell is [World.Say] for sentences of our own: on a terminal, lines break between
// words.
func (w *World) Tell(format string, args ...any) {
	text := sayso.SafeText(fmt.Sprintf(format, args...))
	if columns := width(w.Err); columns > 0 {
		text = ansi.Wordwrap(text, columns, "")
	}
	fmt.Fprintln(w.Err, text)
}

// Print writes a text result. A pipe gets it as it is. A terminal gets it without
// control sequences.
func (w *World) Print(text string) error {
	if IsTerminal(w.Out) {
		text = sayso.SafeText(text)
	}
	_, err := fmt.Fprintln(w.Out, text)
	return err
}

// Show writes lines of which an asker wrote some: as [World.Print], and folded at the
// width of the terminal.
func (w *World) Show(text string) error { return w.Print(sayso.Fold(text, width(w.Out))) }

// PrintJSON writes a result as one JSON object on one line.
func (w *World) PrintJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	_, err = w.Out.Write(append(escape(b), '\n'))
	return err
}

// escape writes the characters of a JSON text that cannot be seen as \u escapes.
// The text means the same and cannot control a terminal.
func escape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == '\n' || unicode.IsPrint(r) && r != utf8.RuneError:
			out = append(out, b[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}
