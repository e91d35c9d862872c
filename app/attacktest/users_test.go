package attacktest

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// personUID and strangerUID are two users of the machine.
const (
	personUID   = 12001
	strangerUID = 65534
)

// own gives a file to the user that the world is run as.
func (w *world) own(path string) {
	w.t.Helper()
	err := filepath.WalkDir(path, func(name string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(name, w.uid, w.uid)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// launch starts a program of the person, which ends with the test.
func (w *world) launch(cmd *exec.Cmd) {
	w.t.Helper()
	said := &output{}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(w.uid), Gid: uint32(w.uid)}, Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		if w.t.Failed() {
			w.t.Logf("%s said:\n%.2000s", filepath.Base(cmd.Path), said)
		}
	})
}

// stranger is the intruder, as the person's test sees it.
type stranger struct {
	t      *testing.T
	orders *json.Encoder
	known  *json.Decoder
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir, cmd.Env = "/", []string{"SAYSO_INTRUDER=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: strangerUID, Gid: strangerUID}}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); io.Copy(io.Discard, out); cmd.Wait() })
	return &stranger{t, json.NewEncoder(in), json.NewDecoder(out)}
}

// do has the intruder follow an order and returns what it knows then.
func (s *stranger) do(o order) *loot {
	s.t.Helper()
	if err := s.orders.Encode(o); err != nil {
		s.t.Fatalf("the intruder ended: %v", err)
	}
	l := &loot{}
	if err := s.known.Decode(l); err != nil {
		s.t.Fatalf("the intruder ended: %v", err)
	}
	return l
}
