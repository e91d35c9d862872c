//go:build unix

package cli

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// running reports whether there is a process of that number. One that ended and
// that nobody has asked about does not run: in a container the first process may
// never ask.
func running(pid int) bool {
	err := syscall.Kill(pid, 0)
	if err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true // no such file here, or it is not for us
	}
	// The state follows the name, which is in parentheses and may hold some.
	at := bytes.LastIndexByte(stat, ')')
	return at < 0 || !bytes.HasPrefix(stat[at:], []byte(") Z"))
}
