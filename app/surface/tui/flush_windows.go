package tui

import (
	"os"

	"golang.org/x/sys/windows"
)

// flush drops what was typed and not read yet.
func flush(tty *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(tty.Fd())) }
