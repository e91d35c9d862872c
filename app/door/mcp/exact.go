package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// mayIUse is the tool with which a person is asked whether a tool may be used. The
// input is shown whole: nobody can allow what they were not shown.
type mayIUse struct {
	words
	name  string
	input json.RawMessage
}

// Parse returns the question. It is not read from arguments, as those of a model are:
// nothing in it may be taken for something else.
func (m mayIUse) Parse(json.RawMessage) (*sayso.Ask, error) {
	input, fence := exact(m.input), "```"
	for strings.Contains(input, fence) {
		fence += "`"
	}
	return &sayso.Ask{Questions: []sayso.Question{{
		Header: "Permission", Text: "May " + exactName(m.name) + " be used?",
		Body: fence + "json\n" + input + "\n" + fence,
		Options: []sayso.Option{
			{ID: "allow", Label: "Allow", Description: "this one time"},
			{ID: "deny", Label: "Deny"},
		},
	}}}, nil
}

// maxStored is the most bytes of an ask that a hub stores.
const maxStored = hub.MaxData / 2

// tooLarge says that nobody was asked, how large the input is, and what the limit is.
func tooLarge(name string, input json.RawMessage) string {
	return fmt.Sprintf("Nobody was asked whether %s may be used, because it could not be shown whole: its name has %d characters and its input %d, and the question as it is stored may have %d bytes. Use a smaller input.",
		cut(exactName(name), 200), utf8.RuneCountInString(name), utf8.RuneCountInString(exact(input)), maxStored)
}

// exact returns JSON on several lines, in which everything that would be shown as
// something else is an escape.
func exact(input json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, input, "", "  ") != nil {
		return string(input) // which cannot be: every message is checked
	}
	return escaped(b.String())
}

// exactName returns the name of a tool as it is, or in quotes if it could be taken
// for something else.
func exactName(name string) string {
	if isPlainName(name) && sayso.SafeLine(name) == name {
		return name
	}
	return escaped(string(raw(name)))
}

// isPlainName reports whether a name has letters, digits and _.:/- only, and at most
// 200 of them. As a regular expression this took every start of the program 20 ms.
func isPlainName(name string) bool {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_.:/-", r)
	}
	return name != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= 200 && !strings.ContainsFunc(name, odd)
}

// escaped returns a JSON text as it is if that is how it is shown. Otherwise it has
// escapes for the characters that are not, or for all but ASCII where the others
// change too.
func escaped(text string) string {
	for _, odd := range []func(rune) bool{
		func(rune) bool { return false },
		func(r rune) bool { return unicode.Is(unicode.M, r) || sayso.SafeText(string(r)) != string(r) },
		func(r rune) bool { return true },
	} {
		var b strings.Builder
		for _, r := range text {
			switch {
			case r < 0x7f || !odd(r):
				b.WriteRune(r)
			case r > 0xffff:
				high, low := utf16.EncodeRune(r)
				fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
			default:
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		}
		if s := b.String(); sayso.SafeText(s) == s {
			return s
		}
	}
	return text // which cannot be: ASCII is shown as it is
}
