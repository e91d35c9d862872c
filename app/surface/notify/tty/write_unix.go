//go:build unix

package tty

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/saysohq/sayso/app/surface/notify"
)

// writeTo writes to a terminal of this user. It looks before it opens, and again at what
// it has opened.
func writeTo(path, what string, until time.Time) error {
	info, err := os.Lstat(path)
	if err != nil {
		return gone(err)
	}
	if err := own(path, info); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return gone(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return gone(err)
	}
	if err := own(path, info); err != nil {
		return err
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	is := false
	if err := raw.Control(func(fd uintptr) { is = term.IsTerminal(fd) }); err != nil || !is {
		return refused(path, "it is not a terminal")
	}
	// Where files have no deadlines, a write that would block fails at once.
	if err := f.SetWriteDeadline(until); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return err
	}
	if _, err := f.WriteString(what); errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("the terminal %s takes nothing; it may have been stopped with ctrl+s", path)
	} else if err != nil {
		return gone(err)
	}
	return nil
}

// own wants a device of this user.
func own(path string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeCharDevice == 0 {
		return refused(path, "it is not a terminal")
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() {
		return refused(path, "it belongs to another user")
	}
	return nil
}

// refused says that a terminal is not the one that was added: its name is somebody
// else's by now.
func refused(path, why string) error {
	return fmt.Errorf("the terminal %s is not written to: %s: %w", path, why, notify.ErrGone)
}

// gone tells a window that was closed from what may pass.
func gone(err error) error {
	for _, e := range []error{fs.ErrNotExist, syscall.EIO, syscall.ENXIO, syscall.ENODEV} {
		if errors.Is(err, e) {
			return fmt.Errorf("the terminal has been closed: %w: %w", err, notify.ErrGone)
		}
	}
	return fmt.Errorf("writing to the terminal: %w", err)
}
