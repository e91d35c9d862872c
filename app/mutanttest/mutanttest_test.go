package mutanttest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

const (
	price   = "price.go"         // in the root module of testdata/shop
	till    = "till/till.go"     // in the other one, with the tests
	receipt = "till/receipt.txt" // is embedded
)

// edit is a mutant with one edit, which TestReceipt finds if it can be found.
func edit(name, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{
		Name: name, In: "till", Test: "TestReceipt/tax", Says: `the receipt says "`,
		Edits: []mutanttest.Edit{{File: file, Old: old, New: new}},
	}
}

// finds is the same mutant with another test.
func finds(m mutanttest.Mutant, name, test, says string) mutanttest.Mutant {
	m.Name, m.Test, m.Says = name, test, says
	return m
}

var (
	noTax    = edit("no tax", price, "return net + net/5", "if MUTANT {\n\t\treturn net\n\t}\n\treturn net + net/5")
	lessTax  = edit("less tax", price, "net/5", "map[bool]int{false: net / 5, true: net / 10}[MUTANT]") // on the same line
	gift     = edit("gift", till, "\treturn fmt.Sprintf", "\tif MUTANT {\n\t\tcents = 0\n\t}\n\treturn fmt.Sprintf")
	words    = edit("other words", receipt, "Total", "Sum")
	discount = edit("more discount", price, "cents > 1000", "cents > 1000 || MUTANT && cents > 500")
	all      = []mutanttest.Mutant{noTax, lessTax, gift, words, discount}

	// here is found only in its folder, with its flag and all of its variables.
	here = mutanttest.Mutant{
		Name: "not for nothing", In: "./testdata/shop/till", Test: "TestHere", Says: "for nothing says",
		Flags: []string{"-test.short"}, Env: []string{"SHOP_ONE=yes"},
		Edits: []mutanttest.Edit{{File: till, Old: "(receipt, cents)", New: "(receipt, cents+map[bool]int{true: 1}[MUTANT])"}},
	}
	needy = mutanttest.Mutant{
		Name: "needs more", Test: "TestNothing", Says: ".", Edits: noTax.Edits,
		Needs: func(t testing.TB) { t.Skip("needs a till") },
	}
)

// scenarios are runs of the runner: which mutants, whether its test passes, and what it says.
var scenarios = map[string]struct {
	mutants []mutanttest.Mutant
	options mutanttest.Options
	passes  bool
	says    []string
}{
	"caught": {
		[]mutanttest.Mutant{noTax, lessTax, gift, words}, mutanttest.Options{Parallel: 2}, true,
		[]string{"PASS: TestScenario/none/TestReceipt/tax", "PASS: TestScenario/caught/no_tax", "PASS: TestScenario/caught/less_tax", "PASS: TestScenario/caught/other_words", "4 caught of 4"},
	},
	"not caught": {
		[]mutanttest.Mutant{
			noTax, discount, edit("the same words", receipt, "Total", "Total"), finds(gift, "another reason", "TestReceipt/tax", "too much"),
			finds(gift, "no test", "TestNothing", "."), finds(gift, "skipped", "TestSkipped", "."), finds(gift, "broken", "TestBroken", "always fails"),
		},
		mutanttest.Options{}, false,
		[]string{
			"PASS: TestScenario/caught/no_tax",
			"FAIL: TestScenario/caught/more_discount", "the mutant survives: TestReceipt/tax passes", "FAIL: TestScenario/caught/the_same_words",
			"FAIL: TestScenario/caught/another_reason", `TestReceipt/tax fails \(exit status 1\) and does not say "too much"`,
			"FAIL: TestScenario/none/TestNothing", "FAIL: TestScenario/caught/no_test", "TestNothing was skipped, or there is no such test",
			"FAIL: TestScenario/none/TestSkipped", "FAIL: TestScenario/caught/skipped", "TestSkipped was skipped",
			"FAIL: TestScenario/none/TestBroken", "TestBroken fails while all mutants are off",
			"2 caught of 7", // the broken test fails as it should, but without the mutant too
		},
	},
	"edits that cannot be made": {
		[]mutanttest.Mutant{
			edit("missing", price, "no such line", "MUTANT"), edit("twice", price, "\tcents++\n", "MUTANT"), edit("always on", price, "net/5", "net/4"),
			edit("no file", "nothing.go", "a", "MUTANT"), noTax, noTax, {},
		},
		mutanttest.Options{Sample: 1}, false, // all of them are reported
		[]string{
			`price.go: the old text is there 0 times, not once`, `price.go: the old text is there 2 times`, `the new text has no MUTANT`,
			`nothing.go: no such file`, `another mutant is called "no tax"`, `Name, Test, Says and Edits are required`,
		},
	},
	"an edit that does not compile": {
		[]mutanttest.Mutant{finds(edit("", price, "net/5", "MUTANT"), "nonsense", "TestReceipt", "^")}, mutanttest.Options{}, false,
		[]string{"run TestReceipt: build the mutants", `price.go:6`, "0 caught of 1"},
	},
	"options": {
		[]mutanttest.Mutant{here, needy}, mutanttest.Options{Env: []string{"SHOP_ALL=open"}, EnvOn: []string{"SHOP_ON=yes"}, None: map[string]string{"till": "TestReceipt/none"}}, true,
		[]string{"PASS: TestScenario/none/TestReceipt/none", "PASS: TestScenario/caught/not_for_nothing", "SKIP: TestScenario/caught/needs_more", "1 caught of 1"},
	},
	"a sample": {
		all, mutanttest.Options{Sample: 2, Rand: rand.New(rand.NewPCG(6, 6))}, true, []string{"a sample of 2 of 5 mutants", "2 caught of 2"},
	},
	"all instead of a sample": {
		all, mutanttest.Options{Sample: 2}, false, []string{"FAIL: TestScenario/caught/more_discount", "4 caught of 5"},
	},
}

// TestRun runs every scenario in a process of its own, because most of them fail.
func TestRun(t *testing.T) {
	for name, want := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^TestScenario$")
			cmd.Env = append(os.Environ(), "MUTANTTEST_SCENARIO="+name, "SAYSO_LONG=")
			if name == "all instead of a sample" {
				cmd.Env = append(cmd.Env, "SAYSO_LONG=1")
			}
			b, err := cmd.CombinedOutput()
			out := string(b)
			if (err == nil) != want.passes {
				t.Errorf("it ends with %v, want that it passes: %v", err, want.passes)
			}
			for _, line := range want.says {
				if !regexp.MustCompile(line).MatchString(out) {
					t.Errorf("it does not say %q", line)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

func TestScenario(t *testing.T) {
	s, ok := scenarios[os.Getenv("MUTANTTEST_SCENARIO")]
	if !ok {
		t.Skip("is run by TestRun")
	}
	s.options.Top = "testdata/shop"
	caught, ran := mutanttest.Run(t, s.mutants, &s.options)
	fmt.Printf("%d caught of %d\n", caught, ran)
}
