package dialect

import (
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/internal/strictjson"
)

// tool is what the dialects share: a dialect embeds one and adds Format.
type tool struct {
	spec  sayso.ToolSpec
	names []string // what the dialect calls a piece of a path: pairs for strings.NewReplacer

	// more reads what only this dialect has. Default: nothing.
	more func(r *reader, call strictjson.Value, a *sayso.Ask)
}

func (t *tool) Spec() sayso.ToolSpec { return t.spec }

// Parse reads a call of the usual shape.
func (t *tool) Parse(arguments json.RawMessage) (*sayso.Ask, error) {
	r := newReader()
	v, ok := r.open(arguments)
	if !ok {
		return nil, r.OrNil()
	}
	ask := r.ask(v)
	if t.more != nil {
		t.more(r, v, ask)
	}
	return ask, r.OrNil()
}

// Refuse words the problems of a call in the names of the dialect.
func (t *tool) Refuse(e *sayso.InvalidError) *sayso.Result {
	rename := strings.NewReplacer(t.names...)
	own := &sayso.InvalidError{Problems: make([]sayso.Problem, len(e.Problems))}
	for i, p := range e.Problems {
		p.Path = rename.Replace(p.Path)
		own.Problems[i] = p
	}
	return &sayso.Result{Text: sayso.RefusalText(t.spec.Name, own), IsError: true}
}

// as returns the tool under the name of another dialect.
func (t tool) as(dialect string) *tool {
	t.spec.Dialect = dialect
	return &t
}

// usualNames are those of the agents that follow Claude Code.
func usualNames() []string { return []string{".text", ".question", ".multi", ".multiSelect"} }

// namesOfOne are those of a call that is one question, with the names for its
// options and for the label of each.
func namesOfOne(options, label string) []string {
	return []string{
		"questions[0].text", "question", "questions[0].options", options, ".label", label,
		"questions[0].", "", "questions", "question",
	}
}

// several is the schema of the flag for a question with more than one choice.
func several() schema.Schema {
	return schema.Boolean("Whether several options may be chosen").With("default", false)
}

// source is the property in which some agents note where a question comes from.
func source(object func(...schema.Property) schema.Schema) schema.Property {
	return schema.Optional("metadata", object(schema.Optional("source", schema.String(""))).
		Describe("Where the question comes from, for the record; not shown"))
}
