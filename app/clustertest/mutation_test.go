package clustertest

import (
	"fmt"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/app/testenv"
)

// The mutants. Each breaks one promise of the hub, and clients over HTTPS must notice.
var mutants = []mutanttest.Mutant{
	{
		Name: "two answers win", Test: "TestHistories", Needs: root, Flags: []string{"-linear.for=5s", "-linear.only=pause"}, Says: `porcupine says Illegal`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/put.go", Old: "\t\tm.Header[headExpect] = []string{strconv.FormatUint(last, 10)}\n", New: "\t\tif !MUTANT {\n\t\t\tm.Header[headExpect] = []string{strconv.FormatUint(last, 10)}\n\t\t}\n"}},
	},
	{
		Name: "an answer is acknowledged and dropped", Test: "TestHistories", Needs: root, Flags: []string{"-linear.for=5s", "-linear.only=pause"}, Says: `porcupine says Illegal`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/put.go", Old: "\trev, err := s.write(ctx, sh.stream(ar), m, expect)\n", New: "\tif MUTANT && r.Closed && len(r.Address.ID)%2 == 0 {\n\t\treturn expect + 1, nil\n\t}\n\trev, err := s.write(ctx, sh.stream(ar), m, expect)\n"}},
	},
	{
		Name: "a node reads its own copy", Test: "TestFigure_CLUSTER$", Needs: root, Flags: []string{"-linear.for=40s", "-linear.only=cut routes"}, Says: `porcupine says Illegal`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsstore/get.go", Old: "case s.opts.Replicas == 1:", New: "case s.opts.Replicas == 1 || MUTANT:"}},
	},
	{
		Name: "each node has a handle key of its own", Test: "TestFigure_CLUSTER$", Needs: root, Flags: []string{"-linear.for=5s", "-linear.only=pause"}, Says: `porcupine says Illegal|the hub says`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/engine.go", Old: "\t\tkey, err = auth.SharedSecret(ctx, e.store, \"handle\", p.handleKey())\n", New: "\t\tkey, err = auth.SharedSecret(ctx, e.store, \"handle\", p.handleKey())\n\tif MUTANT {\n\t\tkey = []byte(\"a key of the node only: \" + p.State)\n\t}\n"}},
	},
}

// root skips a mutant whose test makes namespaces.
func root(t testing.TB) { testenv.Root(t, "ip", "iptables", "nsenter") }

// TestMutations wants every one of these tests to fail when its guard is off.
func TestMutations(t *testing.T) {
	mutanttest.Check(t, mutants, nil)
	clusters(t)
	caught, ran := mutanttest.Run(t, mutants, &mutanttest.Options{
		None: map[string]string{".": "TestHistories"},
		Env:  []string{"SAYSO_FAULTS=1"},
	})
	figure(t, "CLUSTERMUTANTS", caught, fmt.Sprintf("caught/%d", ran))
}
