package attacktest

import (
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

var (
	byteCounts = regexp.MustCompile(`\b\d+ bytes\b`)
	between    = regexp.MustCompile(`\n +fix: `)
	offset     = regexp.MustCompile(`from byte \d+`)
	spaces     = regexp.MustCompile(`\s+`)
)

// normal leaves out of a text what is another each time.
func (s *sick) normal(text string) string {
	text = strings.ReplaceAll(text, s.state, "STATE")
	text = strings.ReplaceAll(text, s.home, "HOME")
	text = byteCounts.ReplaceAllString(text, "N bytes")
	text = offset.ReplaceAllString(text, "from byte N")
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}

// wrongs returns what the doctor found wrong.
func wrongs(said string) string {
	var wrong []string
	for _, line := range strings.Split(between.ReplaceAllString(said, " — fix: "), "\n") {
		if strings.HasPrefix(line, "✗") {
			wrong = append(wrong, line)
		}
	}
	if wrong == nil {
		return "nothing is wrong"
	}
	return strings.Join(wrong, " / ")
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[max(strings.LastIndex(text, "\nsayso: "), -1)+1:]
}

// killHub ends a hub that runs in the background.
func (s *sick) killHub() {
	for _, run := range []string{filepath.Join(s.home, "run"), filepath.Join(s.state, "sayso", "run")} {
		conn, err := net.Dial("unix", filepath.Join(run, "sayso", "hub.sock"))
		if err != nil {
			continue
		}
		raw, err := conn.(*net.UnixConn).SyscallConn()
		if err == nil {
			raw.Control(func(fd uintptr) {
				if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
					syscall.Kill(int(cred.Pid), syscall.SIGKILL)
				}
			})
		}
		conn.Read(make([]byte, 1)) // until it is gone
		conn.Close()
	}
}
