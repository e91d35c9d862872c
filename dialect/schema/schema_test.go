package schema_test

import (
	"math"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	limits := sayso.Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 5}
	tests := []struct {
		name   string
		schema schema.Schema
		want   string
	}{
		{"anything", schema.Schema{}, `{}`},
		{"string", schema.String("a < b & \"c\""), `{"type":"string","description":"a < b & \"c\""}`},
		{"no description", schema.String(""), `{"type":"string"}`},
		{"text", schema.Text("d"), `{"type":"string","minLength":1,"description":"d"}`},
		{"boolean", schema.Boolean("d").With("default", false), `{"type":"boolean","default":false,"description":"d"}`},
		{"any type", schema.New("d"), `{"description":"d"}`},
		{"several types", schema.New("d", "string", "null"), `{"type":["string","null"],"description":"d"}`},
		{"keywords in order", schema.String("d").With("enum", []string{"b", "<"}).With("default", "b"), `{"type":"string","enum":["b","<"],"default":"b","description":"d"}`},
		{"another value", schema.Text("d").With("default", "a").With("minLength", 2).Describe("e"), `{"type":"string","minLength":2,"default":"a","description":"e"}`},
		{"array without limits", schema.Array("", 0, 0, schema.Boolean("")), `{"type":"array","items":{"type":"boolean"}}`},
		{"array", schema.Array("d", 1, 3, schema.Text("")), `{"type":"array","minItems":1,"maxItems":3,"description":"d","items":{"type":"string","minLength":1}}`},
		{"object of anything", schema.Object(), `{"type":"object"}`},
		{"object", schema.Object(schema.Required("z", schema.String("")), schema.Optional("y", schema.Schema{}), schema.Required("a", schema.Boolean(""))),
			`{"type":"object","required":["z","a"],"properties":{"z":{"type":"string"},"y":{},"a":{"type":"boolean"}}}`},
		{"closed", schema.Closed(schema.Required("a", schema.String(""))).Describe("d"),
			`{"type":"object","required":["a"],"additionalProperties":false,"description":"d","properties":{"a":{"type":"string"}}}`},
		{"keywords of an array", schema.Array("d", 0, 3, schema.Text("")).With("uniqueItems", true).With("items", schema.Boolean("")),
			`{"type":"array","maxItems":3,"uniqueItems":true,"description":"d","items":{"type":"boolean"}}`},
		{"items before the description", schema.New("d", "array").With("items", schema.String("")), `{"type":"array","items":{"type":"string"},"description":"d"}`},
		{"schemas as values", schema.Schema{}.With("anyOf", []schema.Schema{schema.String("<"), schema.New("", "null")}),
			`{"anyOf":[{"type":"string","description":"<"},{"type":"null"}]}`},
		{"questions", schema.Questions(limits, "d", schema.Text("")), `{"type":"array","minItems":1,"maxItems":4,"description":"d","items":{"type":"string","minLength":1}}`},
		{"questions without limits", schema.Questions(sayso.Limits{}, "d", schema.Text("")), `{"type":"array","minItems":1,"description":"d","items":{"type":"string","minLength":1}}`},
		{"options", schema.Options(limits, "d", schema.Text("")), `{"type":"array","minItems":2,"maxItems":5,"description":"d","items":{"type":"string","minLength":1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(tt.schema.JSON()); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestShared holds that a schema which others start from stays as it is, however
// many keywords it has.
func TestShared(t *testing.T) {
	t.Parallel()
	base := schema.String("base")
	for _, keyword := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		base = base.With(keyword, 1)
		before := string(base.JSON())
		added := base.With("default", "x")
		want := string(added.JSON())
		base.With("default", "y")
		base.With(keyword, 2)
		base.Describe("another")
		if got := string(base.JSON()); got != before {
			t.Errorf("%s became %s", before, got)
		}
		if got := string(added.JSON()); got != want {
			t.Errorf("%s became %s", want, got)
		}
	}
}

func TestWithPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a keyword that JSON does not have was taken")
		}
	}()
	schema.New("", "number").With("minimum", math.Inf(-1))
}
