package tui

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	if how := os.Getenv(asking); how != "" {
		askForTest(how)
		return
	}
	// The runtime's signal loop must not begin its life inside a bubble.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	signal.Stop(signals)
	goleak.VerifyTestMain(m)
}

// person sits at an emulated terminal on which a real Bubble Tea program runs.
// It lives in a synctest bubble, where time passes only when everybody waits.
type person struct {
	t       *testing.T
	program *tea.Program
	screen  *vt.SafeEmulator
	model   tea.Model
	closed  []ClosedMsg
	writing sync.Mutex
	raw     bytes.Buffer // what the program wrote
	done    chan struct{}
}

// root lets a test see what the model tells its host.
type root struct {
	tea.Model
	p *person
}

func (r root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case ClosedMsg:
		r.p.closed = append(r.p.closed, msg)
	}
	var cmd tea.Cmd
	r.Model, cmd = r.Model.Update(msg)
	return r, cmd
}

type terminal struct {
	w, h    int
	profile colorprofile.Profile
	light   bool
}

// sit starts the model on a terminal and waits until the guard is over.
func sit(t *testing.T, m tea.Model, term terminal) *person {
	t.Helper()
	p := &person{t: t, model: m, done: make(chan struct{})}
	drained := p.faces(term)
	top := root{Model: m, p: p}
	if _, ours := m.(vanisher); ours {
		top.Model = &program{Model: m}
	}
	p.program = tea.NewProgram(top, p.options(term)...)
	go func() {
		defer close(p.done)
		if _, err := p.program.Run(); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		p.program.Quit()
		<-p.done
		time.Sleep(time.Minute) // in the bubble: the model was left, its tick runs out
		drained()
	})
	if term.light {
		p.program.Send(tea.BackgroundColorMsg{Color: ansi.IndexedColor(15)})
	}
	p.wait(2 * time.Second)
	return p
}

// faces puts a new terminal before the person. It returns how to take it away.
func (p *person) faces(term terminal) (away func()) {
	e := vt.NewSafeEmulator(term.w, term.h)
	p.screen = e
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, e) }() // else its answers block it
	return func() { switchOff(e); <-drained }
}

// options let a program run on the terminal.
func (p *person) options(term terminal) []tea.ProgramOption {
	return []tea.ProgramOption{
		tea.WithInput(nil), tea.WithOutput(p), tea.WithWindowSize(term.w, term.h),
		tea.WithColorProfile(max(term.profile, colorprofile.NoTTY)),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignals(),
	}
}

// switchOff ends the reader of the terminal's answers. Its own Close races with
// that reader.
func switchOff(e *vt.SafeEmulator) { _ = e.InputPipe().(io.Closer).Close() }

// Write is the terminal's end of the line: without a tty, bare newlines.
func (p *person) Write(b []byte) (int, error) {
	p.writing.Lock()
	p.raw.Write(b)
	p.writing.Unlock()
	_, err := p.screen.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	return len(b), err
}

// written returns what the program wrote until now.
func (p *person) written() string {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.raw.String()
}

func (p *person) wait(d time.Duration) {
	time.Sleep(d) // in the bubble
	synctest.Wait()
}

// press sends keys by name: "down", "enter", "ctrl+j", single letters.
func (p *person) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.program.Send(keyOf(p.t, k))
	}
	p.wait(50 * time.Millisecond)
}

// slowly presses keys with a second between them.
func (p *person) slowly(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.press(k)
		p.wait(time.Second)
	}
}

func (p *person) types(text string) {
	for _, r := range text {
		p.program.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	p.wait(50 * time.Millisecond)
}

func (p *person) pastes(text string) {
	p.program.Send(tea.PasteMsg{Content: text})
	p.wait(50 * time.Millisecond)
}

func (p *person) resizes(w, h int) {
	p.screen.Resize(w, h)
	p.program.Send(tea.WindowSizeMsg{Width: w, Height: h})
	p.wait(50 * time.Millisecond)
}

// sees returns the screen as text.
func (p *person) sees() string { return trimmed(ansi.Strip(p.screen.Render())) }

func (p *person) mustSee(want ...string) {
	p.t.Helper()
	got := squeeze(p.sees())
	for _, w := range want {
		if !strings.Contains(got, w) {
			p.t.Fatalf("does not see %q on\n%s", w, p.sees())
		}
	}
}

func (p *person) mustNotSee(not ...string) {
	p.t.Helper()
	got := squeeze(p.sees())
	for _, w := range not {
		if strings.Contains(got, w) {
			p.t.Fatalf("sees %q on\n%s", w, p.sees())
		}
	}
}

var keyCodes = map[string]rune{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
	"space": tea.KeySpace,
}

func keyOf(t *testing.T, name string) tea.KeyPressMsg {
	t.Helper()
	var k tea.KeyPressMsg
	for {
		switch rest, mod := name, tea.KeyMod(0); {
		case strings.HasPrefix(name, "ctrl+"):
			rest, mod = name[5:], tea.ModCtrl
			fallthrough
		case strings.HasPrefix(name, "shift+"):
			if mod == 0 {
				rest, mod = name[6:], tea.ModShift
			}
			name, k.Mod = rest, k.Mod|mod
			continue
		}
		break
	}
	switch code, ok := keyCodes[name]; {
	case ok:
		k.Code = code
		if name == "space" {
			k.Text = " "
		}
	case len([]rune(name)) == 1:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	default:
		t.Fatalf("no key %q", name)
	}
	return k
}

func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// golden compares with a file below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it):\n%s\nwant\n%s", path, got, want)
	}
}
