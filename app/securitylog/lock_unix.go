//go:build unix

package securitylog

import (
	"os"
	"syscall"
)

// lock takes the lock of an open file.
func lock(f *os.File) (unlock func(), err error) {
	fd := int(f.Fd())
	for {
		if err = syscall.Flock(fd, syscall.LOCK_EX); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return func() { syscall.Flock(fd, syscall.LOCK_UN) }, nil
}
