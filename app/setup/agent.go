package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
)

// Env is the machine that agents are set up on.
type Env struct {
	Home    string   // of the user
	Dir     string   // the current folder
	State   string   // sayso's own folder, for what undoing needs
	Command []string // the words that start sayso

	Getenv   func(string) string
	LookPath func(string) (string, error)

	onStep func(what, name string) error
}

// Folder returns the folder that an environment variable names, or one in the home.
func (e *Env) Folder(variable, inHome string) string {
	if variable != "" {
		if dir := e.Getenv(variable); dir != "" {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(e.Dir, dir)
			}
			return dir
		}
	}
	return filepath.Join(e.Home, inHome)
}

// Words returns the words that start sayso, and more behind them.
func (e *Env) Words(more ...string) []string { return append(slices.Clone(e.Command), more...) }

// Agent is a program that can be set up.
type Agent struct {
	Name  string // the word for it on the command line: codex
	Title string // Codex CLI

	// Commands are the executables that say that it is installed.
	Commands []string

	// Folders are settings folders that say so, too. Nil: none.
	Folders func(*Env) []string

	// Plan says what is changed.
	Plan func(*Env) (*Plan, error)

	// Bypass returns the setting by which the agent decides by itself and asks
	// nobody, in words, or "" if it asks. Nil: it always asks.
	Bypass func(*Env) (string, error)

	record  string // the name of its record; default: Name
	options any    // kept with the record
}

// Plan is what setting up an agent changes.
type Plan struct {
	Files []File
	After string // one sentence: what to do next
}

// File is a settings file that setting up changes.
type File struct {
	Path string

	// Add returns the file with ours in it. Before is nil if there is no file. If
	// ours is there already, as it should be, it returns before.
	Add func(before []byte) ([]byte, error)

	// Remove returns the file without ours. It is for a file that somebody changed
	// after it was set up. Nil, for the function or its result: the file is removed.
	Remove func(now []byte) ([]byte, error)
}

// OwnFile is a file that has nothing in it but ours.
func OwnFile(path string, text []byte) File {
	return File{Path: path, Add: func([]byte) ([]byte, error) { return bytes.Clone(text), nil }}
}

// Agents returns the agents, in the order in which they are set up.
func Agents() []*Agent {
	return []*Agent{
		claudeAgent(), codexAgent(), opencodeAgent(), copilotAgent(), geminiAgent(), qwenAgent(), piAgent(),
		claudeACPAgent(), codexACPAgent(),
	}
}

// Named returns the agent with a name, or nil.
func Named(name string) *Agent {
	for _, a := range Agents() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Installed reports whether the agent is on the machine.
func (a *Agent) Installed(e *Env) bool {
	for _, command := range a.Commands {
		if _, err := e.LookPath(command); err == nil {
			return true
		}
	}
	if a.Folders != nil {
		for _, dir := range a.Folders(e) {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				return true
			}
		}
	}
	return false
}
