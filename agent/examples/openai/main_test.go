package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/agent/examples/exampletest"
)

// The example asks, and the model is told the answer.
func TestExample(t *testing.T) {
	w := exampletest.Start(t)
	t.Setenv("SAYSO_HUB", w.Hub)
	t.Setenv("SAYSO_KEY", exampletest.Key)
	t.Setenv("OPENAI_BASE_URL", w.Model.URL+"/v1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	if err := run(ctx, &out, "Set up a service"); err != nil {
		t.Fatal(err)
	}
	if out.String() != "done\n" {
		t.Errorf("the example says %q", out.String())
	}
	if r := w.Model.Results(); len(r) != 1 || !strings.Contains(r[0].Text, "SQLite") || r[0].IsError {
		t.Errorf("the model was told %+v", r)
	}
}
