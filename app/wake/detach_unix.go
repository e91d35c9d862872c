//go:build unix

package wake

import (
	"os/exec"
	"syscall"
)

// detach keeps signals of the hub's terminal from the command.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
