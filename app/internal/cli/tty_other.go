//go:build !unix

package cli

import "os"

func foreground(*os.File) bool { return true }
