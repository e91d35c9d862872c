package docstest

import (
	"fmt"
	"regexp"
	"strings"
)

// What may differ from run to run. The order matters: the first that fits is taken.
var varying = []struct {
	find *regexp.Regexp // in the page
	like string         // what may stand there
	id   bool           // a name that the page may use again
}{
	{regexp.MustCompile(`^(ask|rule)_[a-z0-9]+`), `(?:ask|rule)_[a-z0-9]+`, true},
	{regexp.MustCompile(`^sayso_(asker|answerer|observer|admin)_[a-z0-9_]+`), `sayso_(?:asker|answerer|observer|admin)_[a-z0-9_]+`, true},
	{regexp.MustCompile(`^#[A-Za-z0-9_-]{16,}`), `#[A-Za-z0-9_-]{16,}`, true},
	{regexp.MustCompile(`^[0-9a-f]{64}\b`), `[0-9a-f]{64}`, true},
	{regexp.MustCompile(`^[a-z2-7]*[2-7][a-z2-7]*\b`), `[a-z2-7]{13}`, true}, // of a key; see token
	{regexp.MustCompile(`^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d| UTC)?)?`), `\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d| UTC)?)?`, false},
	{regexp.MustCompile(`^\d\d:\d\d(:\d\d)?\b`), `\d\d:\d\d(?::\d\d)?`, false},
	{regexp.MustCompile(`^\d+ (second|minute|hour|day)s? ago\b`), `(?:\d+ (?:second|minute|hour|day)s? ago|just now)`, false},
	{regexp.MustCompile(`^just now\b`), `(?:\d+ (?:second|minute|hour|day)s? ago|just now)`, false},
	{regexp.MustCompile(`^\d+(\.\d+)?( ms|ms|µs|s|m|h|d)\b(\d+(m|s))*`), `\d+(?:\.\d+)?(?: ms|ms|µs|s|m|h|d)(?:\d+(?:m|s))*`, false},
	{regexp.MustCompile(`^(127\.0\.0\.1|localhost):\d+`), `(?:127\.0\.0\.1|localhost):\d+`, false},
	{regexp.MustCompile(`^(pid|process) \d+`), `(?:pid|process) \d+`, false},
	{regexp.MustCompile(`^…`), `.*`, false},
	{regexp.MustCompile(`^  +`), ` +`, false}, // columns are as wide as what is in them
}

var word = regexp.MustCompile(`^\w+`)

// pattern is a line of a page as it is compared.
type pattern struct {
	re  *regexp.Regexp
	ids []string // of the page, by group
}

func newPattern(line string) pattern {
	var b strings.Builder
	var ids []string
	b.WriteString("^")
scan:
	for rest := strings.TrimRight(line, " "); rest != ""; {
		for _, v := range varying {
			m := v.find.FindString(rest)
			if m == "" || v.like == `[a-z2-7]{13}` && len(m) != 13 {
				continue
			}
			if v.id {
				b.WriteString("(" + v.like + ")")
				ids = append(ids, m)
			} else {
				b.WriteString(v.like)
			}
			rest = rest[len(m):]
			continue scan
		}
		n := len(word.FindString(rest)) // what varies begins at the beginning of a word
		if n == 0 {
			n = len(string([]rune(rest)[:1]))
		}
		b.WriteString(regexp.QuoteMeta(rest[:n]))
		rest = rest[n:]
	}
	return pattern{regexp.MustCompile(b.String() + "$"), ids}
}

// names are the ids of a page, and what they are in this run.
type names map[string]string

// real returns what an id of the page is in this run. A page may shorten it.
func (n names) real(id string) (string, bool) {
	if r, ok := n[id]; ok {
		return r, true
	}
	for page, r := range n {
		if strings.HasPrefix(page, id) && len(id) <= len(r) {
			return r[:len(id)], true
		}
		if strings.HasPrefix(id, page) {
			return r, true
		}
	}
	return "", false
}

// match compares a line, and remembers what its ids are.
func (p pattern) match(line string, known names) bool {
	m := p.re.FindStringSubmatch(strings.TrimRight(line, " "))
	if m == nil {
		return false
	}
	for i, id := range p.ids {
		got := m[i+1]
		if r, ok := known.real(id); ok && !strings.HasPrefix(got, r) && !strings.HasPrefix(r, got) {
			return false
		}
	}
	for i, id := range p.ids {
		if r, ok := known[id]; !ok || len(m[i+1]) > len(r) {
			known[id] = m[i+1]
		}
	}
	return true
}

// compare returns what is wrong with the lines that a command printed.
func compare(want, got []string, known names) error {
	patterns := make([]pattern, len(want))
	for i, w := range want {
		patterns[i] = newPattern(w)
	}
	far, at := -1, 0 // the first line of the page that nothing matched, and what was there
	var try func(i, j int) bool
	try = func(i, j int) bool {
		if i > far {
			far, at = i, j
		}
		switch {
		case i == len(want):
			return j == len(got)
		case want[i] == "…":
			for k := j; k <= len(got); k++ {
				if try(i+1, k) {
					return true
				}
			}
			return false
		}
		return j < len(got) && patterns[i].match(got[j], known) && try(i+1, j+1)
	}
	if try(0, 0) {
		return nil
	}
	expected, printed := "nothing more", "nothing more"
	if far < len(want) {
		expected = fmt.Sprintf("%q", want[far])
	}
	if at < len(got) {
		printed = fmt.Sprintf("%q", got[at])
	}
	return fmt.Errorf("expected %s\n     got %s\nall that it printed:\n%s", expected, printed, strings.Join(got, "\n"))
}

var idInCommand = regexp.MustCompile(`(?:ask|rule)_[a-z0-9]+|sayso_(asker|answerer|observer|admin)_[a-z0-9_]+|\b[a-z2-7]{13}\b|[0-9a-f]{64}`)

// inCommand replaces the ids of the page by those of this run.
func (n names) inCommand(command string) string {
	return idInCommand.ReplaceAllStringFunc(command, func(id string) string {
		if r, ok := n.real(id); ok {
			return r
		}
		return id
	})
}
