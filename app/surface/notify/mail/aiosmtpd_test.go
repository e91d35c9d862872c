package mail

import (
	"bufio"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/testenv"
)

// A server that is not ours takes the mail.
func TestAiosmtpd(t *testing.T) {
	testenv.Tools(t, "aiosmtpd")
	const python = "/usr/bin/python3" // the one that aiosmtpd is installed for
	cmd := exec.CommandContext(t.Context(), python, "-u", "-c", `
import asyncio, sys
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Debugging
c = Controller(Debugging(sys.stdout), hostname="127.0.0.1", port=0)
c.port = int(sys.argv[1])
c.start()
print("READY", flush=True)
sys.stdin.read()
c.stop()
`, freePort(t))
	stdin, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer stdin.Close()
	lines := bufio.NewScanner(out)
	var all strings.Builder
	until := func(end string) {
		t.Helper()
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), end) {
				return
			}
		}
		t.Fatalf("the server ended without %q:\n%s", end, all.String())
	}
	until("READY")
	c := New(&Options{Server: "127.0.0.1:" + cmd.Args[len(cmd.Args)-1], From: "sayso@example.com", Limit: time.Minute})
	if _, err := c.Put(t.Context(), contact(), note(notify.DetailText, nil), ""); err != nil {
		t.Fatal(err)
	}
	until("END MESSAGE")
	for _, want := range []string{"Subject: claude-code asks", "Auto-Submitted: auto-generated", "=C3=9Cber alles."} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no %q in\n%s", want, all.String())
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
