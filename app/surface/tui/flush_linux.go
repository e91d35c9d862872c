package tui

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush drops what was typed and not read yet.
func flush(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
