package httpapi

import (
	"bytes"
	"flag"
	"os"
	"testing"
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
