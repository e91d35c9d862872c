package cli_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// TestFigure_P7 measures what a person waits for: the start of the program, and
// of a command whose hub is not there, is there, or is opened in this process
// without anything around it. The rounds alternate, so that a busy machine is
// busy for all of them.
func TestFigure_P7(t *testing.T) {
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
	bare := m.starter.Places
	bare.State = filepath.Join(m.dir, "bare")
	if err := os.Mkdir(bare.State, 0o700); err != nil {
		t.Fatal(err)
	}
	took := map[string][]float64{}
	measure := func(name string, do func() error) {
		begin := time.Now()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		took[name] = append(took[name], float64(time.Since(begin).Microseconds())/1000)
	}
	for range 31 {
		measure("hello", func() error { return exec.Command(hello).Run() })
		measure("version", func() error { return sayso("--version").Run() })
		measure("list-cold", func() error { return sayso("list").Run() })
		measure("list-warm", func() error { return sayso("list").Run() })
		stopHub(t, m)
		var engine *localhub.Engine
		measure("engine", func() (err error) {
			engine, err = localhub.OpenEngine(t.Context(), bare, slog.New(slog.DiscardHandler), nil)
			return err
		})
		if err := engine.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	median := func(name string) float64 {
		s := slices.Sorted(slices.Values(took[name]))
		return s[len(s)/2]
	}
	for _, name := range []string{"hello", "version", "list-cold", "list-warm", "engine"} {
		t.Logf("FIGURE P7 %.1f ms-%s", median(name), name)
	}
	t.Logf("FIGURE P7 %.2f x-version-over-hello", median("version")/median("hello"))
	t.Logf("FIGURE P7 %.2f x-list-over-engine-and-hello", median("list-cold")/(median("engine")+median("hello")))
	t.Logf("FIGURE P7 %.2f x-warm-list-over-hello", median("list-warm")/median("hello"))
}

// build builds the program as it is released, and the least that Go can be.
func build(t *testing.T, dir string) (hello, program string) {
	t.Helper()
	source := filepath.Join(dir, "hello.go")
	hello, program = filepath.Join(dir, "hello"), filepath.Join(dir, "sayso")
	text := "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello, world\") }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-o", hello, source}, {"-o", program, "../../cmd/sayso"}} {
		cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags=-s -w"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("FIGURE P7 %s MB-program", fmt.Sprintf("%.1f", float64(info.Size())/1e6))
	return hello, program
}

// stopHub ends the hub as its idleness would.
func stopHub(t *testing.T, m *machine) {
	t.Helper()
	socket := m.starter.Places.Socket()
	pid := hubPID(socket)
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until the lock of the folder is free; a dead process may stay in the list of processes
		f, err := os.Open(filepath.Join(m.starter.Places.State, "hub.lock"))
		if err != nil {
			t.Fatal(err)
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		f.Close()
		if err == nil {
			return
		}
		<-time.After(time.Millisecond)
	}
}
