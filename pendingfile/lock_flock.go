//go:build unix && !aix && !solaris

package pendingfile

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the folder for this process until f is closed, and reports
// whether it could. A file system that cannot lock folders counts as locked.
func tryLock(f *os.File) (bool, error) {
	err := syscall.EINTR
	for err == syscall.EINTR {
		err, _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB).(syscall.Errno)
	}
	switch {
	case err == 0, errors.Is(err, errors.ErrUnsupported), err == syscall.EBADF, err == syscall.EINVAL, err == syscall.ENOLCK:
		return true, nil
	case err == syscall.EWOULDBLOCK:
		return false, nil
	}
	return false, os.NewSyscallError("flock", err)
}
