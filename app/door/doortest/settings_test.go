package doortest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// settings reads a file of testdata/settings: what a user puts into the settings
// of an agent. The documents copy these files, so that nobody is told to write
// what the real program was not given.
func settings(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/settings", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// mcpServers is the settings file of an agent that starts our server, with more
// members for its entry.
func mcpServers(t testing.TB, name string, more object) string {
	t.Helper()
	var file struct {
		Servers map[string]object `json:"mcpServers"`
	}
	decode(t, []byte(settings(t, name)), &file)
	entry := file.Servers["sayso"]
	if entry == nil {
		t.Fatalf("%s has no server named sayso", name)
	}
	maps.Copy(entry, more)
	b, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
