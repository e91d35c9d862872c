package faulttest

import (
	"fmt"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/app/testenv"
)

// The mutants. Each switches one guard of the product off and breaks one promise.
var mutants = []mutanttest.Mutant{
	{
		Name: "a receipt does not stop an undo", Test: "TestSequences/memory", Says: `undo: done, want consumed`,
		Edits: []mutanttest.Edit{{File: "hub/after.go", Old: "\t\tcase !t.Consumed.IsZero() || t.Changed():\n", New: "\t\tcase (!t.Consumed.IsZero() || t.Changed()) && !MUTANT:\n"}},
	},
	{
		Name: "acknowledged before it is written", Test: "TestFigure_R01", Says: `and is gone|was answered with|and is  with nonce`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/put.go", Old: "\tnonce := first(m.Header, headNonce)\n", New: "\tif MUTANT {\n\t\treturn expect + 1, s.nc.PublishMsg(m)\n\t}\n\tnonce := first(m.Header, headNonce)\n"}},
	},
	{
		Name: "no compare-and-set", Test: "TestFigure_R04", Needs: root, Flags: []string{"-linear.for=5s", "-linear.only=stop"}, Says: `porcupine says Illegal`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/put.go", Old: "\t\tm.Header[headExpect] = []string{strconv.FormatUint(last, 10)}\n", New: "\t\tif !MUTANT {\n\t\t\tm.Header[headExpect] = []string{strconv.FormatUint(last, 10)}\n\t\t}\n"}},
	},
	{
		Name: "reads of any replica", Test: "TestFigure_R05", Says: `the leader that was cut off`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/get.go", Old: "case s.opts.Replicas == 1:", New: "case s.opts.Replicas == 1 || MUTANT:"}},
	},
	{
		Name: "reads of who believes to lead", Test: "TestFigure_R05", Says: `the leader that was cut off`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/get.go", Old: "case stream == sh.ask:", New: "case stream == sh.ask && !MUTANT:"}},
	},
	{
		Name: "a rival's write under way is a verdict", In: "../natsstore", Test: "TestCluster/rivals", Says: `refused, and the winner cannot be read`,
		Edits: []mutanttest.Edit{
			{File: "app/engine/natsstore/put.go", Old: "\t\tif !undecided(err) {\n", New: "\t\tvar api *apiError\n\t\tif MUTANT && errors.As(err, &api) && api.ErrCode == codeInProcess {\n\t\t\treturn 0, hub.ErrConflict\n\t\t}\n\t\tif !undecided(err) {\n"},
			{File: "app/engine/natsstore/get.go", Old: "\t\t\tm, err = s.readCertain(ctx, sh, subject)\n", New: "\t\t\tif MUTANT {\n\t\t\t\tm, err = s.readLeader(ctx, stream, subject)\n\t\t\t\tbreak\n\t\t\t}\n\t\t\tm, err = s.readCertain(ctx, sh, subject)\n"}, // which waits for the rival
		},
	},
	{
		Name: "no nonce", Test: "TestFigure_R07", Says: `was answered by ann`,
		Edits: []mutanttest.Edit{
			{File: "app/engine/natsstore/put.go", Old: "case now.nonce == nonce:", New: "case now.nonce == nonce && !MUTANT:"},
			{File: "hub/close.go", Old: "if t.Nonce == nonce || t.says(&out) {", New: "if (t.Nonce == nonce || t.says(&out)) && !MUTANT {"},
		},
	},
	{
		Name: "the store is not read before it is opened", Test: "TestFigure_R03", Says: `the node serves, and`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsserver/guard.go", Old: "if !s.opts.noCheck {", New: "if !s.opts.noCheck && !MUTANT {"}},
	},
	{
		Name: "a node believes an index that knows more than its blocks", Test: "TestLostEnd", Says: `holds .* of 250 asks`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsserver/internal/storecheck/check.go", Old: "if c.report.Clean || cfg.Replicas < 2 || c.look {", New: "if c.report.Clean || cfg.Replicas < 2 || c.look || MUTANT {"}},
	},
	{
		Name: "a node that lost its end is served", Test: "TestLostEnd", Says: `does not say what is lost`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsserver/internal/storecheck/check.go", Old: "case there && last < was.Last && c.shared[id]", New: "case !MUTANT && there && last < was.Last && c.shared[id]"}},
	},
	{
		Name: "an error is taken for an acknowledgement", Test: "TestFigure_R15/ext4", Needs: root, Says: `the disk is never full|are gone`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/put.go", Old: "\treply, err := s.request(ctx, m, true)\n\tif err != nil {\n", New: "\treply, err := s.request(ctx, m, true)\n\tif err != nil && MUTANT {\n\t\treturn 1, nil\n\t}\n\tif err != nil {\n"}},
	},
	{
		Name: "a backup is not checked", Test: "TestFigure_R19", Says: `a backup with another bit in .* was restored`,
		Edits: []mutanttest.Edit{
			{File: "app/engine/natsstore/backupfile.go", Old: "if s.n != bytes || s.hex() != sum {", New: "if !MUTANT && (s.n != bytes || s.hex() != sum) {"},
			{File: "app/engine/natsstore/backupfile.go", Old: "if sum, err := b.sum(); err != nil || sum != b.Sum {", New: "if sum, err := b.sum(); !MUTANT && (err != nil || sum != b.Sum) {"},
		},
	},
	{
		Name: "a restored store is taken for the old one", In: "../natsstore", Test: "TestAuditAfterRestore", Says: `the audit has .* lines`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/audit.go", Old: "known, err := common(line, end.Lineage, end.Seq)\n", New: "known, err := common(line, end.Lineage, end.Seq)\n\tif MUTANT {\n\t\tknown = end.Seq\n\t}\n"}},
	},
	{
		Name: "a hub that does not stop", Test: "TestSequences/memory", Says: `R20: found unexpected goroutines`,
		Edits: []mutanttest.Edit{{File: "hub/hub.go", Old: "func (h *Hub) Stop() {\n", New: "func (h *Hub) Stop() {\n\tif MUTANT {\n\t\treturn\n\t}\n"}},
	},
}

// root skips a mutant whose test makes namespaces, firewalls and file systems.
func root(t testing.TB) { testenv.Root(t, "ip", "iptables", "mkfs.ext4") }

// TestMutations wants every one of these tests to fail when its guard is off. With all guards on, in the same program,
// they pass.
func TestMutations(t *testing.T) {
	mutanttest.Check(t, mutants, nil)
	faults(t)
	caught, ran := mutanttest.Run(t, mutants, &mutanttest.Options{
		None: map[string]string{".": "TestFigure_R07|TestSequences/memory"},
		Env:  []string{"SAYSO_FAULTS=1"},
	})
	figure(t, "MUTANTS", caught, fmt.Sprintf("caught/%d", ran))
}
