package faulttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// guard is a line of the product that one of these tests depends on.
type guard struct {
	name  string // of the mutant without it
	in    string // the package of the test, from here; default: this one
	edits []edit
	test  string   // that must fail without it
	flags []string // of the test
	says  string   // how it fails
}

// edit makes a guard switchable.
type edit struct {
	file     string // from the top of the repository
	old, new string // MUTANT stands for "this guard is off"
}

// The mutants. Each switches one guard off and breaks one promise.
var guards = []guard{
	{
		name: "a receipt does not stop an undo", test: "TestSequences/memory", says: `undo: done, want consumed`,
		edits: []edit{{"hub/after.go", "\t\tcase !t.Consumed.IsZero():\n\t\t\treturn nil, ErrConsumed\n", "\t\tcase !t.Consumed.IsZero() && !MUTANT:\n\t\t\treturn nil, ErrConsumed\n"}},
	},
	{
		name: "acknowledged before it is written", test: "TestFigure_R01", says: `and is gone|was answered with|and is  with nonce`,
		edits: []edit{{"app/engine/natsstore/put.go", "\tnonce := first(m.Header, headNonce)\n", "\tif MUTANT {\n\t\treturn expect + 1, s.nc.PublishMsg(m)\n\t}\n\tnonce := first(m.Header, headNonce)\n"}},
	},
	{
		name: "no compare-and-set", test: "TestFigure_R04", flags: []string{"-linear.for=5s", "-linear.only=stop"}, says: `porcupine says Illegal`,
		edits: []edit{{"app/engine/natsstore/put.go", "\t\tm.Header[headExpect] = []string{strconv.FormatUint(last, 10)}\n", "\t\tif !MUTANT {\n\t\t\tm.Header[headExpect] = []string{strconv.FormatUint(last, 10)}\n\t\t}\n"}},
	},
	{
		name: "reads of any replica", test: "TestFigure_R05", says: `the leader that was cut off`,
		edits: []edit{{"app/engine/natsstore/get.go", "case s.opts.Replicas == 1:", "case s.opts.Replicas == 1 || MUTANT:"}},
	},
	{
		name: "reads of who believes to lead", test: "TestFigure_R05", says: `the leader that was cut off`,
		edits: []edit{{"app/engine/natsstore/get.go", "case stream == sh.ask:", "case stream == sh.ask && !MUTANT:"}},
	},
	{
		name: "a rival's write under way is a verdict", in: "../natsstore", test: "TestCluster/rivals", says: `refused, and the winner cannot be read`,
		edits: []edit{
			{"app/engine/natsstore/put.go", "\t\tif !undecided(err) {\n", "\t\tvar api *apiError\n\t\tif MUTANT && errors.As(err, &api) && api.ErrCode == codeInProcess {\n\t\t\treturn 0, hub.ErrConflict\n\t\t}\n\t\tif !undecided(err) {\n"},
			{"app/engine/natsstore/get.go", "\t\t\tm, err = s.readCertain(ctx, sh, subject)\n", "\t\t\tif MUTANT {\n\t\t\t\tm, err = s.readLeader(ctx, stream, subject)\n\t\t\t\tbreak\n\t\t\t}\n\t\t\tm, err = s.readCertain(ctx, sh, subject)\n"}, // which waits for the rival
		},
	},
	{
		name: "no nonce", test: "TestFigure_R07", says: `was answered by ann`,
		edits: []edit{
			{"app/engine/natsstore/put.go", "case now.nonce == nonce:", "case now.nonce == nonce && !MUTANT:"},
			{"hub/close.go", "if t.Nonce == nonce || t.says(&out) {", "if (t.Nonce == nonce || t.says(&out)) && !MUTANT {"},
		},
	},
	{
		name: "the store is not read before it is opened", test: "TestFigure_R03", says: `the node serves, and`,
		edits: []edit{{"app/engine/natsserver/guard.go", "if !s.opts.noCheck {", "if !s.opts.noCheck && !MUTANT {"}},
	},
	{
		name: "a node believes an index that knows more than its blocks", test: "TestLostEnd", says: `holds .* of 250 asks`,
		edits: []edit{{"app/engine/natsserver/internal/storecheck/check.go", "if c.report.Clean || cfg.Replicas < 2 {", "if c.report.Clean || cfg.Replicas < 2 || MUTANT {"}},
	},
	{
		name: "a node that lost its end is served", test: "TestLostEnd", says: `does not say what is lost`,
		edits: []edit{{"app/engine/natsserver/internal/storecheck/check.go", "case there && last < was.Last && c.shared[id]", "case !MUTANT && there && last < was.Last && c.shared[id]"}},
	},
	{
		name: "an error is taken for an acknowledgement", test: "TestFigure_R15/ext4", says: `the disk is never full|are gone`,
		edits: []edit{{"app/engine/natsstore/put.go", "\treply, err := s.request(ctx, m)\n\tif err != nil {\n", "\treply, err := s.request(ctx, m)\n\tif err != nil && MUTANT {\n\t\treturn 1, nil\n\t}\n\tif err != nil {\n"}},
	},
	{
		name: "a backup is not checked", test: "TestFigure_R19", says: `a backup with another bit in .* was restored`,
		edits: []edit{
			{"app/engine/natsstore/restore.go", "if n != st.Bytes || hexSum(sum) != st.SHA256 {", "if !MUTANT && (n != st.Bytes || hexSum(sum) != st.SHA256) {"},
			{"app/engine/natsstore/restore.go", "if sum, err := b.sum(); err != nil || sum != b.Sum {", "if sum, err := b.sum(); !MUTANT && (err != nil || sum != b.Sum) {"},
		},
	},
	{
		name: "a restored store is taken for the old one", in: "../natsstore", test: "TestAuditAfterRestore", says: `the audit has .* lines`,
		edits: []edit{{"app/engine/natsstore/audit.go", "known, err := common(line, c.last.Lineage, c.last.Seq)\n", "known, err := common(line, c.last.Lineage, c.last.Seq)\n\tif MUTANT {\n\t\tknown = c.last.Seq\n\t}\n"}},
	},
	{
		name: "a hub that does not stop", test: "TestSequences/memory", says: `R20: found unexpected goroutines`,
		edits: []edit{{"hub/hub.go", "func (h *Hub) Stop() {\n", "func (h *Hub) Stop() {\n\tif MUTANT {\n\t\treturn\n\t}\n"}},
	},
}

// TestMutations wants every one of these tests to fail when its guard is off. With all guards on, in the same program,
// they pass.
func TestMutations(t *testing.T) {
	faults(t)
	programs, caught := buildMutants(t), 0
	t.Run("none", func(t *testing.T) {
		if out, err := runMutant(programs["."], "none", "TestFigure_R07|TestSequences/memory", nil); err != nil {
			t.Errorf("all guards are on: %v\n%s", err, out)
		}
	})
	for _, g := range guards {
		t.Run(g.name, func(t *testing.T) {
			if strings.Contains(g.test, "R04") || strings.Contains(g.test, "R15") {
				testenv.Root(t, "ip", "iptables", "mkfs.ext4")
			}
			out, err := runMutant(programs[cmp.Or(g.in, ".")], g.name, g.test, g.flags)
			switch {
			case err == nil:
				t.Errorf("%s passes:\n%s", g.test, out)
			case !regexp.MustCompile(g.says).MatchString(out):
				t.Errorf("%s fails, and does not say %q:\n%s", g.test, g.says, out)
			default:
				caught++
			}
		})
	}
	figure(t, "MUTANTS", caught, fmt.Sprintf("caught/%d", len(guards)))
}

func runMutant(program, name, test string, flags []string) (string, error) {
	cmd := exec.Command(program, append([]string{"-test.v", "-test.timeout=3m", "-test.run=^(" + strings.ReplaceAll(test, "/", ")$/^(") + ")$"}, flags...)...)
	cmd.Env = append(os.Environ(), "SAYSO_FAULTS=1", "SAYSO_LONG=", "SAYSO_MUTANT="+name)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// buildMutants builds the tests over sources in which every guard can be switched off by a variable of the environment.
func buildMutants(t *testing.T) (programs map[string]string) {
	t.Helper()
	const top = "../../.."
	dir := t.TempDir()
	sources := map[string]string{}
	for _, g := range guards {
		for _, e := range g.edits {
			if sources[e.file] == "" {
				b, err := os.ReadFile(filepath.Join(top, e.file))
				must(t, err)
				sources[e.file] = string(b)
			}
			if n := strings.Count(sources[e.file], e.old); n != 1 {
				t.Fatalf("%s: the guard is there %d times, say how to switch it off: %q", e.file, n, e.old)
			}
			sources[e.file] = strings.Replace(sources[e.file], e.old, strings.ReplaceAll(e.new, "MUTANT", fmt.Sprintf("mutant(%q)", g.name)), 1)
		}
	}
	for file := range sources {
		folder := filepath.Dir(file)
		sources[filepath.Join(folder, "mutant.go")] = fmt.Sprintf("package %s\n\nimport \"os\"\n\nfunc mutant(name string) bool { return os.Getenv(\"SAYSO_MUTANT\") == name }\n", filepath.Base(folder))
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range sources {
		from, err := filepath.Abs(filepath.Join(top, file))
		must(t, err)
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		must(t, os.WriteFile(to, []byte(text), 0o600))
		overlay.Replace[from] = to
	}
	b, err := json.Marshal(overlay)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), b, 0o600))
	programs = map[string]string{".": "", "../natsstore": ""}
	for in := range programs {
		programs[in] = filepath.Join(dir, filepath.Base(in)+".test")
		if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"), "-o", programs[in], in).CombinedOutput(); err != nil {
			t.Fatalf("build the mutants: %v\n%s", err, out)
		}
	}
	return programs
}
