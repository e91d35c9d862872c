//go:build unix

package localhub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// detach makes the command a process that outlives the terminal it came from.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// openPage opens a page or an address with the person's browser, which may run on long
// after us.
func openPage(name string) error {
	open := "xdg-open"
	if runtime.GOOS == "darwin" {
		open = "open"
	}
	if _, err := exec.LookPath(open); err != nil {
		return fmt.Errorf("no browser is known here: %w; answer with: sayso inbox", err)
	}
	cmd := exec.Command("/bin/sh", "-c", open+` "$1" >/dev/null 2>&1 </dev/null &`, "sh", name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Run()
}

// absent reports whether the error of a dial means that there is no hub.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// crowded reports whether the error of a dial means that the queue of the socket
// is full.
func crowded(err error) bool { return errors.Is(err, syscall.EAGAIN) }

// lock takes the lock of the file for this process, and waits for it until ctx
// ends. The kernel gives it back when the process ends, however that happens.
func lock(ctx context.Context, name string, meanwhile func() bool) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", name, err)
		case meanwhile != nil && meanwhile():
			f.Close()
			return nil, errNotNeeded
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", name, context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}
