package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// TestSpecs holds what every model is told about its tool, to the order of the
// members of the schema. Only the white space is the golden file's own.
func TestSpecs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "specs")
	var want []string
	for _, d := range dialect.All() {
		s := d.Spec()
		want = append(want, s.Dialect+".json")
		compareGolden(t, filepath.Join(dir, s.Dialect+".json"), struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Limits      sayso.Limits    `json:"limits"`
			Schema      json.RawMessage `json:"schema"`
		}{s.Name, s.Description, s.Limits, s.Schema})
	}
	noStrayFiles(t, dir, want)
}

// schema is as much of JSON Schema 2020-12 as the dialects use. Decoding fails
// for any other keyword.
type schema struct {
	Schema      string            `json:"$schema"`
	Type        any               `json:"type"` // a name or a list of names
	Description string            `json:"description"`
	Default     any               `json:"default"`
	Enum        []any             `json:"enum"`
	MinLength   int               `json:"minLength"`
	MaxLength   int               `json:"maxLength"` // zero: none
	MinItems    int               `json:"minItems"`
	MaxItems    int               `json:"maxItems"` // zero: none
	Items       *schema           `json:"items"`
	Required    []string          `json:"required"`
	Properties  map[string]schema `json:"properties"`
	Additional  *bool             `json:"additionalProperties"`
}

// check returns what is wrong with a value, "" if nothing is.
func (s *schema) check(path string, v any) string {
	if !slices.Contains(s.types(), typeOf(v)) {
		return fmt.Sprintf("%s is of type %s, not %v", path, typeOf(v), s.types())
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		return fmt.Sprintf("%s is %v, not one of %v", path, v, s.Enum)
	}
	switch v := v.(type) {
	case string:
		if n := utf8.RuneCountInString(v); n < s.MinLength || s.MaxLength > 0 && n > s.MaxLength {
			return fmt.Sprintf("%s has %d characters", path, n)
		}
	case []any:
		if n := len(v); n < s.MinItems || s.MaxItems > 0 && n > s.MaxItems {
			return fmt.Sprintf("%s has %d items", path, n)
		}
		for i := range v {
			if wrong := s.Items.check(path+"["+strconv.Itoa(i)+"]", v[i]); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				return path + " has no " + name
			}
		}
		for name, member := range v {
			property, known := s.Properties[name]
			if !known && s.Additional != nil && !*s.Additional {
				return path + " has an unknown " + name
			}
			if known {
				if wrong := property.check(path+"."+name, member); wrong != "" {
					return wrong
				}
			}
		}
	}
	return ""
}

func (s *schema) types() []string {
	if list, ok := s.Type.([]any); ok {
		names := make([]string, len(list))
		for i := range list {
			names[i] = list[i].(string)
		}
		return names
	}
	name, _ := s.Type.(string)
	return []string{name}
}

func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

func schemaOf(t *testing.T, d sayso.Dialect) *schema {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(d.Spec().Schema))
	dec.DisallowUnknownFields()
	s := &schema{}
	if err := dec.Decode(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSpecStatesLimits holds what a form tells the model to what Validate enforces.
func TestSpecStatesLimits(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		spec := d.Spec()
		t.Run(spec.Dialect, func(t *testing.T) {
			s, l := schemaOf(t, d), spec.Limits
			if s.Schema != "https://json-schema.org/draft/2020-12/schema" {
				t.Errorf("$schema is %q", s.Schema)
			}
			question := s
			if questions, ok := s.Properties["questions"]; ok {
				if questions.MinItems != 1 || questions.MaxItems != l.MaxQuestions {
					t.Errorf("schema takes %d to %d questions, limits say 1 to %d", questions.MinItems, questions.MaxItems, l.MaxQuestions)
				}
				question = questions.Items
			} else if _, form := s.Properties["requestedSchema"]; !form && l.MaxQuestions != 1 {
				t.Errorf("schema takes one question, limits say %d", l.MaxQuestions)
			}
			for _, name := range []string{"options", "choices", "follow_up"} {
				options, ok := question.Properties[name]
				if !ok {
					continue
				}
				if options.MinItems != l.MinOptions || options.MaxItems != l.MaxOptions {
					t.Errorf("schema takes %d to %d options, limits say %d to %d", options.MinItems, options.MaxItems, l.MinOptions, l.MaxOptions)
				}
				if l.NeedOptions && !slices.Contains(question.Required, name) {
					t.Errorf("%s is needed and not required", name)
				}
				if l.NeedDescription && !slices.Contains(options.Items.Required, "description") {
					t.Error("description is needed and not required")
				}
				if label := options.Items.Properties["label"]; label.MaxLength != l.MaxLabel {
					t.Errorf("schema takes labels of %d characters, limits say %d", label.MaxLength, l.MaxLabel)
				}
			}
			if l.NeedHeader && !slices.Contains(question.Required, "header") {
				t.Error("header is needed and not required")
			}
		})
	}
}

// TestVectorsFitSchema holds the calls of the vectors to what the model is told,
// and shows that a call without a question does not fit.
func TestVectorsFitSchema(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		s := schemaOf(t, d)
		for _, call := range validCalls(d) {
			var v any
			if err := json.Unmarshal([]byte(call), &v); err != nil {
				t.Fatal(err)
			}
			if wrong := s.check("call", v); wrong != "" {
				t.Errorf("%s: %s\n%s", d.Spec().Dialect, wrong, call)
			}
		}
		if s.check("call", map[string]any{"questions": []any{}, "question": ""}) == "" {
			t.Errorf("%s: a call without a question fits the schema", d.Spec().Dialect)
		}
	}
}
