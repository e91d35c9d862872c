package doortest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
)

//go:embed versions.json
var versionsJSON []byte

// Tested says which versions of the agents the integrations were tested with.
type Tested struct {
	Installed []struct{ Folder, Package, Version string } // by install.sh, for the cases here
	ByHand    []struct{ Name, Version, Date string }
	Programs  []AgentProgram
	Pages     map[string]string // what the page of an integration says about it; {name} is a version
}

// Versions reads versions.json, the one place that names them.
func Versions() (*Tested, error) {
	t := &Tested{}
	if err := json.Unmarshal(versionsJSON, t); err != nil {
		return nil, fmt.Errorf("versions.json: %w", err)
	}
	return t, nil
}

// Version returns the version of an installed program.
func Version(t testing.TB, folder string) string {
	t.Helper()
	all, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Installed {
		if p.Folder == folder {
			return p.Version
		}
	}
	t.Fatalf("versions.json does not name %s", folder)
	return ""
}

var placeholder = regexp.MustCompile(`\{([^{}]+)\}`)

// Sentence returns what the page of an integration says, with the versions.
func (t *Tested) Sentence(page string) (string, error) {
	values := map[string]string{}
	for _, p := range t.Installed {
		values[p.Folder] = p.Version
	}
	for _, p := range t.ByHand {
		values[p.Name], values[p.Name+" date"] = p.Version, p.Date
	}
	text, ok := t.Pages[page]
	if !ok {
		return "", fmt.Errorf("versions.json has no sentence for %s", page)
	}
	var err error
	text = placeholder.ReplaceAllStringFunc(text, func(name string) string {
		v := values[name[1:len(name)-1]]
		if v == "" {
			err = fmt.Errorf("versions.json: %s uses %s, which is not there", page, name)
		}
		return v
	})
	return text, err
}

// Known reports whether a version is one of those.
func (t *Tested) Known(version string) bool {
	for _, p := range t.Installed {
		if p.Version == version {
			return true
		}
	}
	for _, p := range t.ByHand {
		if p.Version == version {
			return true
		}
	}
	return false
}
