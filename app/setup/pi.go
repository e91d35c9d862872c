package setup

import (
	_ "embed"
	"encoding/json"
	"path/filepath"

	"github.com/saysohq/sayso/dialect"
)

//go:embed embed/pi.js
var piExtension string

// PiOptions are what "sayso setup pi" can be told. They are remembered, so that other
// runs of setup keep them.
type PiOptions struct {
	// Permissions has pi ask before it uses a tool that does more than read. pi itself
	// never asks, and most of its users want it so.
	Permissions bool `json:"permissions,omitempty"`
}

func piAgent() *Agent { return Pi(nil) }

// Pi is pi with options. Nil: those of the last time, or the defaults.
func Pi(o *PiOptions) *Agent {
	a := &Agent{
		Name: "pi", Title: "pi", Commands: []string{"pi"},
		Folders: func(e *Env) []string { return []string{piFolder(e)} },
		options: o,
	}
	a.Plan = func(e *Env) (*Plan, error) {
		with := o
		if with == nil {
			with = &PiOptions{}
			if err := saved(e, a, with); err != nil {
				return nil, err
			}
		}
		return piPlan(e, with)
	}
	a.Bypass = func(e *Env) (string, error) {
		with := o
		if with == nil {
			with = &PiOptions{}
			if err := saved(e, a, with); err != nil {
				return "", err
			}
		}
		if with.Permissions {
			return "", nil
		}
		return "pi uses its tools without asking; sayso setup pi --permissions changes that", nil
	}
	return a
}

func piFolder(e *Env) string { return e.Folder("PI_CODING_AGENT_DIR", filepath.Join(".pi", "agent")) }

// piReads are pi's tools that only read, and ours. They need no permission.
var piReads = []string{"read", "grep", "find", "ls", "ask_user"}

func piPlan(e *Env, o *PiOptions) (*Plan, error) {
	spec := dialect.Pi.Spec()
	source := ""
	for _, c := range []struct {
		name  string
		value any
	}{
		{"permissions", o.Permissions},
		{"reads", piReads},
		{"tool", Ordered{{"name", spec.Name}, {"label", "Ask the user"}, {"description", spec.Description}, {"parameters", json.RawMessage(spec.Schema)}}},
	} {
		text, err := json.Marshal(c.value)
		if err != nil {
			return nil, err
		}
		source += "const " + c.name + " = " + string(text) + "\n"
	}
	return &Plan{
		Files: []File{OwnFile(filepath.Join(piFolder(e), "extensions", "sayso.js"), pluginText(e, "pi", source+"\n"+piExtension))},
		After: "Start pi again, or type /reload in it.",
	}, nil
}
