package attacktest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/testenv"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fault is something that keeps a hub from its work.
type fault struct {
	name    string
	running bool        // the hub runs when the fault comes; else it is about to be started
	atOnce  bool        // the first write meets it
	begin   func(*sick) // brings it about
	end     func(*sick) // takes it away; nil: it cannot be
}

// faults are the rows of the table in docs/records/reliability.md.
func faults() []fault {
	return []fault{
		{name: "full disk (ext4)", running: true, atOnce: true, begin: onDisk("ext4", 96<<20, (*sick).fill), end: (*sick).free},
		{name: "full disk (xfs)", running: true, atOnce: true, begin: onDisk("xfs", 320<<20, (*sick).fill), end: (*sick).free},
		{name: "full disk, at the start", begin: onDisk("ext4", 96<<20, (*sick).fill), end: (*sick).free},
		{name: "folder without permission", running: true, begin: func(s *sick) { s.mode(0o500) }, end: func(s *sick) { s.mode(0o700) }},
		{name: "read-only disk, at the start", begin: onDisk("ext4", 96<<20, func(s *sick) { s.remount("ro") }), end: func(s *sick) { s.remount("rw") }},
		{name: "no HOME", begin: (*sick).homeless, end: nil},
		{name: "no descriptors", running: true, begin: func(s *sick) { s.descriptors("20:") }, end: func(s *sick) { s.descriptors("1024:") }},
		{name: "few descriptors, at the start", begin: func(s *sick) { s.files = 30 }, end: func(s *sick) { s.files = 0 }},
		{name: "damaged block, at the start", begin: (*sick).damage, end: (*sick).repair},
		{name: "no hub is running", begin: nil},
	}
}

// TestFaultsSpeak brings every fault about and wants whoever asks, and whoever looks,
// to be told the reason, soon, and the hub to go on when the fault is gone.
func TestFaultsSpeak(t *testing.T) {
	var table strings.Builder
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			s := newSick(t, f)
			said := s.examine()
			fmt.Fprintf(&table, "# %s\n%s\n", f.name, said)
			golden := filepath.Join("testdata", "faults", strings.NewReplacer(" ", "-", ",", "", "(", "", ")", "").Replace(f.name)+".golden")
			if *update {
				if err := errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, []byte(said), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != said {
				t.Errorf("%s (%v), want\n%s\ngot\n%s", golden, err, want, said)
			}
		})
	}
	t.Logf("\n%s", &table)
}

// TestFigure_FAULTS measures how long each is told.
func TestFigure_FAULTS(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=FAULTS")
	}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			s := newSick(t, f)
			s.examine()
			slowest, what := time.Duration(0), ""
			for name, took := range s.took {
				if name != recovery && took > slowest {
					slowest, what = took, name
				}
			}
			t.Logf("FIGURE FAULTS %d ms %s: %s", slowest.Milliseconds(), f.name, what)
			if took, ok := s.took[recovery]; ok && f.running {
				t.Logf("FIGURE FAULTS-recovery %d ms %s", took.Milliseconds(), f.name)
			}
		})
	}
}

// sick is a world in which a hub cannot do its work.
type sick struct {
	*world
	f     fault
	exe   string // the program, for the user of the world
	state string // the folder that XDG_STATE_HOME names
	disk  *enginetest.Disk
	files int // the limit of open files of every command; 0: as it is
	saved []byte
	agent string
	took  map[string]time.Duration
}

func newSick(t *testing.T, f fault) *sick {
	s := &sick{world: newWorld(t), f: f, took: map[string]time.Duration{}}
	testenv.Root(t, "prlimit", "setpriv", "mount")
	s.uid = personUID // root may write everywhere
	s.state = filepath.Join(s.home, "state")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.exe = filepath.Join(s.home, "sayso")
	if err := errors.Join(os.Mkdir(s.state, 0o700), link(exe, s.exe)); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "XDG_STATE_HOME="+s.state)
	s.own(s.home)
	t.Cleanup(s.killHub)
	return s
}

// link makes a second name for a file, or a copy of it on another disk.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return os.Chmod(to, 0o755)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

// limit is for a busy machine; TestFigure_FAULTS measures.
const limit = 10 * time.Second

// note keeps how long something took, and ends the test if that is too long.
func (s *sick) note(what string, begin time.Time) {
	s.t.Helper()
	s.took[what] = time.Since(begin)
	if s.took[what] > limit {
		s.t.Fatalf("%s took %v", what, s.took[what])
	}
}

// run runs the program of the person, and notes how long it took.
func (s *sick) run(what string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := s.prepared(args...)
	var out, bad output
	cmd.Stdout, cmd.Stderr = &out, &bad
	begin := time.Now()
	err := cmd.Run()
	s.note(what, begin)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("%s: %v", what, err)
	}
	return out.String(), bad.String(), cmd.ProcessState.ExitCode()
}

func (s *sick) prepared(args ...string) *exec.Cmd {
	cmd := s.command(args...)
	cmd.Path, cmd.Args[0] = s.exe, s.exe
	if s.files > 0 {
		sh := exec.Command("/bin/sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, s.files)}, cmd.Args...)...)
		sh.Env, sh.Dir, sh.SysProcAttr = cmd.Env, cmd.Dir, cmd.SysProcAttr
		return sh
	}
	return cmd
}

func (s *sick) serve() {
	s.t.Helper()
	s.start(s.prepared("serve", "--listen", "127.0.0.1:0"))
}

// recovery names the time until the hub goes on.
const recovery = "recovery"

// examine brings the fault about, and returns what everybody is told.
func (s *sick) examine() string {
	s.t.Helper()
	if s.f.running {
		s.agent = s.asker()
	}
	if s.f.begin != nil {
		s.f.begin(s)
	}
	var b strings.Builder
	tell := func(what, said string) { fmt.Fprintf(&b, "%-14s %s\n", what, s.normal(said)) }
	if s.f.running {
		if s.f.atOnce {
			said := s.post("first ask")
			for range 1000 { // a file system may have set some room aside
				if !strings.HasPrefix(said, "201") {
					break
				}
				said = s.post("first ask")
			}
			tell("first ask", said)
		}
		begin := time.Now()
		eventually(s.t, "/readyz tells of the fault", func() bool { return s.do("GET", "/readyz", "", nil).status == 503 })
		s.note("until /readyz tells", begin)
		tell("POST /v1/asks", s.post("POST /v1/asks"))
		begin = time.Now()
		r := s.do("GET", "/readyz", "", nil)
		s.note("/readyz", begin)
		tell("/readyz", fmt.Sprintf("%d %s: %s", r.status, r.text("reason"), r.text("detail")))
		if strings.Contains(string(r.body), s.state) {
			s.t.Errorf("/readyz names a folder: %s", r.body)
		}
	}
	if s.f.begin != nil {
		_, stderr, code := s.run("sayso ask", "ask", "Deploy?", "-o", "Yes", "-o", "No", "--dialog", "never", "--wait", "100ms")
		line, _, _ := strings.Cut(stderr, "\n")
		tell("sayso ask", fmt.Sprintf("exit %d, %s", code, line))
	}
	if s.f.running {
		begin := time.Now()
		agent := speak(s.t, s.prepared("mcp"))
		agent.initialize(message{})
		agent.tool("ask_user", message{"questions": yesNo("Deploy?")["questions"]})
		told := told(agent.reply(2))
		s.note("sayso mcp", begin)
		tell("sayso mcp", told)
	}
	if s.f.begin != nil && !s.f.running {
		_, stderr, code := s.run("sayso serve", "serve", "--idle", "1ms")
		line, _, _ := strings.Cut(strings.TrimSpace(lastLine(stderr)), "\n")
		tell("sayso serve", fmt.Sprintf("exit %d, %s", code, line))
	}
	stdout, _, code := s.run("sayso health", "health")
	tell("sayso health", fmt.Sprintf("exit %d, %s", code, stdout))
	stdout, _, code = s.run("sayso doctor", "doctor")
	tell("sayso doctor", fmt.Sprintf("exit %d, %s", code, wrongs(stdout)))
	if s.f.end != nil {
		s.f.end(s)
		begin := time.Now()
		if s.f.running {
			eventually(s.t, "the hub stores asks again", func() bool { return strings.HasPrefix(s.post("again"), "201") })
			eventually(s.t, "/readyz is 200 again", func() bool { return s.do("GET", "/readyz", "", nil).status == 200 })
		} else {
			s.serve()
		}
		s.took[recovery] = time.Since(begin)
		stdout, _, code := s.run("sayso health", "health")
		tell("afterwards", fmt.Sprintf("exit %d, %s", code, stdout))
	}
	s.stop()
	return b.String()
}

// post asks over HTTP.
func (s *sick) post(what string) string {
	s.t.Helper()
	begin := time.Now()
	http.DefaultClient.Timeout = 2 * limit // what is never answered need not be waited for
	defer func() { http.DefaultClient.Timeout = 0 }()
	r := s.do("POST", "/v1/asks", s.agent, yesNo("Deploy?"))
	s.note(what, begin)
	if strings.Contains(string(r.body), s.state) {
		s.t.Errorf("the asker is told a folder: %s", r.body)
	}
	return fmt.Sprintf("%d %s: %s", r.status, r.text("reason"), r.text("detail"))
}

// asker starts a hub, and has asked something when it returns the asker's key.
func (s *sick) asker() string {
	s.t.Helper()
	out, bad, code := s.run("sayso keys", "keys", "create", "--role", "asker", "--for", "agent")
	if code != 0 {
		s.t.Fatal(bad)
	}
	delete(s.took, "sayso keys")
	s.serve()
	key := strings.TrimSpace(out)
	s.asked(key, "Before the fault?")
	return key
}

// onDisk has the hub's folder on a disk of its own before the fault.
func onDisk(fs string, size int64, begin func(*sick)) func(*sick) {
	return func(s *sick) {
		s.t.Helper()
		if s.hub != nil {
			s.stop()
		}
		s.disk = enginetest.NewDisk(s.t, fs, size)
		s.t.Cleanup(s.killHub) // before the disk goes
		s.t.Cleanup(s.stop)
		if err := os.Chmod(filepath.Dir(filepath.Dir(s.disk.Dir)), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(s.disk.Dir), 0o755); err != nil {
			s.t.Fatal(err)
		}
		s.own(s.disk.Dir)
		s.state = s.disk.Dir
		s.env = append(s.env, "XDG_STATE_HOME="+s.state)
		if s.f.running {
			s.agent = s.asker()
		}
		begin(s)
	}
}

func (s *sick) filler() string { return filepath.Join(s.disk.Dir, "somebody else's") }

// fill leaves no room on the disk.
func (s *sick) fill() {
	s.t.Helper()
	var st syscall.Statfs_t
	f, err := os.Create(s.filler())
	if err == nil {
		err = syscall.Statfs(s.disk.Dir, &st)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	end := int64(st.Bavail) * st.Bsize
	for size := end; size > 0; { // the file system needs some for itself
		if syscall.Fallocate(int(f.Fd()), 0, 0, size) == nil {
			break
		}
		size -= 64 << 10
	}
	if _, err := f.Seek(0, 2); err != nil {
		s.t.Fatal(err)
	}
	for size := 64 << 10; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

func (s *sick) free() { os.Remove(s.filler()) }

func (s *sick) remount(how string) {
	s.t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,"+how, s.disk.Dir).CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// mode changes the permissions of every folder of the store.
func (s *sick) mode(mode os.FileMode) {
	s.t.Helper()
	err := filepath.WalkDir(filepath.Join(s.state, "sayso", "engine"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(name, mode)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *sick) homeless() {
	var env []string
	for _, e := range s.env {
		if !strings.HasPrefix(e, "HOME=") && !strings.HasPrefix(e, "XDG_") {
			env = append(env, e)
		}
	}
	s.env = env
}

// descriptors changes the limit of the hub that runs.
func (s *sick) descriptors(limit string) {
	s.t.Helper()
	cmd := exec.Command("prlimit", "--pid", fmt.Sprint(s.hub.Process.Pid), "--nofile="+limit)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.uid)}}
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// block is the file with the questions: the first that has any.
func (s *sick) block() string {
	s.t.Helper()
	all, err := filepath.Glob(filepath.Join(s.state, "sayso", "engine", "jetstream", "HUB", "streams", "ASK2-*", "msgs", "*.blk"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range all {
		if st, err := os.Stat(path); err == nil && st.Size() >= 100 {
			return path
		}
	}
	s.t.Fatalf("no block of %d has a question", len(all))
	return ""
}

// damage flips a bit in a question of a hub that has stopped.
func (s *sick) damage() {
	s.t.Helper()
	s.asker()
	s.stop()
	var err error
	if s.saved, err = os.ReadFile(s.block()); err != nil || len(s.saved) < 100 {
		s.t.Fatalf("%d bytes: %v", len(s.saved), err)
	}
	bad := append([]byte(nil), s.saved...)
	bad[len(bad)/2] ^= 1
	s.rewrite(bad)
}

func (s *sick) repair() { s.rewrite(s.saved) }

func (s *sick) rewrite(block []byte) {
	s.t.Helper()
	f, err := os.OpenFile(s.block(), os.O_WRONLY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = f.WriteAt(block, 0)
	if err := errors.Join(err, f.Close()); err != nil {
		s.t.Fatal(err)
	}
}
