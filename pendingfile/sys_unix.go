//go:build unix

package pendingfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hasModes says that the system's file modes mean what they say.
const hasModes = true

// openFlags keep the open of a pipe or a device from waiting for its other end.
const openFlags = syscall.O_NONBLOCK

// owned reports a file that is not the user's.
func owned(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return errors.New("belongs to somebody else")
	}
	return nil
}

// oneName reports a file that can be reached by another name.
func oneName(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink != 1 {
		return errors.New("has a second name (a hard link)")
	}
	return nil
}

// syncFolder makes the entries of a folder last.
func syncFolder(f *os.File) error { return f.Sync() }
