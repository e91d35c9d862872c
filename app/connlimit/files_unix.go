//go:build unix

package connlimit

import (
	"errors"
	"math"
	"syscall"
)

// Files returns how many file descriptors this process may have open, and
// math.MaxInt32 where there is no limit, or none is known. The Go runtime has
// raised the limit to what the system allows.
func Files() int {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil || uint64(r.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(r.Cur)
}

// Scarce reports whether an error of Accept says that there is no file descriptor
// left for a connection.
func Scarce(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
