//go:build !unix

package pendingfile

import (
	"io/fs"
	"os"
)

// On these systems a file inherits who may do what from its folder, which for the
// home of a user is the user alone, and folders cannot be synced.
const (
	hasModes  = false
	openFlags = 0
)

func owned(fs.FileInfo) error   { return nil }
func oneName(fs.FileInfo) error { return nil }
func syncFolder(*os.File) error { return nil }
