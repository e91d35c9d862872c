package cli

import (
	"errors"
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
		return nil, console.Usage("--recommend %q is none of the options", q.recommended)
	}
	a := &sayso.Ask{Questions: []sayso.Question{one}}
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		return nil, console.Usage("%w", err)
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
			return nil, console.Usage("reading the call: %w", err)
		}
		defer f.Close()
		in = f
	case console.IsTerminal(p.In):
		return nil, console.Usage("there is no question: give it as an argument, or a tool call as JSON on standard input or with --file")
	}
	b, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the call: %w", err)
	case len(b) > maxInput:
		return nil, console.Usage("the call has more than %d bytes", maxInput)
	}
	return b, nil
}

// speaks returns the dialect of that name, or the one that the call speaks.
func speaks(name string, call []byte) (sayso.Dialect, error) {
	if name != "" && name != "auto" {
		if d, ok := dialect.ByName(name); ok {
			return d, nil
		}
		return nil, console.Usage("there is no dialect %q; there are %s", name, strings.Join(dialectNames(), ", "))
	}
	if d, ok := dialect.Detect("", call); ok {
		return d, nil
	}
	return nil, &console.ExitError{Code: console.ExitUsage, Err: errors.New("cannot tell which dialect the call speaks; name it with --dialect")}
}

func dialectNames() []string {
	var names []string
	for _, d := range dialect.All() {
		names = append(names, d.Spec().Dialect)
	}
	return names
}
