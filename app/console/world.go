package console

import (
	"cmp"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// World is what a run reads and writes. Tests make one of their own and run the
// whole program in their process.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Dir      string // the working folder
}

// System returns the world of the process.
func System() *World {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	return &World{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir}
}

// IsTerminal reports whether the stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// width is how many columns the terminal has; 0 if the stream is none.
func width(stream any) int {
	if !IsTerminal(stream) {
		return 0
	}
	w, _, _ := term.GetSize(stream.(*os.File).Fd())
	return w
}

// Plain reports whether the environment asks for lines of text and no drawing:
// TERM=dumb or ACCESSIBLE=1.
func (w *World) Plain() bool {
	accessible := w.Getenv("ACCESSIBLE")
	return w.Getenv("TERM") == "dumb" || accessible != "" && accessible != "0"
}

// Locale returns the language that the person reads, as the environment names it:
// "de_DE.UTF-8", "C", or "" where it names none.
func (w *World) Locale() string {
	return cmp.Or(w.Getenv("LC_ALL"), w.Getenv("LC_MESSAGES"), w.Getenv("LANG"))
}
