package conversation

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/saysohq/sayso"
)

// A host that dies before any of its effects, and is started again from what was
// saved, comes to the same end as one that lives: with the same transcripts and no
// answer lost. No tool runs again that has its result, no question is asked again
// that has its answer.
func TestCrashAtEveryEffect(t *testing.T) {
	t.Parallel()
	calm := newWorld()
	if err := calm.run(-1); err != nil {
		t.Fatal(err)
	}
	if len(calm.transcripts) != 3 || len(calm.ran) != 5 || len(calm.asked) != 2 {
		t.Fatalf("the story is not told: %d conversations, tools %v, asks %v", len(calm.transcripts), calm.ran, calm.asked)
	}
	t.Logf("%d effects", calm.taken)
	for first := range calm.taken {
		for _, then := range []int{-1, 1, 6} { // and once more, so many effects later
			w := newWorld()
			if err := w.run(first); !errors.Is(err, errCrash) {
				t.Fatalf("crash before effect %d: %v", first, err)
			}
			if err := w.restart(then); errors.Is(err, errCrash) {
				err = w.restart(-1)
				if err != nil {
					t.Fatalf("crashes before effects %d and %d: %v", first, then, err)
				}
			} else if err != nil {
				t.Fatalf("crash before effect %d: %v", first, err)
			}
			if !reflect.DeepEqual(w.transcripts, calm.transcripts) {
				t.Errorf("crash before effect %d, %d: the transcripts are\n%v\nwant\n%v", first, then, w.transcripts, calm.transcripts)
			}
			if !maps.Equal(w.ran, calm.ran) || !maps.Equal(w.asked, calm.asked) {
				t.Errorf("crash before effect %d, %d: ran %v, asked %v", first, then, w.ran, w.asked)
			}
		}
	}
}

var errCrash = errors.New("crash")

// world is a host, its person and its model. All fields but the last two are
// durable.
type world struct {
	saved       map[string][]byte  // states
	transcripts map[string][]Entry // by conversation
	mail        map[string][]Event // events that wait; one leaves when all it led to is done
	ran, asked  map[string]bool    // tools that ran and asks that were put before the person, by key

	taken int
	fuse  int // effects until the crash; negative: none
}

func newWorld() *world {
	return &world{
		saved:       map[string][]byte{"main": []byte(form(New("main", nil)))},
		transcripts: map[string][]Entry{},
		mail:        map[string][]Event{"main": {UserMessage{ID: "m1", Text: "plan"}}},
		ran:         map[string]bool{}, asked: map[string]bool{},
	}
}

// restart resumes every conversation and goes on.
func (w *world) restart(fuse int) error {
	w.fuse = fuse
	for _, id := range slices.Sorted(maps.Keys(w.saved)) {
		if err := w.feed(id, Resumed{}); err != nil {
			return err
		}
	}
	return w.run(w.fuse)
}

// run delivers mail until there is none.
func (w *world) run(fuse int) error {
	w.fuse = fuse
	for {
		ids := slices.DeleteFunc(slices.Sorted(maps.Keys(w.mail)), func(id string) bool { return len(w.mail[id]) == 0 })
		if len(ids) == 0 {
			return nil
		}
		id := ids[0]
		if err := w.feed(id, w.mail[id][0]); err != nil {
			return err
		}
		w.mail[id] = w.mail[id][1:]
	}
}

func (w *world) feed(id string, e Event) error {
	s, err := UnmarshalState(w.saved[id])
	if err != nil {
		return err
	}
	next, effects, err := Transition(s, e)
	var r *RejectedError
	if err != nil && !errors.As(err, &r) {
		return err
	}
	for _, effect := range effects {
		if w.fuse == 0 {
			return errCrash
		}
		w.fuse--
		w.taken++
		if err := w.do(id, next, effect); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) send(to string, e Event) { w.mail[to] = append(w.mail[to], e) }

func (w *world) do(id string, next State, effect Effect) error {
	switch e := effect.(type) {
	case Save:
		if stored, err := UnmarshalState(w.saved[id]); err != nil || stored.thread().Revision != e.Revision-1 {
			return fmt.Errorf("%s saved revision %d over another: %w", id, e.Revision, err)
		}
		w.saved[id] = []byte(form(next))
		w.transcripts[id] = append(w.transcripts[id], e.Entries...)
	case Notify:
	case RequestModel:
		w.send(id, w.model(id, e.Step))
	case ExecuteTool:
		return w.tool(id, e)
	case AskUser:
		if e.Parent != "" {
			w.send(e.Parent, SubAgentAsked{Agent: id, Ask: e.Ask})
			break
		}
		if _, closed := w.thread(id).closed(e.Ask.ID); closed {
			return fmt.Errorf("%s is asked again, and was answered", e.Ask.ID)
		}
		w.asked[e.Ask.ID] = true
		w.send(id, answerTo(e.Ask.ID, chose("o1")))
	case StartAgent:
		if w.saved[e.Agent.ID] == nil {
			w.saved[e.Agent.ID] = []byte(form(New(e.Agent.ID, &Options{Parent: id, Asking: AskParent})))
		}
		w.send(e.Agent.ID, UserMessage{ID: "task", Text: e.Agent.Task})
	case TellAgent:
		w.send(e.Agent, answerTo(e.Ask, e.Outcome))
		w.send(id, Delivered{Key: e.Key()})
	case TellParent:
		w.send(e.Parent, SubAgentDone{Agent: id, Text: e.Text, IsError: e.IsError})
		w.send(id, Delivered{Key: e.Key()})
	default:
		return fmt.Errorf("%s is not in the story", effect.Key())
	}
	return nil
}

func answerTo(id string, o *sayso.Outcome) Event {
	return AskClosed{Ask: id, Outcome: o, Result: ToolResult{Text: "PostgreSQL"}}
}

// model tells the story: the main agent has a planner plan, which has a scout look
// around, which asks; then the main agent asks, too.
func (w *world) model(id string, step int) Event {
	story := map[string][][]ToolCall{
		"main":    {parseCalls([]string{"spawn:planner", "write:c2"}), parseCalls([]string{"read:c1", "ask:c2", "write:c3"})},
		"planner": {parseCalls([]string{"spawn:scout"})},
		"scout":   {parseCalls([]string{"read:c1", "ask:c2", "test:c3"})},
	}[id]
	reply := ModelReplied{Step: step, Text: fmt.Sprintf("%s says %d", id, step)}
	if step <= len(story) {
		reply.Calls = story[step-1]
	}
	return reply
}

// tool runs a tool. A second time under the same key is for a result that was not
// saved; a host with a memory for keys would not run it then either.
func (w *world) tool(id string, e ExecuteTool) error {
	key := id + "/" + e.Key()
	if t := w.thread(id); t.Step > e.Step || t.done(e.Call.ID) {
		return fmt.Errorf("%s runs again, and has its result", key)
	}
	switch e.Call.Name {
	case "spawn":
		w.send(id, SubAgentsSpawned{Step: e.Step, Call: e.Call.ID, Agents: []SubAgent{{ID: e.Call.ID, Name: e.Call.ID, Task: "task"}}})
	case "ask":
		w.send(id, AskPending{Step: e.Step, Call: e.Call.ID, Ask: ask(key)})
	default:
		w.ran[key] = true
		w.send(id, ToolFinished{Step: e.Step, Result: ToolResult{Call: e.Call.ID, Text: "ran " + key}})
	}
	return nil
}

// thread returns what is saved of a conversation.
func (w *world) thread(id string) *Thread {
	s, err := UnmarshalState(w.saved[id])
	if err != nil {
		panic(err)
	}
	t := s.thread()
	return &t
}
