package tui

import "os"

// FlushInput drops what was typed on a terminal and not read yet: it was not meant
// for what is shown next.
func FlushInput(tty *os.File) { flush(tty) }
