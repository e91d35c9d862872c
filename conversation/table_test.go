package conversation

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files and the tables of the document")

const (
	noChange = "="
	rejected = "✗"
)

// cell is what a state can make of an event: the names of states it goes to,
// noChange, rejected.
type cell map[string]bool

// table tries every state on every event. It is made once, together with what is
// wrong with it.
var table = sync.OnceValues(func() (map[string]map[string]cell, []string) {
	all := map[string]map[string]cell{}
	for _, s := range states {
		all[s.name()] = map[string]cell{}
		for _, e := range events {
			all[s.name()][e.name()] = cell{}
		}
	}
	var wrong []string
	for _, s := range samples() {
		for _, kind := range events {
			for _, e := range eventsFor(s, kind.name(), counter()) {
				result, problem := try(s, e)
				all[s.name()][kind.name()][result] = true
				if problem != "" {
					wrong = append(wrong, fmt.Sprintf("%s in %s: %s", form(e), form(s), problem))
				}
			}
		}
	}
	return all, wrong
})

// try takes one transition, and holds it to what is promised of each.
func try(s State, e Event) (result, problem string) {
	before, event := form(s), form(e)
	next, effects, err := Transition(s, e)
	again, effects2, err2 := Transition(s, e)
	if form(s) != before || form(e) != event {
		return "", "the arguments were changed"
	}
	if !reflect.DeepEqual(next, again) || !reflect.DeepEqual(effects, effects2) || !reflect.DeepEqual(err, err2) {
		return "", "it is not the same twice"
	}
	var r *RejectedError
	switch {
	case errors.As(err, &r):
		if !reflect.DeepEqual(next, s) || len(effects) != 0 || r.Reason == "" || !reflect.DeepEqual(r.State, s) || !reflect.DeepEqual(r.Event, e) {
			problem = "rejected, and yet something was done"
		}
		if strings.Contains(r.Reason, "no such event is known") {
			problem = "it falls through"
		}
		return rejected, problem
	case err != nil:
		return "", "an error that is no rejection: " + err.Error()
	case len(effects) == 0, e == Resumed{}:
		if !reflect.DeepEqual(next, s) {
			problem = "the state changes and is not saved"
		}
		return noChange, problem
	}
	return next.name(), ""
}

// Every state takes every event, and Transition is pure.
func TestTotal(t *testing.T) {
	t.Parallel()
	all, wrong := table()
	for _, w := range wrong {
		t.Error(w)
	}
	for state, row := range all {
		for event, c := range row {
			if len(c) == 0 {
				t.Errorf("%s was not tried on %s", event, state)
			}
		}
	}
	for _, s := range []State{nil, Idle{}} {
		var r *RejectedError
		if _, effects, err := Transition(s, nil); !errors.As(err, &r) || effects != nil || err.Error() == "" {
			t.Errorf("nil gives %v, %v", effects, err)
		}
	}
}

func TestFinal(t *testing.T) {
	t.Parallel()
	all, _ := table()
	for event, c := range all["ended"] {
		for result := range c {
			final := result == noChange || result == rejected || event == "delivered" && result == "ended"
			if !final {
				t.Errorf("%s leads from ended to %s", event, result)
			}
		}
	}
}

// What the source declares is what the tables know.
func TestKindsAreListed(t *testing.T) {
	t.Parallel()
	listed := map[string][]string{}
	for _, s := range states {
		listed["with"] = append(listed["with"], reflect.TypeOf(s).Name())
	}
	for _, e := range events {
		listed["isEvent"] = append(listed["isEvent"], reflect.TypeOf(e).Name())
	}
	for _, e := range effects {
		listed["Key"] = append(listed["Key"], reflect.TypeOf(e).Name())
	}
	declared := map[string][]string{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				if recv, ok := fn.Recv.List[0].Type.(*ast.Ident); ok {
					declared[fn.Name.Name] = append(declared[fn.Name.Name], recv.Name)
				}
			}
		}
	}
	names := map[string]bool{}
	for method, want := range listed {
		got := declared[method]
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("types with %s are %q, listed are %q", method, got, want)
		}
	}
	for _, v := range append(append(named(states), named(events)...), named(effects)...) {
		if names[v] {
			t.Errorf("%q is the name of two kinds", v)
		}
		names[v] = true
	}
}

func named[T interface{ name() string }](kinds []T) (all []string) {
	for _, k := range kinds {
		all = append(all, k.name())
	}
	return all
}
