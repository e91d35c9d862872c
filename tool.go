package sayso

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tool is the ask_user tool of one host. Dialect must be set, and Resolver for Call; a
// Tool may be used from several goroutines.
//
// Most hosts use Call. A host that cannot block uses Prepare, stores the ask with
// [Try], and calls Finish when it has an outcome, perhaps in another process.
type Tool struct {
	Dialect  Dialect
	Resolver Resolver
	Name     string // the tool's name; default: the dialect's
	Final    bool   // answers are final while the asker waits: see [Ask].Final
}

// Call is one call of the tool by a model.
type Call struct {
	ID           string // the tool call's id, unique within the conversation
	Conversation string
	Agents       []string // who calls, top agent first
	Host         string
	Workspace    string
	Branch       string
	Arguments    json.RawMessage
}

// errNoDialect is the mistake of a host, so it says what to write.
var errNoDialect = errors.New("sayso: Tool.Dialect is not set; set it to the dialect of your agent, for example dialect.Claude")

// Spec returns what the model is told about the tool: only its name while there is no
// dialect.
func (t *Tool) Spec() ToolSpec {
	if t.Dialect == nil {
		return ToolSpec{Name: t.Name}
	}
	s := t.Dialect.Spec()
	if t.Name != "" {
		s.Name = t.Name
	}
	return s
}

// Call asks what the model wants to have asked, and returns what it is told. An
// error means that something broke; refusals and mistakes are results.
func (t *Tool) Call(ctx context.Context, c Call) (*Result, error) {
	if t.Dialect == nil {
		return nil, errNoDialect
	}
	a, refusal := t.Prepare(c)
	if refusal != nil {
		return refusal, nil
	}
	o, err := ask(ctx, t.Resolver, a)
	if errors.Is(err, ErrUnreachable) {
		o, err = &Outcome{Status: StatusUnreachable, Reason: err.Error()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sayso: asking: %w", err)
	}
	return t.Finish(a, o)
}

// Prepare turns a call into an ask that is safe to show. A result instead of an
// ask is a refusal to hand back to the model; it names every problem at once.
func (t *Tool) Prepare(c Call) (*Ask, *Result) {
	if t.Dialect == nil {
		return nil, &Result{Text: errNoDialect.Error(), IsError: true}
	}
	spec := t.Dialect.Spec()
	var invalid InvalidError
	a, err := t.Dialect.Parse(c.Arguments)
	invalid.absorb(err)
	switch {
	case a == nil && len(invalid.Problems) == 0:
		invalid.Add(ErrMalformed, "", "the arguments hold nothing to ask")
	case a != nil:
		a.Dialect, a.Final = spec.Dialect, t.Final
		a.Origin = Origin{
			Conversation: c.Conversation, ToolCall: c.ID, Agents: slices.Clone(c.Agents),
			Host: c.Host, Workspace: c.Workspace, Branch: c.Branch,
		}
		a.Normalize()
		invalid.absorb(a.Validate(spec.Limits))
	}
	if len(invalid.Problems) > 0 {
		return nil, t.refuse(&invalid)
	}
	a.ID = a.DeriveID()
	return a, nil
}

// absorb adds the problems of err, which may be nil.
func (e *InvalidError) absorb(err error) {
	var inv *InvalidError
	switch {
	case err == nil:
	case errors.As(err, &inv):
		e.Problems = append(e.Problems, inv.Problems...)
	default:
		e.Add(ErrMalformed, "", err.Error())
	}
}

func (t *Tool) refuse(e *InvalidError) *Result {
	if r, ok := t.Dialect.(Refuser); ok {
		return r.Refuse(e)
	}
	return &Result{Text: RefusalText(t.Spec().Name, e), IsError: true}
}

// RefusalText words the refusal of an invalid call: what is wrong, where, and
// that nobody was asked.
func RefusalText(tool string, e *InvalidError) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the call is not valid, so nobody was asked. Correct this and call again:", tool)
	for _, p := range e.Problems {
		b.WriteString("\n- ")
		b.WriteString(SafeLine(p.String()))
	}
	return b.String()
}

// Finish turns an outcome into what the model is told. It returns an error when
// the outcome does not fit the ask; an outcome that claims to be answered and
// says nothing is told as unanswered. Whatever the dialect echoes, the text has
// no control character but newline and tab.
func (t *Tool) Finish(a *Ask, o *Outcome) (*Result, error) {
	if t.Dialect == nil {
		return nil, errNoDialect
	}
	o = o.Settled()
	if err := a.Check(o); err != nil {
		return nil, fmt.Errorf("sayso: checking the outcome: %w", err)
	}
	r, err := t.Dialect.Format(a, o)
	if err != nil {
		return nil, fmt.Errorf("sayso: formatting the outcome: %w", err)
	}
	r.Text = printable(r.Text)
	return r, nil
}

// printable shows control characters in place of sending them. It never makes a
// new line, as a dialect may have given each line a meaning.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || !unicode.IsControl(r):
			return r
		case r < ' ':
			return '␀' + r
		}
		return utf8.RuneError
	}, s)
}
