package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

const stableFile = "testdata/stable/v0.1.txt"

// What a client can rely on is never taken away: every line of the file, a route, a
// parameter, a field with its type, a value or a problem, still holds. -update only adds lines.
func TestStableAPI(t *testing.T) {
	text, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var doc openapiDoc
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	have := doc.facts()
	for _, k := range kinds() {
		have = append(have, fmt.Sprintf("problem %s %d", k.name, k.status))
	}
	testenv.OnlyGrows(t, stableFile, have, *update)
	promised, err := os.ReadFile(stableFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range demanded(string(promised), have) {
		t.Errorf("requests that were complete are not any more: %s", line)
	}
}

// demanded lists the fields that requests of today must have, and that those of a promised
// schema did not need.
func demanded(promised string, have []string) (fields []string) {
	for _, line := range have {
		if !strings.HasPrefix(line, "field ") || !strings.HasSuffix(line, " needed") {
			continue
		}
		schema, _, _ := strings.Cut(line, ".")
		if strings.Contains(promised, schema+".") && !strings.Contains(promised, line+"\n") {
			fields = append(fields, line)
		}
	}
	return fields
}

func TestStableAPICanFail(t *testing.T) {
	const promised = "field AskRequest.questions array of Question needed\nfield Ticket.id string\n"
	for line, want := range map[string]int{
		"field AskRequest.questions array of Question needed": 0,
		"field AskRequest.color string":                       0,
		"field NewRequest.color string needed":                0,
		"field AskRequest.color string needed":                1,
	} {
		if got := demanded(promised, []string{line}); len(got) != want {
			t.Errorf("%s: %q, want %d", line, got, want)
		}
	}
	doc := openapiDoc{Paths: map[string]map[string]operation{"/v1/asks": {"get": {}}}}
	doc.Components.Schemas = map[string]*openapiSchema{"Ticket": {
		Properties: map[string]*openapiSchema{"status": {Type: "string", Enum: []string{"pending"}}}, Required: []string{"status"},
		AdditionalProperties: json.RawMessage("false"),
	}}
	want := `field Ticket.status may be "pending"
field Ticket.status string always
route GET /v1/asks`
	if got := strings.Join(doc.facts(), "\n"); got != want {
		t.Errorf("the facts are\n%s\nwant\n%s", got, want)
	}
}

// openapiDoc is the part of an OpenAPI document that a client relies on.
type openapiDoc struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]*openapiSchema }
}

type operation struct {
	Parameters []struct {
		In, Name string
		Required bool
		Schema   *openapiSchema
	}
	RequestBody struct {
		Required bool
		Content  content
	}
	Responses map[string]struct{ Content content }
}

type content map[string]struct{ Schema *openapiSchema }

type openapiSchema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Items                *openapiSchema
	Enum                 []string
	Properties           map[string]*openapiSchema
	Required             []string
	AdditionalProperties json.RawMessage
}

// facts lists what the document promises, one line each, in order.
func (d *openapiDoc) facts() (all []string) {
	fact := func(format string, args ...any) { all = append(all, strings.TrimSpace(fmt.Sprintf(format, args...))) }
	sent := map[string]bool{} // the schemas of requests
	var mark func(*openapiSchema)
	mark = func(s *openapiSchema) {
		if s == nil || s.Ref != "" && sent[s.name()] {
			return
		}
		if s.Ref != "" {
			sent[s.name()] = true
			s = d.Components.Schemas[s.name()]
		}
		mark(s.Items)
		for _, p := range s.Properties {
			mark(p)
		}
	}
	for path, methods := range d.Paths {
		for method, op := range methods {
			route := strings.ToUpper(method) + " " + path
			fact("route %s", route)
			for _, p := range op.Parameters {
				needed := ""
				if p.Required {
					needed = "needed"
				}
				fact("%s of %s: %s %s %s", p.In, route, p.Name, p.Schema, needed)
				for _, v := range p.Schema.Enum {
					fact("%s of %s: %s may be %q", p.In, route, p.Name, v)
				}
			}
			for kind, c := range op.RequestBody.Content {
				fact("body of %s: %s %s", route, kind, c.Schema)
				mark(c.Schema)
			}
			for status, r := range op.Responses {
				if len(r.Content) == 0 {
					fact("response of %s: %s", route, status)
				}
				for kind, c := range r.Content {
					if kind == "application/problem+json" {
						continue // which problems there are is promised, not which route has which
					}
					fact("response of %s: %s %s %s", route, status, kind, c.Schema)
				}
			}
		}
	}
	for name, s := range d.Components.Schemas {
		for field, p := range s.Properties {
			how := ""
			switch required := slices.Contains(s.Required, field); {
			case sent[name] && required:
				how = "needed"
			case required:
				how = "always"
			}
			fact("field %s.%s %s %s", name, field, p, how)
			for _, v := range slices.Concat(p.Enum, p.element().Enum) {
				fact("field %s.%s may be %q", name, field, v)
			}
		}
		if string(s.AdditionalProperties) != "false" {
			fact("schema %s takes other fields", name)
		}
	}
	slices.Sort(all)
	return all
}

func (s *openapiSchema) name() string { return s.Ref[strings.LastIndex(s.Ref, "/")+1:] }

// element is what a list or a map is made of.
func (s *openapiSchema) element() *openapiSchema {
	if s.Items != nil {
		return s.Items
	}
	var values openapiSchema
	json.Unmarshal(s.AdditionalProperties, &values) // false has none
	return &values
}

func (s *openapiSchema) String() string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return s.name()
	case s.Items != nil:
		return "array of " + s.Items.String()
	case s.Type == "object" && len(s.Properties) == 0:
		return "object of " + cmp.Or(s.element().String(), "anything")
	case s.Type == "object":
		return fmt.Sprintf("object of %s", slices.Sorted(maps.Keys(s.Properties)))
	}
	return cmp.Or(s.Type, "anything")
}
