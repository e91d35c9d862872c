//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package tui

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush drops what was typed and not read yet.
func flush(tty *os.File) {
	const input = 1 // FREAD
	_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, input)
}
