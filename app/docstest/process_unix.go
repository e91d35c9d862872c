//go:build unix

package docstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mark is in the environment of every process of a page.
const mark = "SAYSO_DOCS_PAGE"

// own gives the command a session of its own: it has no terminal, and what it
// starts ends with it.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// end ends the command and what it started, in a friendly way first.
func end(cmd *exec.Cmd, done <-chan struct{}) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-done:
	case <-time.After(10 * time.Second):
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// killMarked ends the processes that a page left behind, such as its hub.
func killMarked(page string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // on other systems the hub ends by itself
	for _, name := range files {
		env, err := os.ReadFile(name)
		if err != nil || !strings.Contains("\x00"+string(env), "\x00"+mark+"="+page+"\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && pid != os.Getpid() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
