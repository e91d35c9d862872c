//go:build !unix

package cli

// running reports whether there is a process of that number: here nobody can
// tell.
func running(int) bool { return true }
