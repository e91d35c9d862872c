package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/dialect"
)

// maxInput is the most bytes of a call that are read, as the hub takes no more.
const maxInput = 1 << 20

// question is what the flags of ask say about one question.
type question struct {
	header, body  string
	options       []string // label[:description]
	recommended   string
	multi, secret bool
}

// build makes an ask of a question that was given as an argument.
func (q *question) build(text string) (*sayso.Ask, error) {
	one := sayso.Question{Header: q.header, Text: text, Body: q.body, Multi: q.multi, Secret: q.secret}
	for _, o := range q.options {
		label, description := splitOption(o)
		one.Options = append(one.Options, sayso.Option{Label: label, Description: description, Recommended: label == q.recommended && label != ""})
	}
	if q.recommended != "" && !slices.ContainsFunc(one.Options, func(o sayso.Option) bool { return o.Recommended }) {
		return nil, console.Usage("--recommend %q is not one of the options", q.recommended).
			Next("%sAdd it as an option: --option %q.", console.DidYouMean(q.recommended, labels(one.Options)), q.recommended)
	}
	a := &sayso.Ask{Questions: []sayso.Question{one}}
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		return nil, console.Usage("invalid question: %w", err).Next("Help: sayso ask --help.")
	}
	return a, nil
}

// splitOption splits at the first colon that has no backslash before it.
func splitOption(s string) (label, description string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == ':':
			i++
		case s[i] == ':':
			return b.String(), strings.TrimSpace(s[i+1:])
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// readCall reads a raw tool call from the file, or from standard input.
func (p *program) readCall(file string) ([]byte, error) {
	in := p.In
	switch {
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return nil, console.Usage("cannot read the tool call in %q: %s", file, reason(err)).Next("Use --file with a file that exists, or standard input: sayso ask < call.json.")
		}
		defer f.Close()
		in = f
	case console.IsTerminal(p.In):
		return nil, noQuestion()
	}
	b, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the call: %w", err)
	case len(b) > maxInput:
		return nil, console.Usage("the tool call has more than %d bytes", maxInput).Next("Ask with fewer or shorter questions: sayso ask --help.")
	case len(bytes.TrimSpace(b)) == 0:
		return nil, noQuestion()
	}
	return b, nil
}

func noQuestion() error {
	return console.Usage("no question given").Next("Example: sayso ask \"Which database?\" -o PostgreSQL -o SQLite")
}

func labels(options []sayso.Option) (all []string) {
	for _, o := range options {
		all = append(all, o.Label)
	}
	return all
}

// speaks returns the dialect of that name, or the one that the call speaks.
func speaks(name string, call []byte) (sayso.Dialect, error) {
	if name != "" && name != "auto" {
		if d, ok := dialect.ByName(name); ok {
			return d, nil
		}
		return nil, unknownDialect(name)
	}
	if d, ok := dialect.Detect("", call); ok {
		return d, nil
	}
	return nil, console.Usage("cannot recognize the format of this tool call").Next("Name it with --dialect. Formats: sayso dialects.")
}

func unknownDialect(name string) error {
	return console.Usage("unknown format %q", name).Next("%sFormats: sayso dialects.", console.DidYouMean(name, dialect.Names()))
}
