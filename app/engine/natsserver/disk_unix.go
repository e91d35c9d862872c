//go:build linux || darwin

package natsserver

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mayWrite returns why files cannot be made in the folder.
func mayWrite(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &os.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}

// space returns the bytes that are free where the folder is: none, if no file can be made.
func space(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return -1, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if st.Files > 0 && st.Ffree == 0 {
		return 0, nil
	}
	if st.Bavail > math.MaxInt64/uint64(st.Bsize) {
		return math.MaxInt64, nil
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
