package conversation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

// The scripts in testdata are conversations as they happen: a command, a line of
// dashes, and what came of it. Lines that begin with # are remarks. Before each
// command the state is written and read, as by a host that has slept.
//
//	new ID [parent=ID] [asking=parent|nobody]   begins a conversation and goes to it
//	use ID                                      goes to another one
//	EVENT ARG… [name=value…]                    feeds an event; see parseEvent
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the script is now\n%s", got)
			}
		})
	}
}

// play returns the script with what came of its commands.
func play(t *testing.T, text string) string {
	st := stage{states: map[string]State{}}
	var out []string
	for _, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		var head []string
		command := ""
		for _, line := range strings.Split(block, "\n") {
			if line == "----" {
				break
			}
			head = append(head, line)
			if !strings.HasPrefix(line, "#") {
				command = line
			}
		}
		if command != "" {
			head = append(head, "----", st.run(t, command))
		}
		out = append(out, strings.Join(head, "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

type stage struct {
	states  map[string]State
	current string
}

func (st *stage) run(t *testing.T, command string) string {
	t.Helper()
	c := parseCommand(t, command)
	switch c.name {
	case "new":
		st.current = c.arg(0)
		st.states[st.current] = New(st.current, &Options{Parent: c.named["parent"], Asking: Asking(c.named["asking"])})
		return describe(st.states[st.current])
	case "use":
		st.current = c.arg(0)
		return describe(st.states[st.current])
	}
	s, err := UnmarshalState([]byte(form(st.states[st.current])))
	if err != nil {
		t.Fatal(err)
	}
	e, err := UnmarshalEvent([]byte(form(c.event(t, s.thread().Step))))
	if err != nil {
		t.Fatal(err)
	}
	next, effects, err := Transition(s, e)
	st.states[st.current] = next
	var r *RejectedError
	switch {
	case errors.As(err, &r):
		return "rejected: " + r.Reason
	case err != nil:
		t.Fatal(err)
	case len(effects) == 0:
		return "no change"
	}
	lines := []string{describe(next)}
	for _, effect := range effects {
		lines = append(lines, "  "+describeEffect(effect))
	}
	return strings.Join(lines, "\n")
}

// command is a line of a script: words, "quoted words", and name=value.
type command struct {
	name  string
	args  []string
	named map[string]string
}

func parseCommand(t *testing.T, line string) command {
	t.Helper()
	c := command{named: map[string]string{}}
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		end := strings.IndexAny(line+" ", " \"")
		word := line[:end]
		if end < len(line) && line[end] == '"' {
			quoted, err := strconv.QuotedPrefix(line[end:])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			value, _ := strconv.Unquote(quoted)
			word, end = word+value, end+len(quoted)
		}
		line = line[end:]
		name, value, ok := strings.Cut(word, "=")
		switch {
		case c.name == "":
			c.name = word
		case ok:
			c.named[name] = value
		default:
			c.args = append(c.args, word)
		}
	}
	return c
}

func (c command) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

func (c command) is(flag string) bool { return c.named[flag] == "yes" }

func (c command) number(name string, def int) int {
	if n, err := strconv.Atoi(c.named[name]); err == nil {
		return n
	}
	return def
}

// event makes the event of a command. The step is the current one unless named.
func (c command) event(t *testing.T, step int) Event {
	t.Helper()
	step = c.number("step", step)
	result := ToolResult{Text: c.named["text"], IsError: c.is("error"), StopTurn: c.is("stop")}
	switch c.name {
	case "user_message":
		return UserMessage{ID: c.arg(0), Text: c.arg(1)}
	case "model_replied":
		return ModelReplied{Step: step, Text: c.named["text"], Calls: parseCalls(c.args)}
	case "model_failed":
		return ModelFailed{Step: step, Attempt: c.number("attempt", 1), Error: c.arg(0), Retryable: c.is("retryable")}
	case "tool_finished":
		result.Call = c.arg(0)
		return ToolFinished{Step: step, Result: result}
	case "ask_pending":
		return AskPending{Step: step, Call: c.arg(0), Ask: ask(c.arg(1))}
	case "ask_closed":
		return AskClosed{Ask: c.arg(0), Outcome: c.outcome(), Result: result}
	case "ask_withdrawn":
		return AskWithdrawn{Ask: c.arg(0), Reason: c.named["reason"]}
	case "sub_agents_spawned":
		e := SubAgentsSpawned{Step: step, Call: c.arg(0)}
		for _, id := range c.args[1:] {
			e.Agents = append(e.Agents, SubAgent{ID: id, Name: id + "-name", Task: "task of " + id})
		}
		return e
	case "sub_agent_asked":
		a := ask(c.arg(1))
		if chain := c.named["agents"]; chain != "" {
			a.Origin.Agents = strings.Split(chain, ",")
		}
		return SubAgentAsked{Agent: c.arg(0), Ask: a}
	case "sub_agent_done":
		return SubAgentDone{Agent: c.arg(0), Text: c.named["text"], IsError: c.is("error")}
	case "cancel":
		return Cancel{Reason: c.named["reason"]}
	case "retry":
		return Retry{}
	case "end":
		return End{Reason: c.named["reason"]}
	case "delivered":
		return Delivered{Key: c.arg(0)}
	case "resumed":
		return Resumed{}
	}
	t.Fatalf("no such command: %s", c.name)
	return nil
}

// outcome reads answered=OPTION, reply=WORDS, or a status.
func (c command) outcome() *sayso.Outcome {
	switch {
	case c.named["answered"] != "":
		return chose(c.named["answered"])
	case c.named["reply"] != "":
		return &sayso.Outcome{Status: sayso.StatusAnswered, Reply: c.named["reply"]}
	}
	return &sayso.Outcome{Status: sayso.Status(c.arg(1))}
}

// parseCalls reads calls: name:id.
func parseCalls(args []string) (all []ToolCall) {
	for _, a := range args {
		name, id, _ := strings.Cut(a, ":")
		all = append(all, ToolCall{ID: id, Name: name})
	}
	return all
}

func describe(s State) string {
	t := s.thread()
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s revision=%d step=%d", s.name(), t.Revision, t.Step)
	switch s := s.(type) {
	case LLMRequesting:
		fmt.Fprintf(b, " attempt=%d", s.Attempt)
	case ToolExecuting:
		fmt.Fprintf(b, " current=%s remaining=%s", s.Current.ID, callIDs(s.Remaining))
	case AwaitingUserResponse:
		fmt.Fprintf(b, " ask=%s call=%s remaining=%s", s.Ask.ID, s.Call, callIDs(s.Remaining))
	case AwaitingSubAgents:
		fmt.Fprintf(b, " call=%s remaining=%s", s.Call, callIDs(s.Remaining))
		for _, a := range s.Agents {
			fmt.Fprintf(b, " %s(", a.ID)
			for _, open := range a.Asks {
				fmt.Fprintf(b, "asks %s", open.ID)
			}
			if a.Result != nil {
				b.WriteString("done")
			}
			b.WriteString(")")
		}
	case Failed:
		fmt.Fprintf(b, " error=%q", s.Error)
	case Ended:
		fmt.Fprintf(b, " text=%q error=%v", s.Text, s.IsError)
	}
	fmt.Fprintf(b, " done=%v", t.Done)
	for _, c := range t.Closed {
		fmt.Fprintf(b, " closed=%s", c.ID)
	}
	for _, e := range t.Outbox {
		fmt.Fprintf(b, " outbox=%s", e.Key())
	}
	return b.String()
}

func describeEffect(e Effect) string {
	switch e := e.(type) {
	case Save:
		line := e.Key()
		for _, entry := range e.Entries {
			line += fmt.Sprintf(" [%s", entry.Role)
			if entry.Text != "" {
				line += fmt.Sprintf(" %q", entry.Text)
			}
			if len(entry.Calls) > 0 {
				line += " " + callIDs(entry.Calls)
			}
			for _, r := range entry.Results {
				line += fmt.Sprintf(" %s=%q", r.Call, r.Text)
				if r.IsError {
					line += "!"
				}
			}
			line += "]"
		}
		return line
	case Notify:
		return e.Key() + " " + e.State
	case AskUser:
		return strings.TrimSpace(fmt.Sprintf("%s agents=%v %s", e.Key(), e.Ask.Origin.Agents, to(e.Parent)))
	case WithdrawAsk:
		return strings.TrimSpace(fmt.Sprintf("%s %s %q %s", e.Key(), e.Status, e.Reason, to(e.Parent)))
	case StartAgent:
		return fmt.Sprintf("%s %q", e.Key(), e.Agent.Task)
	case TellAgent:
		return fmt.Sprintf("%s %s", e.Key(), e.Outcome.Status)
	case TellParent:
		return fmt.Sprintf("%s %s %q error=%v", e.Key(), e.Parent, e.Text, e.IsError)
	}
	return e.Key()
}

func to(parent string) string {
	if parent == "" {
		return ""
	}
	return "to " + parent
}

func callIDs(calls []ToolCall) string {
	ids := []string{}
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	return fmt.Sprint(ids)
}
