package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// The tools and their arguments are in the settings and the habits of agents: they stay.
// testdata/tools.json is what clients get, which TestTools holds.
func TestStableTools(t *testing.T) {
	b, err := os.ReadFile("testdata/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name                      string
				InputSchema, OutputSchema toolSchema
			}
		}
	}
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, tool := range list.Result.Tools {
		have = append(have, "tool "+tool.Name)
		have = append(have, tool.InputSchema.facts("argument of "+tool.Name+": ")...)
		have = append(have, tool.OutputSchema.facts("result of "+tool.Name+": ")...)
	}
	slices.Sort(have)
	if len(have) < 20 {
		t.Fatalf("found only %q", have)
	}
	testenv.OnlyGrows(t, "testdata/stable/v0.1.txt", have, *update)
}

type toolSchema struct {
	Type       any
	Enum       []any
	Required   []string
	Properties map[string]*toolSchema
	Items      *toolSchema
}

func (s *toolSchema) facts(name string) (all []string) {
	for _, v := range s.Enum {
		all = append(all, fmt.Sprintf("%s may be %v", name, v))
	}
	if s.Items != nil {
		all = append(all, s.Items.facts(name+"[]")...)
	}
	for field, p := range s.Properties {
		needed := ""
		if slices.Contains(s.Required, field) {
			needed = " needed"
		}
		all = append(all, fmt.Sprintf("%s.%s %v%s", name, field, p.Type, needed))
		all = append(all, p.facts(name+"."+field)...)
	}
	return all
}
