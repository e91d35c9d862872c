// Package schema builds the JSON Schemas that tell a model how to call a tool.
//
// Most callers describe the call with [Object], say with [Required] and
// [Optional] which properties it has, and put the result of [Schema.Document]
// into sayso.ToolSpec.Schema. [Questions] and [Options] are the lists that nearly
// every question tool has: they take their numbers from the limits that the call
// is held to, so that the model is told the same numbers.
//
// The same calls give the same bytes. Properties and required names come in the
// order in which they are given, and keywords in the order in which they are set,
// followed by the description and by what an array or an object holds.
package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/saysohq/sayso/internal/strictjson"
)

// draft is the version of JSON Schema that a document declares.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Schema is the JSON Schema of one value. The zero Schema allows every value. A
// Schema does not change: its methods return another one.
type Schema struct{ members []member }

// member is a member of a JSON object; the value is JSON.
type member struct{ name, value string }

// New returns the schema of a value that is of one of the types, such as "number"
// or "null". Here and in the other functions, an empty description is left out.
func New(description string, types ...string) Schema {
	s := Schema{}.Describe(description)
	switch len(types) {
	case 0:
		return s
	case 1:
		return s.With("type", types[0])
	}
	return s.With("type", types)
}

// String returns the schema of a string, which may be empty.
func String(description string) Schema { return New(description, "string") }

// Text returns the schema of a string that is not empty.
func Text(description string) Schema { return String(description).With("minLength", 1) }

// Boolean returns the schema of a boolean.
func Boolean(description string) Schema { return New(description, "boolean") }

// Array returns the schema of a list with at least least and at most most items;
// zero is no limit.
func Array(description string, least, most int, items Schema) Schema {
	s := New(description, "array")
	if least > 0 {
		s = s.With("minItems", least)
	}
	if most > 0 {
		s = s.With("maxItems", most)
	}
	return s.set("items", string(items.JSON()))
}

// Property is a named property of an object.
type Property struct {
	member
	required bool
}

// Required returns a property that the object must have.
func Required(name string, s Schema) Property {
	return Property{member{name, string(s.JSON())}, true}
}

// Optional returns a property that the object may have.
func Optional(name string, s Schema) Property {
	return Property{member{name, string(s.JSON())}, false}
}

// Object returns the schema of an object with the properties, and any others.
func Object(properties ...Property) Schema {
	s := New("", "object")
	var required []string
	all := make([]member, len(properties))
	for i, p := range properties {
		all[i] = p.member
		if p.required {
			required = append(required, p.name)
		}
	}
	if required != nil {
		s = s.With("required", required)
	}
	if len(all) > 0 {
		s = s.set("properties", object(all))
	}
	return s
}

// Closed returns the schema of an object with the properties and no others.
func Closed(properties ...Property) Schema {
	return Object(properties...).With("additionalProperties", false)
}

// Describe returns the schema with the description.
func (s Schema) Describe(description string) Schema {
	if description == "" {
		return s
	}
	return s.set("description", encode(description), "items", "properties")
}

// With returns the schema with the keyword, such as "default" or "enum", in place
// of the one of that name if it has one. The value is whatever encoding/json can
// encode, a [Schema] too; With panics if it cannot.
func (s Schema) With(keyword string, value any) Schema {
	return s.set(keyword, encode(value), "description", "items", "properties")
}

// set puts a new member before the first of those that are to follow it.
func (s Schema) set(name, value string, following ...string) Schema {
	at := len(s.members)
	for i, m := range slices.Backward(s.members) {
		switch {
		case m.name == name:
			s.members = slices.Clone(s.members)
			s.members[i].value = value
			return s
		case slices.Contains(following, m.name):
			at = i
		}
	}
	s.members = slices.Insert(slices.Clone(s.members), at, member{name, value})
	return s
}

// JSON returns the schema as part of another document.
func (s Schema) JSON() json.RawMessage { return json.RawMessage(object(s.members)) }

// MarshalJSON returns what JSON returns.
func (s Schema) MarshalJSON() ([]byte, error) { return s.JSON(), nil }

// Document returns the schema as a document of its own, which declares that it is
// JSON Schema 2020-12.
func (s Schema) Document() json.RawMessage {
	return json.RawMessage(object(append([]member{{"$schema", encode(draft)}}, s.members...)))
}

// object writes the members one after the other.
func object(members []member) string {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strictjson.AppendString(b, m.name), ':')
		b = append(b, m.value...)
	}
	return string(append(b, '}'))
}

// encode is json.Marshal without the escapes of <, > and &, which a model should
// read as they are. The usual values take a short way, for dialects are built
// when a program starts.
func encode(value any) string {
	switch v := value.(type) {
	case string:
		return string(strictjson.AppendString(nil, v))
	case int:
		return strconv.Itoa(v)
	case bool:
		return strconv.FormatBool(v)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(fmt.Sprintf("schema: a keyword cannot be %#v: %v", value, err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
