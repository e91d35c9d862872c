package schema

import "github.com/saysohq/sayso"

// Questions returns the schema of a list of at least one question and as many as
// the limits allow.
func Questions(l sayso.Limits, description string, question Schema) Schema {
	return Array(description, 1, l.MaxQuestions, question)
}

// Options returns the schema of a question's list of options, with as many as the
// limits allow.
func Options(l sayso.Limits, description string, option Schema) Schema {
	return Array(description, l.MinOptions, l.MaxOptions, option)
}
