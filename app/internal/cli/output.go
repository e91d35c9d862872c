package cli

import (
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// say speaks to the person: one paragraph on standard error.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.Err, sayso.SafeText(fmt.Sprintf(format, args...)))
}

// print writes a text result. A pipe gets it as it is; a terminal gets it
// without what could do something to the terminal.
func (p *program) print(text string) error {
	if isTerminal(p.Out) {
		text = sayso.SafeText(text)
	}
	_, err := fmt.Fprintln(p.Out, text)
	return err
}

// printJSON writes a result as one JSON object on one line.
func (p *program) printJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("spelling the result: %w", err)
	}
	_, err = p.Out.Write(append(escape(b), '\n'))
	return err
}

// escape spells the characters of a JSON text that are not to be seen as
// escapes. It means the same and does nothing to a terminal.
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
