package mutanttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// runner has the options, with their defaults.
type runner struct {
	Options
	here   string   // the caller's folder
	dir    string   // for everything that is made
	builds []*build // the first has no edit that cannot be switched off
}

// trial is a mutant that is placed in a build, or err.
type trial struct {
	Mutant
	build *build
	says  *regexp.Regexp
	err   error
}

const module = "github.com/saysohq/sayso"

func newRunner(dir string, o *Options) (*runner, error) {
	r := &runner{dir: dir}
	if o != nil {
		r.Options = *o
	}
	if r.Timeout <= 0 {
		r.Timeout = 3 * time.Minute
	}
	r.Parallel = max(r.Parallel, 1)
	if r.Rand == nil {
		r.Rand = rand.New(rand.NewPCG(1, 1))
	}
	var err error
	if r.here, err = os.Getwd(); err != nil {
		return nil, err
	}
	if r.Top == "" {
		r.Top, err = findTop(r.here)
	} else {
		r.Top, err = filepath.Abs(r.Top)
	}
	r.builds = []*build{{top: r.Top, dir: filepath.Join(dir, "0")}}
	return r, err
}

// findTop returns the folder of the root module.
func findTop(here string) (string, error) {
	for dir := here; ; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && regexp.MustCompile(`(?m)^module `+regexp.QuoteMeta(module)+`$`).Match(b) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in the repository of %s: set Options.Top", here, module)
		}
	}
}

// folder returns the folder of the package of a test.
func (r *runner) folder(in string) string {
	if in == "" || strings.HasPrefix(in, ".") {
		return filepath.Join(r.here, filepath.FromSlash(in))
	}
	return filepath.Join(r.Top, filepath.FromSlash(in))
}

// none lists the tests that must pass while all mutants are off.
func (r *runner) none(trials []*trial) (all []Mutant) {
	if r.None != nil {
		for _, in := range slices.Sorted(maps.Keys(r.None)) {
			all = append(all, Mutant{In: in, Test: r.None[in]})
		}
		return all
	}
	for _, t := range trials {
		same := func(m Mutant) bool {
			return m.In == t.In && m.Test == t.Test && slices.Equal(m.Flags, t.Flags) && slices.Equal(m.Env, t.Env)
		}
		if t.err == nil && !slices.ContainsFunc(all, same) {
			all = append(all, t.Mutant)
		}
	}
	return all
}

// passes returns an error unless the test of m passes while all mutants are off.
func (r *runner) passes(ctx context.Context, m Mutant) error {
	out, err := r.run(ctx, r.builds[0], m, "")
	var failed *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &failed):
		return fmt.Errorf("run %s: %w\n%s", m.Test, err, out)
	case err != nil:
		return fmt.Errorf("%s fails while all mutants are off, so it shows nothing: %w\n%s", m.Test, err, out)
	case didNothing.MatchString(out):
		return fmt.Errorf("%s was skipped, or there is no such test:\n%s", m.Test, out)
	}
	return nil
}

// catches returns an error unless the test of a mutant fails as it should.
func (r *runner) catches(ctx context.Context, t *trial) error {
	if t.err != nil {
		return t.err
	}
	out, err := r.run(ctx, t.build, t.Mutant, t.Name)
	var failed *exec.ExitError
	switch {
	case err == nil && didNothing.MatchString(out):
		return fmt.Errorf("%s was skipped, or there is no such test:\n%s", t.Test, out)
	case err == nil:
		return fmt.Errorf("the mutant survives: %s passes. Make the test find it, or correct the edit:\n%s", t.Test, out)
	case !errors.As(err, &failed):
		return fmt.Errorf("run %s: %w\n%s", t.Test, err, out)
	case !t.says.MatchString(out):
		return fmt.Errorf("%s fails (%w) and does not say %q: it may fail for another reason, or the expression is wrong:\n%s", t.Test, err, t.Says, out)
	}
	return nil
}

// didNothing is what a test program says that ran no test, or skipped the one that it was asked for.
var didNothing = regexp.MustCompile(`(?m)^(testing: warning: no tests to run|--- SKIP: .*)$`)

// run runs the test of m in a build, with the mutant called name on.
func (r *runner) run(ctx context.Context, b *build, m Mutant, name string) (string, error) {
	folder := r.folder(m.In)
	program, err := b.program(ctx, folder)
	if err != nil {
		return "", err
	}
	pattern := "^(" + strings.ReplaceAll(m.Test, "/", ")$/^(") + ")$"
	args := []string{"-test.v", "-test.paniconexit0", "-test.timeout=" + r.Timeout.String(), "-test.run=" + pattern}
	cmd := exec.CommandContext(ctx, program, append(args, m.Flags...)...)
	cmd.Dir = folder
	cmd.Env = slices.Concat(os.Environ(), []string{"SAYSO_LONG="}, r.Env, m.Env, []string{variable + "=" + name})
	if name != "" {
		cmd.Env = append(cmd.Env, r.EnvOn...)
	}
	cmd.WaitDelay = 10 * time.Second // for processes that outlive the test and hold its output
	out, err := cmd.CombinedOutput()
	return string(out), err
}
