//go:build unix

package connlimit

import (
	"errors"
	"math"
	"syscall"
)

// Files returns how many file descriptors this process may have open. The Go
// runtime has raised that to what the system allows.
func Files() int {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil || uint64(r.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(r.Cur)
}

// scarce reports whether there was no file descriptor left for a connection.
func scarce(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
