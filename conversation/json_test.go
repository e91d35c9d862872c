package conversation

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/saysohq/sayso"
)

// forms returns one JSON form of every kind and more: the states and effects of
// the samples, and events for them.
func forms() (stateForms, eventForms, effectForms []string) {
	all := allForms()
	return all[0], all[1], all[2]
}

var allForms = sync.OnceValue(func() [3][]string {
	var stateForms, eventForms, effectForms []string
	seen := map[string]bool{}
	add := func(to *[]string, v interface{ name() string }) {
		if f := form(v); !seen[f] {
			seen[f] = true
			*to = append(*to, f)
		}
	}
	for _, s := range samples() {
		add(&stateForms, s)
		for _, kind := range events {
			for _, e := range eventsFor(s, kind.name(), counter()) {
				add(&eventForms, e)
				_, effects, _ := Transition(s, e)
				for _, effect := range effects {
					add(&effectForms, effect)
				}
			}
		}
	}
	return [3][]string{stateForms, eventForms, effectForms}
})

func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		got, err := UnmarshalState([]byte(form(s)))
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s reads back as %#v, %v", form(s), got, err)
		}
	}
	_, eventForms, effectForms := forms()
	kinds := map[string]bool{}
	for _, f := range eventForms {
		got, err := UnmarshalEvent([]byte(f))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if again, err := MarshalEvent(got); err != nil || string(again) != f {
			t.Fatalf("%s reads back as %s, %v", f, again, err)
		}
		kinds[got.name()] = true
	}
	for _, f := range effectForms {
		got, err := UnmarshalEffect([]byte(f))
		if err != nil || form(got) != f {
			t.Fatalf("%s reads back as %#v, %v", f, got, err)
		}
		kinds[got.name()] = true
	}
	if want := len(events) + len(effects); len(kinds) != want {
		t.Errorf("%d kinds of events and effects were tried, want %d", len(kinds), want)
	}
}

// The forms of version 1 are what they were. Whoever has to change a line that is
// there makes a new version.
func TestJSONVersion1(t *testing.T) {
	t.Parallel()
	const name = "testdata/v1.jsonl"
	if *update {
		if err := os.WriteFile(name, []byte(oneOfEach()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != oneOfEach() {
		t.Errorf("the forms are now\n%s", oneOfEach())
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		_, notState := UnmarshalState([]byte(line))
		_, notEvent := UnmarshalEvent([]byte(line))
		_, notEffect := UnmarshalEffect([]byte(line))
		if notState != nil && notEvent != nil && notEffect != nil {
			t.Errorf("%s is not read: %v, %v, %v", line, notState, notEvent, notEffect)
		}
	}
}

// oneOfEach returns the longest form of each kind among the samples.
func oneOfEach() string {
	var b strings.Builder
	stateForms, eventForms, effectForms := forms()
	for _, list := range []struct{ names, forms []string }{
		{named(states), stateForms}, {named(events), eventForms}, {named(effects), effectForms},
	} {
		for _, name := range list.names {
			longest := ""
			for _, f := range list.forms {
				if strings.HasPrefix(f, `{"v":1,"type":"`+name+`"`) && len(f) > len(longest) {
					longest = f
				}
			}
			b.WriteString(longest + "\n")
		}
	}
	return b.String()
}

func TestJSONRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `null`, `{}`, `[]`,
		`{"v":2,"type":"idle","data":{"conversation":"c","revision":0,"step":0}}`,
		`{"v":1,"type":"idle"}`,
		`{"v":1,"type":"dreaming","data":{}}`,
		`{"v":1,"type":"idle","data":{"conversation":"c","mood":"good"}}`,
		`{"v":1,"type":"idle","data":{}} {}`,
		`{"v":1,"type":"idle","data":{},"extra":1}`,
		`{"v":1,"type":"awaiting_user_response","data":{"conversation":"c","call":"c1"}}`,
		`{"v":1,"type":"awaiting_sub_agents","data":{"agents":[{"id":"a","asks":[null]}]}}`,
		`{"v":1,"type":"idle","data":{"outbox":[{"v":1,"type":"ask_user","data":{}}]}}`,
		`{"v":1,"type":"idle","data":{"outbox":[null]}}`,
	} {
		if s, err := UnmarshalState([]byte(text)); err == nil {
			t.Errorf("%s is read as %#v", text, s)
		}
	}
	if _, err := UnmarshalEvent([]byte(`{"v":1,"type":"idle","data":{}}`)); err == nil {
		t.Error("a state is read as an event")
	}
	if _, err := MarshalState(nil); err == nil {
		t.Error("nil has a form")
	}
}

// Text of any kind survives: what a model or a tool wrote is not ours to refuse.
func TestJSONKeepsText(t *testing.T) {
	t.Parallel()
	const odd = "\x00\x1b[31m \u2028 </script> \U0001f600 \"quoted\" {not json"
	s := reach(nil, UserMessage{ID: "m1", Text: odd}, ModelReplied{Step: 1, Text: odd, Calls: []ToolCall{{ID: odd, Name: odd, Arguments: odd}}})
	got, err := UnmarshalState([]byte(form(s)))
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%#v reads back as %#v, %v", s, got, err)
	}
}

// What can be read can be written, and a conversation goes on from it with any event.
func FuzzState(f *testing.F) {
	stateForms, eventForms, _ := forms()
	for i, s := range stateForms {
		f.Add([]byte(s), []byte(eventForms[i*7%len(eventForms)]))
	}
	f.Fuzz(func(t *testing.T, state, event []byte) {
		s, err := UnmarshalState(state)
		if err != nil {
			return
		}
		first := form(s)
		again, err := UnmarshalState([]byte(first))
		if err != nil || form(again) != first {
			t.Fatalf("%s reads back as %#v, %v", first, again, err)
		}
		e, err := UnmarshalEvent(event)
		if err != nil {
			return
		}
		if _, problem := try(s, e); problem != "" {
			t.Fatalf("%s in %s: %s", form(e), first, problem)
		}
	})
}

// Whoever decides the same in another order decides the same.
func TestDecision(t *testing.T) {
	t.Parallel()
	two := func(options ...string) *sayso.Outcome {
		return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: options}}}
	}
	byAnn := two("o1", "o2")
	byAnn.By = sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}
	byAnn.Reason = "on the phone"
	if decision(byAnn) != decision(two("o2", "o1")) {
		t.Error("the order or the person counts")
	}
	for _, other := range []*sayso.Outcome{two("o1"), {Status: sayso.StatusDeclined}, {Status: sayso.StatusAnswered, Reply: "o1"}} {
		if decision(other) == decision(byAnn) {
			t.Errorf("%+v is taken for the same", other)
		}
	}
}
