package main

import (
	"testing"

	"github.com/saysohq/sayso/agent/examples/exampletest"
)

func TestExample(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "none")
	exampletest.Run(t, run, "ANTHROPIC_BASE_URL", "")
}
