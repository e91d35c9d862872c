package natsserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LockedError says that another process owns the store.
type LockedError struct {
	Dir string
	PID int // 0 when it could not be told
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = "process " + strconv.Itoa(e.PID)
	}
	return fmt.Sprintf("the store at %s is in use by %s, and only one may own it: talk to that one, or stop it", e.Dir, who)
}

// dirLock is a folder that this process owns.
type dirLock struct{ file *os.File }

// Close gives the folder back. Closing the file alone would not, while another goroutine starts a process: that has a copy
// of every open file for a moment.
func (l *dirLock) Close() error { return errors.Join(unlock(l.file), l.file.Close()) }

// lockDir makes dir and takes it for this process. The kernel gives the lock back when the process ends, however it ends.
func lockDir(dir string) (*dirLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		b := make([]byte, 20)
		n, _ := f.ReadAt(b, 0)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(b[:n])))
		err = errors.Join(&LockedError{Dir: dir, PID: pid}, f.Close())
		return nil, err
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &dirLock{f}, nil
}
