//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// group makes the program the first of a process group, which ends as one.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
