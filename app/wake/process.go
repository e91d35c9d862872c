package wake

import (
	"path/filepath"
	"slices"
	"strings"
)

// Process identifies a process for good: another one with the same number is not it.
// It is empty if that is not known.
type Process string

// Life says whether a process runs.
type Life int

// What is known of a process.
const (
	Unknown Life = iota // it cannot be seen from here
	Running
	Gone
)

// shells are programs that agents start hooks and servers with.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox"}

// Above returns the process of the agent that started the process with this number:
// its parent, or the nearest one above that is not a shell.
func Above(pid int) Process {
	for range 4 {
		parent, _, ok := look(pid)
		if !ok || parent <= 1 {
			return ""
		}
		_, name, ok := look(parent)
		if !ok {
			return ""
		}
		name = strings.TrimPrefix(filepath.Base(name), "-")
		if !slices.Contains(shells, name) {
			return ProcessOf(parent)
		}
		pid = parent
	}
	return ""
}
