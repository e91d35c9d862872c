package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/saysohq/sayso"
)

// bodies returns how the bodies of all routes are read.
func (w *world) bodies() map[string]body {
	doc, schemas := describe(routes())
	return bodiesOf(routes(), doc.Components.Schemas, schemas)
}

// fresh returns a new value of the type of a route's body.
func fresh(rt *route) any { return reflect.New(reflect.TypeOf(rt.body)).Interface() }

// Every body that is right is read once: the examples and what the transcripts send.
func TestShapes(t *testing.T) {
	w := newWorld(t, nil)
	bodies := w.bodies()
	read := func(rt *route, data string) bool {
		j, err := sayso.ParseJSON([]byte(data))
		return err == nil && bodies[rt.id].shape.read(j, reflect.ValueOf(fresh(rt)).Elem(), true)
	}
	for _, rt := range routes() {
		if rt.body == nil {
			continue
		}
		if bodies[rt.id].shape == nil {
			t.Errorf("%s has no shape", rt.id)
			continue
		}
		data, err := json.Marshal(example(rt.body, 0))
		if err != nil || !read(&rt, string(data)) {
			t.Errorf("%s does not take its example: %v %s", rt.id, err, data)
		}
		for _, s := range transcripts()[rt.id] {
			if s.method == rt.method && s.path == rt.path && w.decode(bodies[rt.id], []byte(s.body), fresh(&rt)) == nil && !read(&rt, s.body) {
				t.Errorf("%s reads %q twice: %s", rt.id, s.about, s.body)
			}
		}
	}
	ask := routes()[0]
	if full := `{"id":"a","deadline":"2027-01-01T00:00:00Z","metadata":{"n":1.5},"minAssurance":2,"onExpiry":{"default":[{"questionId":"q"}]},"questions":[]}`; !read(&ask, full) {
		t.Errorf("not taken: %s", full)
	}
}

// A schema with a rule that shapes do not know has no shape.
func TestShapeUnknownRule(t *testing.T) {
	type text struct {
		A string `json:"a" pattern:"^x"`
	}
	type embedded struct{ text }
	type other struct {
		A float64 `json:"a"`
	}
	for _, v := range []any{text{}, embedded{}, other{}, []text{}, map[string]int{}} {
		registry := huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)
		if sh := shapeOf(registry, registry.Schema(reflect.TypeOf(v), true, ""), reflect.TypeOf(v)); sh != nil {
			t.Errorf("%T has a shape", v)
		}
	}
}

// odd are values that are right for some fields, and nearly right for others.
var odd = []string{
	`null`, `true`, `0`, `-1`, `1.0`, `1e0`, `1.5`, `-0`, `9007199254740993`, `18446744073709551616`, `""`, `"x"`, `" "`, `"answered"`, `"Answered"`, `"choice"`,
	`"2027-01-01T00:00:00Z"`, `"2027-01-01t00:00:00z"`, `"2027-01-01 00:00:00Z"`, `"2027-13-01T00:00:00Z"`, `"2027-01-01T00:00:00+25:00"`, `"2027-01-01T00:00:00,5Z"`,
	`"\u0032027-01-01T00:00:00Z"`,
	`[]`, `[null]`, `["a"]`, `[["a"]]`, `{}`, `{"a":null}`, `{"a":"b"}`, `{"a":[1,{"b":null}]}`, `"` + strings.Repeat("é", 64) + `"`, `"` + strings.Repeat("é", 65) + `"`,
	`[` + strings.Repeat(`"a",`, 40) + `"a"]`, `[{"questionId":"q"}]`, `[{"questionId":"q","unanswered":"skipped"}]`, `[{}]`,
}

// What a shape takes is what the schema takes, and both read the same: with every
// field of every body set to every odd value.
func TestShapesAgree(t *testing.T) {
	w := newWorld(t, nil)
	bodies := w.bodies()
	taken, tried := 0, 0
	for _, rt := range routes() {
		if rt.body == nil {
			continue
		}
		data, err := json.Marshal(example(rt.body, 0))
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		fields := w.registry.SchemaFromRef(bodies[rt.id].schema.Ref).Properties
		for name := range fields {
			for _, value := range append(odd, "") {
				members := tree.(map[string]any)
				next := map[string]any{}
				for k, v := range members {
					next[k] = v
				}
				if delete(next, name); value != "" {
					next[name] = json.RawMessage(value)
				}
				text, err := json.Marshal(next)
				if err != nil {
					t.Fatal(err)
				}
				tried++
				if agree(t, w, &rt, bodies[rt.id], text) {
					taken++
				}
			}
		}
	}
	t.Logf("%d bodies, %d read once", tried, taken)
	if taken < tried/10 {
		t.Errorf("of %d bodies %d are read once", tried, taken)
	}
}

// agree reads a body by its shape and by its schema.
func agree(t *testing.T, w *world, rt *route, b body, text []byte) (taken bool) {
	t.Helper()
	j, err := sayso.ParseJSON(text)
	if err != nil {
		return false
	}
	fast, slow := fresh(rt), fresh(rt)
	if !b.shape.read(j, reflect.ValueOf(fast).Elem(), false) {
		return false
	}
	if err := w.decodeBySchema(b.schema, j.Any(), text, slow); err != nil {
		t.Errorf("%s takes what the schema refuses: %s: %v", rt.id, text, w.asProblem(err).Errors)
	} else if !reflect.DeepEqual(fast, slow) {
		t.Errorf("%s: %s is read as %s", rt.id, text, fmt.Sprintf("%+v, not as %+v", fast, slow))
	}
	return true
}
