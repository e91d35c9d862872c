package cli

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRunning(t *testing.T) {
	if !running(os.Getpid()) {
		t.Error("this process does not run")
	}
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	// Until it has ended, but without the asking that lets it go.
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if unix.Kill(pid, 0) != nil || running(pid) {
		t.Error("a process that has ended runs")
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if running(pid) {
		t.Error("a process that is gone runs")
	}
}
