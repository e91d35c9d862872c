package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
)

var update = flag.Bool("update", false, "rewrite golden files")

const openapiFile = "../../docs/openapi.json"

func TestOpenAPIIsCommitted(t *testing.T) {
	got, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(openapiFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(openapiFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the routes say; run go test ./httpapi -run OpenAPI -update and read the diff", openapiFile)
	}
}

// Every part of the wire says what it is.
func TestOpenAPIDescribesEverything(t *testing.T) {
	doc, _ := describe(routes())
	for name, s := range doc.Components.Schemas.Map() {
		for field, p := range s.Properties {
			if p.Description == "" {
				t.Errorf("%s.%s has no description", name, field)
			}
		}
	}
	for _, rt := range routes() {
		if rt.summary == "" || rt.id == "" || len(rt.ok) == 0 {
			t.Errorf("%s %s is not described", rt.method, rt.path)
		}
	}
}

// Every operation has an example that fits its schema, and a request that is one is
// taken as it is.
func TestOpenAPIExamples(t *testing.T) {
	w := newWorld(t, nil)
	doc, _ := describe(routes())
	bodies := w.bodies()
	for _, rt := range routes() {
		op := doc.Paths[rt.path]
		if op == nil {
			t.Fatalf("%s is not described", rt.path)
		}
		if rt.body != nil {
			data, err := json.Marshal(example(rt.body, 0))
			if err != nil {
				t.Fatal(err)
			}
			if err := w.decode(bodies[rt.id], data, reflect.New(reflect.TypeOf(rt.body)).Interface()); err != nil {
				t.Errorf("%s does not take its example: %v: %s", rt.id, w.asProblem(err).Errors, data)
			}
		}
		for _, ok := range rt.ok {
			if ok.body == nil {
				continue
			}
			data, err := json.Marshal(example(ok.body, ok.status))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := sayso.ReadJSON(data)
			if err != nil || tree == nil {
				t.Errorf("%s has no example of a reply: %v", rt.id, err)
				continue
			}
			schema := doc.Components.Schemas.Schema(reflect.TypeOf(ok.body), true, "")
			var res huma.ValidateResult
			huma.Validate(w.registry, schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, tree, &res)
			if unknown := w.unknown(schema, tree, "", nil); len(res.Errors)+len(unknown) > 0 {
				t.Errorf("%s: %v %v: %s", rt.id, res.Errors, unknown, data)
			}
		}
	}
	sent, err := json.Marshal(example(sayso.Ask{}, 0))
	if err != nil {
		t.Fatal(err)
	}
	stored := must[api.Ticket](t, w, "bot", "POST", "/v1/asks", string(sent))
	if told := example(api.Ticket{}, 201).(api.Ticket); stored.Digest != told.Digest {
		t.Errorf("the digest is %s, the example has %s", stored.Digest, told.Digest)
	}
}

// asProblem returns what a client would be told.
func (w *world) asProblem(err error) *problem {
	return (&call{s: w.Server, r: httptest.NewRequest("GET", "/", nil)}).problemOf(err)
}

// Operations are verbs with a noun, each its own.
func TestOperationNames(t *testing.T) {
	name := regexp.MustCompile(`^(add|amend|answer|attend|call|cancel|consume|decline|delegate|end|explain|get|list|note|put|rehearse|relay|repeat|respond|revoke|save|search|snooze|submit|take|undo|watch|withdraw)[A-Z][A-Za-z]+$`)
	seen := map[string]bool{}
	for _, rt := range routes() {
		if !name.MatchString(rt.id) || seen[rt.id] {
			t.Errorf("%s %s is %q", rt.method, rt.path, rt.id)
		}
		seen[rt.id] = true
	}
}
