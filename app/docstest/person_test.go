package docstest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/tmuxtest"
)

// typed marks the blocks that TestPerson types into a terminal.
const typed = "typed into a terminal by TestPerson"

// TestPerson has a person follow the first screen of the README and then the quick
// start, in a fresh home and a real terminal. They type every command that the two
// pages show, and press what the dialogs on the screen offer. Everything that is
// printed must be on the page.
func TestPerson(t *testing.T) {
	start := time.Now()
	p := newPerson(t)
	for _, s := range p.read("README.md", "## ") {
		p.follow(s)
	}
	p.wrote(".claude/settings.json", "sayso hook claude")

	p = newPerson(t)
	for _, s := range p.read("docs/start/quick-start.md", "") {
		p.follow(s)
	}
	p.wrote(".claude/settings.json", "sayso hook claude")
	t.Logf("both pages followed in %v", time.Since(start).Round(time.Second))
}

// reactions are what the person does about what is on the screen: they see a text
// and press keys until it is gone. The first that fits is taken.
var reactions = []struct{ see, key string }{
	{"▎ Which database?", "Escape"}, // the quick start says so
	{"2 ○ SQLite", "2"},
	{"2 ● SQLite", "Enter"},
	{"1 [ ] Sign-in", "1"},
	{"1 [x] Sign-in", "Enter"},
	{"1 ○ orders", "1"},
	{"1 ● orders", "Enter"},
	{"enter send", "Enter"},
	{"1 ○ Deploy it", "1"},
	{"1 ● Deploy it", "Enter"},
	{"All caught up", "q"},
}

// person is somebody at a terminal.
type person struct {
	t  *testing.T
	w  *world
	tm *tmuxtest.Terminal
}

func newPerson(t *testing.T) *person {
	w, err := newWorld(program(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	// Claude Code is installed, and the other agents are not.
	if err := os.Mkdir(filepath.Join(w.home, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	tm := tmuxtest.Start(t, &tmuxtest.Options{
		Env: append(w.env, "PS1=$ "), Dir: filepath.Join(w.home, "project"), Columns: 100, Rows: 100,
	}, "/bin/bash", "--norc", "--noprofile")
	tm.Await("$")
	return &person{t, w, tm}
}

// read returns the commands of a page that a person types, up to a line that begins
// so.
func (p *person) read(name, end string) []step {
	page, problems, err := load(top, name)
	if err != nil || len(problems) > 0 {
		p.t.Fatal(err, problems)
	}
	last := len(page.Lines)
	if end != "" {
		last = slices.IndexFunc(page.Lines, func(l string) bool { return strings.HasPrefix(l, end) })
	}
	var all []step
	for _, b := range page.Blocks {
		if b.NoTest != typed || b.Line > last {
			continue
		}
		steps, err := b.steps()
		if err != nil {
			p.t.Fatal(err)
		}
		all = append(all, steps...)
	}
	if len(all) == 0 {
		p.t.Fatalf("%s shows nothing to type", name)
	}
	return all
}

// follow types a command, does what its dialogs ask for, and compares what is left
// on the screen with the page.
func (p *person) follow(s step) {
	p.t.Helper()
	command := p.w.known.inCommand(s.command)
	p.tm.Press("C-l", func(screen string) bool { return screen == "$" })
	p.tm.Prompt(command)
	for end := time.Now().Add(patience); !strings.HasSuffix(p.tm.Screen(), "\n$"); <-time.After(50 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s does not end", s.command)
		}
		seen := p.tm.Screen()
		if strings.HasSuffix(seen, "[y/N]") { // nothing was written yet
			if _, err := os.Stat(filepath.Join(p.w.home, ".claude/settings.json")); err == nil {
				p.t.Errorf("%s writes before it asks", s.command)
			}
			p.tm.Prompt("y")
			continue
		}
		for _, r := range reactions {
			if strings.Contains(seen, r.see) {
				p.tm.Press(r.key, func(screen string) bool { return !strings.Contains(screen, r.see) })
				break
			}
		}
	}
	screen := strings.ReplaceAll(p.tm.Screen(), p.w.home, "/home/you")
	got := strings.Split(strings.TrimSuffix(screen, "\n$"), "\n")
	if i := slices.IndexFunc(got, func(l string) bool { return strings.HasPrefix(l, "sayso: ") }); i >= 0 {
		p.t.Errorf("line %d, $ %s\nfails: %s", s.line, s.command, got[i])
	}
	if !s.checked {
		return
	}
	if err := compare(written(s.want), got[1:], p.w.known); err != nil {
		p.t.Errorf("line %d, $ %s\n%v", s.line, s.command, err)
	}
}

// written returns the lines that are not blank.
func written(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// wrote checks that a file of the home has a text.
func (p *person) wrote(name, text string) {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.w.home, filepath.FromSlash(name)))
	if err != nil || !strings.Contains(string(data), text) {
		p.t.Errorf("%s has no %q: %v", name, text, err)
	}
}
