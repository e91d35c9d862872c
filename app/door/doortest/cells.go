package doortest

import (
	"os"
	"path/filepath"
	"strings"
)

// What is shown of each program, by the letter of its cell.
var CellNames = []struct{ Cell, Name string }{
	{"a", "its own question, answered from the inbox"},
	{"b", "answered in its own dialog: the one in the inbox closes"},
	{"c", "the tool that sayso brings, after `sayso setup` alone"},
	{"d", "the hub is killed while it waits"},
	{"e", "an answer after the call has ended reaches the model"},
	{"f", "a request for permission, allowed and denied from the inbox"},
	{"g", "`sayso setup --undo` restores every file"},
}

// Shown is how the cell of a program begins if a test shows it. What follows says in which
// way, if that is not the usual one.
const Shown = "✓"

// AgentProgram is one of the published programs, and what is shown of it.
type AgentProgram struct {
	Name  string // the argument of sayso setup, and how the cells name it
	Title string
	Page  string            // in docs/integrations, without .md
	Cells map[string]string // [Shown] first, or why the program cannot
}

// Program returns the published program of that name, or nil.
func (t *Tested) Program(name string) *AgentProgram {
	for i := range t.Programs {
		if t.Programs[i].Name == name {
			return &t.Programs[i]
		}
	}
	return nil
}

// Install puts a program on the path of the world, under the name that people type.
func (w *World) Install(names ...string) {
	w.t.Helper()
	for _, name := range names {
		words := Program(w.t, name)
		if strings.HasSuffix(words, ".js") {
			words = Program(w.t, "node") + " " + words
		}
		bin := filepath.Join(w.bin(), name)
		if err := os.MkdirAll(w.bin(), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(bin, []byte("#!/bin/sh\nexec "+words+" \"$@\"\n"), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
}

// bin is where [World.Install] puts programs.
func (w *World) bin() string { return filepath.Join(w.dir, "bin") }
