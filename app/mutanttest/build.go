package mutanttest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// variable names the mutant that is on.
const variable = "SAYSO_MUTANT"

// build is a set of edits that are compiled together, and the programs made of them.
type build struct {
	top, dir string
	edits    []place
	alone    bool // its mutant cannot be switched off, so no other may be here

	mu       sync.Mutex // of what follows
	overlay  string     // its file, when it was written
	programs map[string]program
}

// program is a test program, or why there is none.
type program struct {
	path string
	err  error
}

// place is an edit of a mutant at its place in a file.
type place struct {
	file     string
	from, to int
	new      string
}

func (p place) overlaps(q place) bool { return p.file == q.file && p.from < q.to && q.from < p.to }

// plan finds the edits of all mutants and puts each mutant into a build: the first in which it overlaps no other.
func (r *runner) plan(mutants []Mutant) []*trial {
	trials := make([]*trial, len(mutants))
	names := map[string]bool{}
	for i, m := range mutants {
		t := &trial{Mutant: m}
		trials[i] = t
		var places []place
		places, t.says, t.err = r.locate(m)
		if names[m.Name] {
			t.err = errors.Join(t.err, fmt.Errorf("another mutant is called %q", m.Name))
		}
		names[m.Name] = true
		if t.err != nil {
			continue
		}
		switchable := !slices.ContainsFunc(places, func(p place) bool { return !isGo(p.file) })
		fits := func(b *build) bool {
			return switchable && !b.alone && !slices.ContainsFunc(b.edits, func(p place) bool { return slices.ContainsFunc(places, p.overlaps) })
		}
		at := slices.IndexFunc(r.builds, fits)
		if at < 0 {
			at = len(r.builds)
			r.builds = append(r.builds, &build{top: r.Top, dir: filepath.Join(r.dir, strconv.Itoa(at)), alone: !switchable})
		}
		t.build = r.builds[at]
		t.build.edits = append(t.build.edits, places...)
	}
	return trials
}

// locate finds the places of a mutant's edits and says all that is wrong with it.
func (r *runner) locate(m Mutant) (places []place, says *regexp.Regexp, err error) {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if m.Name == "" || m.Test == "" || m.Says == "" || len(m.Edits) == 0 {
		wrong("mutant %q: Name, Test, Says and Edits are required", m.Name)
	}
	if says, err = regexp.Compile(m.Says); err != nil {
		wrong("Says: %w", err)
	}
	for _, e := range m.Edits {
		text, err := os.ReadFile(filepath.Join(r.Top, filepath.FromSlash(e.File)))
		if err != nil {
			wrong("edit: %w", err)
			continue
		}
		if n := strings.Count(string(text), e.Old); n != 1 || e.Old == "" {
			wrong("%s: the old text is there %d times, not once; correct the edit: %q", e.File, n, e.Old)
			continue
		}
		if isGo(e.File) && !mark.MatchString(e.New) {
			wrong("%s: the new text has no MUTANT, so it could not be switched off: %q", e.File, e.New)
			continue
		}
		p := place{file: e.File, from: strings.Index(string(text), e.Old), new: e.New}
		p.to = p.from + len(e.Old)
		if isGo(e.File) {
			p.new = mark.ReplaceAllLiteralString(e.New, fmt.Sprintf("saysoMutant(%q)", m.Name))
		}
		if slices.ContainsFunc(places, p.overlaps) {
			wrong("%s: two edits of the mutant overlap, make them one: %q", e.File, e.Old)
			continue
		}
		places = append(places, p)
	}
	return places, says, errors.Join(errs...)
}

var mark = regexp.MustCompile(`\bMUTANT\b`)

func isGo(file string) bool { return path.Ext(file) == ".go" }

// program builds the tests of the package in folder, once.
func (b *build) program(ctx context.Context, folder string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.overlay == "" {
		if err := b.write(); err != nil {
			return "", fmt.Errorf("write the mutants: %w", err)
		}
	}
	p, ok := b.programs[folder]
	if !ok {
		p.path = filepath.Join(b.dir, strconv.Itoa(len(b.programs))+".test")
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", b.overlay, "-o", p.path, ".")
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			p.err = fmt.Errorf("build the mutants: %v\n%s", err, out) // not as an exit of the test
		}
		b.programs[folder] = p
	}
	return p.path, p.err
}

// write writes the edited files, and the file that says which mutant is on into each package with edited Go files.
func (b *build) write() error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	slices.SortFunc(b.edits, func(p, q place) int { return cmp.Or(cmp.Compare(p.file, q.file), q.from-p.from) }) // the last first
	sources := map[string]string{}
	for _, p := range b.edits {
		if _, ok := sources[p.file]; !ok {
			text, err := os.ReadFile(filepath.Join(b.top, filepath.FromSlash(p.file)))
			if err != nil {
				return err
			}
			sources[p.file] = string(text)
			if isGo(p.file) {
				f, err := parser.ParseFile(token.NewFileSet(), p.file, text, parser.PackageClauseOnly)
				if err != nil {
					return err
				}
				sources[path.Join(path.Dir(p.file), "saysomutant.go")] = fmt.Sprintf(switchFile, f.Name.Name, variable)
			}
		}
		sources[p.file] = sources[p.file][:p.from] + p.new + sources[p.file][p.to:]
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range sources {
		to := filepath.Join(b.dir, fmt.Sprint(len(overlay.Replace), "_", path.Base(file)))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return err
		}
		overlay.Replace[filepath.Join(b.top, filepath.FromSlash(file))] = to
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	b.overlay, b.programs = filepath.Join(b.dir, "overlay.json"), map[string]program{}
	return os.WriteFile(b.overlay, text, 0o600)
}

const switchFile = `package %s

import "os"

var saysoMutantOn = os.Getenv(%q)

func saysoMutant(name string) bool { return saysoMutantOn == name }
`
