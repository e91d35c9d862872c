package cli_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFigure_COUNT measures what a status bar waits for, with a hub that has three
// open questions and with none, from the start of the process to its end. The goal
// is 20 ms.
func TestFigure_COUNT(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	m := newMachine(t)
	hello, program := build(t, m.dir)
	sayso := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = m.env, m.dir
		return cmd
	}
	for _, q := range []string{"A?", "B?", "C?"} {
		if out, err := sayso("ask", q, "--wait", "1ms").CombinedOutput(); err == nil {
			t.Fatalf("somebody answered %s: %s", q, out)
		}
	}
	run := func(cmd *exec.Cmd, want string) (wall, cpu float64) {
		var out bytes.Buffer
		cmd.Stdout = &out
		begin := time.Now()
		err := cmd.Run()
		took := time.Since(begin)
		if err != nil || !strings.HasPrefix(out.String(), want) {
			t.Fatalf("%v: %q, %v", cmd.Args, out.String(), err)
		}
		return float64(took.Microseconds()) / 1000, float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / 1000
	}
	tell := func(name string, do func() *exec.Cmd, want string) {
		var walls, cpus []float64
		for range 100 {
			wall, cpu := run(do(), want)
			walls, cpus = append(walls, wall), append(cpus, cpu)
		}
		slices.Sort(walls)
		slices.Sort(cpus)
		t.Logf("FIGURE COUNT %.1f ms-p50-%s", walls[50], name)
		t.Logf("FIGURE COUNT %.1f ms-p95-%s", walls[95], name)
		t.Logf("FIGURE COUNT %.1f ms-cpu-p50-%s", cpus[50], name)
	}
	tell("hello-world", func() *exec.Cmd { return exec.Command(hello) }, "hello")
	tell("with-a-hub", func() *exec.Cmd { return sayso("count") }, "3\n")
	if out, err := sayso("stop").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tell("without-a-hub", func() *exec.Cmd { return sayso("count") }, "3\n")
	if _, err := os.Stat(m.starter.Places.Socket()); err == nil {
		t.Error("it started a hub")
	}
}

// TestFigure_REFUSED measures how long a command takes to say that nobody serves the
// address of the hub. The goal is 2 s.
func TestFigure_REFUSED(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	m := newMachine(t)
	_, program := build(t, m.dir)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + ln.Addr().String()
	ln.Close()
	var worst time.Duration
	for range 5 {
		for _, args := range [][]string{{"list"}, {"show", "x"}, {"count"}} {
			cmd := exec.Command(program, append(args, "--hub", address)...)
			cmd.Env, cmd.Dir = m.env, m.dir
			begin := time.Now()
			out, err := cmd.CombinedOutput()
			worst = max(worst, time.Since(begin))
			if err == nil || !strings.Contains(string(out), "connection refused") {
				t.Fatalf("%v: %v: %s", args, err, out)
			}
		}
	}
	t.Logf("FIGURE REFUSED %d ms", worst.Milliseconds())
}
