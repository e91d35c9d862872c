package dialect_test

import (
	"encoding/json"
	"testing"

	"github.com/saysohq/sayso/dialect"
)

// schema is as much of a JSON Schema as the limits of a dialect are stated in.
type schema struct {
	Dialect    string            `json:"$schema"`
	MinItems   int               `json:"minItems"`
	MaxItems   int               `json:"maxItems"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
}

// TestSpecStatesLimits holds what a form tells the model to what Validate enforces.
func TestSpecStatesLimits(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		spec := d.Spec()
		t.Run(spec.Dialect, func(t *testing.T) {
			var s schema
			if err := json.Unmarshal(spec.Schema, &s); err != nil {
				t.Fatal(err)
			}
			if s.Dialect != "https://json-schema.org/draft/2020-12/schema" {
				t.Errorf("$schema is %q", s.Dialect)
			}
			questions, ok := s.Properties["questions"]
			if !ok {
				t.Skip("asks one question a call")
			}
			if questions.MinItems != 1 || questions.MaxItems != spec.Limits.MaxQuestions {
				t.Errorf("schema takes %d to %d questions, limits say 1 to %d", questions.MinItems, questions.MaxItems, spec.Limits.MaxQuestions)
			}
			options, ok := questions.Items.Properties["options"]
			if !ok {
				options = questions.Items.Properties["choices"]
			}
			if options.MinItems != spec.Limits.MinOptions || options.MaxItems != spec.Limits.MaxOptions {
				t.Errorf("schema takes %d to %d options, limits say %d to %d", options.MinItems, options.MaxItems, spec.Limits.MinOptions, spec.Limits.MaxOptions)
			}
		})
	}
}
