package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// OneOf returns the value of a flag or setting that is one of a few words. What is
// what such a word is called ("role"), or "" for the name of the flag.
func OneOf(value *string, what string, words ...string) pflag.Value {
	return &choice{value, what, words}
}

type choice struct {
	value *string
	what  string
	words []string
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return &ChoiceError{What: c.what, Value: text, Words: c.words}
	}
	*c.value = text
	return nil
}

// ChoiceError says that a value is not one of a few words.
type ChoiceError struct {
	What, Value string
	Words       []string
}

func (e *ChoiceError) Error() string {
	return fmt.Sprintf("%q is not one of %s", e.Value, strings.Join(e.Words, ", "))
}

// Hint is the next step: the word that was meant, and all of them.
func (e *ChoiceError) Hint(prefix string) string {
	last := len(e.Words) - 1
	return DidYouMean(e.Value, e.Words) + "Use " + prefix + strings.Join(e.Words[:last], ", ") + " or " + e.Words[last] + "."
}

func (e *ChoiceError) usage(flag string) error {
	if e.What != "" {
		return Usage("unknown %s %q", e.What, e.Value).Next("%s", e.Hint("--"+flag+" "))
	}
	return Usage("invalid value %q for --%s", e.Value, flag).Next("%s", e.Hint("--"+flag+" "))
}

// Positive returns the value of a flag that is a time to wait: more than zero. Zero is
// its default and means that there is no limit.
func Positive(value *time.Duration) pflag.Value { return (*positive)(value) }

type positive time.Duration

func (d *positive) Type() string { return "duration" }

func (d *positive) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *positive) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if v < 0 {
		return fmt.Errorf("a time to wait cannot be negative")
	}
	*d = positive(v)
	return nil
}
