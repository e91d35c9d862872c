//go:build !unix

package tui

import "os"

func foreground(*os.File) bool { return true }
