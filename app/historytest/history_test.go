package historytest

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// step is an operation after all before it.
type step struct {
	in  Input
	out Output
}

// TestCheck tells histories that can be from those that cannot.
func TestCheck(t *testing.T) {
	submit := step{Input{Op: Submit}, Output{State: Open}}
	won := step{Input{Close, "a"}, Output{State: "a"}}
	took := step{Input{Op: Consume}, Output{State: "a!"}}
	read := func(state string) step { return step{Input{Op: Get}, Output{State: state}} }
	lost := func(nonce, state string) step { return step{Input{Close, nonce}, Output{State: state, Refused: true}} }
	for name, c := range map[string]struct {
		steps []step
		want  porcupine.CheckResult
	}{
		"one winner":                   {[]step{submit, won, lost("b", "a"), read("a"), took, read("a!"), lost("c", "a!")}, porcupine.Ok},
		"the same again":               {[]step{submit, won, {Input{Close, "a"}, Output{State: "a"}}, {Input{Op: Submit}, Output{State: "a"}}}, porcupine.Ok},
		"taken before it is closed":    {[]step{submit, {Input{Op: Consume}, Output{State: Open}}, won, took}, porcupine.Ok},
		"a close without a reply":      {[]step{submit, {Input{Close, "b"}, Output{State: Unknown}}, read(Open), read("b")}, porcupine.Ok},
		"two winners":                  {[]step{submit, won, {Input{Close, "b"}, Output{State: "b"}}}, porcupine.Illegal},
		"an answer is lost":            {[]step{submit, won, read(Open)}, porcupine.Illegal},
		"an ask is lost":               {[]step{submit, read(Absent)}, porcupine.Illegal},
		"what was consumed is not":     {[]step{submit, won, took, read("a")}, porcupine.Illegal},
		"an answer that nobody gave":   {[]step{submit, read("x")}, porcupine.Illegal},
		"a refusal without a winner":   {[]step{submit, lost("b", Open)}, porcupine.Illegal},
		"refused, and the winner":      {[]step{submit, won, lost("a", "a")}, porcupine.Illegal},
		"an event of what is not":      {[]step{read(Open), submit}, porcupine.Illegal},
		"read before it is submitted":  {[]step{read(Absent), submit, read(Open)}, porcupine.Ok},
		"consumed, and then withdrawn": {[]step{submit, won, took, read(Open)}, porcupine.Illegal},
	} {
		t.Run(name, func(t *testing.T) {
			h := New(name)
			for _, s := range c.steps {
				h.Do(0, s.in, func() Output { return s.out })
			}
			if _, got := h.Check(); got != c.want {
				t.Errorf("%s, want %s: %s", got, c.want, h)
			}
		})
	}
	// A close whose reply is lost takes effect, is read and consumed, and is told when it is tried again.
	h := New("tried again")
	h.Do(0, submit.in, func() Output { return submit.out })
	h.Do(1, won.in, func() Output {
		h.Do(2, Input{Op: Get}, func() Output { return Output{State: "a"} })
		h.Do(2, took.in, func() Output { return took.out })
		return Output{State: "a!"}
	})
	if _, got := h.Check(); got != porcupine.Ok {
		t.Errorf("%s: %s", got, h)
	}
	h.Do(3, Input{Close, "b"}, func() Output { return Output{State: "b!"} })
	if _, got := h.Check(); got != porcupine.Illegal {
		t.Errorf("two have won, and that is %s: %s", got, h)
	}
	h = New("an event")
	h.Event("a")
	h.Do(0, submit.in, func() Output { return submit.out })
	h.Do(0, won.in, func() Output { return won.out })
	if _, got := h.Check(); got != porcupine.Illegal {
		t.Errorf("an answer was told before it was given, and that is %s: %s", got, h)
	}
}
