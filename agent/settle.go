package agent

import (
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso/conversation"
)

// settle goes on from a state for as long as nobody outside is needed: a call of
// the asking tool becomes an ask, one of a tool that is not there its refusal. It
// returns the last state, and the effects of all transitions with one save: what
// nobody has seen need not be written by itself. Nil means that there is nothing to
// settle.
func (f *family) settle(id string, s conversation.State, effects []conversation.Effect) (last conversation.State, all []conversation.Effect) {
	for {
		n := len(effects) - 1
		if n < 1 {
			return last, all
		}
		save, saved := effects[0].(conversation.Save)
		call, called := effects[n].(conversation.ExecuteTool)
		if !saved || !called {
			return last, all
		}
		event := f.decide(id, s, call)
		if event == nil {
			return last, all
		}
		next, more, err := conversation.Transition(s, event)
		if err != nil || len(more) == 0 {
			return last, all // what is to be told of it is told when its turn comes
		}
		then, ok := more[0].(conversation.Save)
		if !ok {
			return last, all
		}
		then.Entries = append(save.Entries[:len(save.Entries):len(save.Entries)], then.Entries...)
		merged := []conversation.Effect{then}
		for _, e := range effects[1:n] {
			if _, ok := e.(conversation.Notify); !ok { // the last one tells of all
				merged = append(merged, e)
			}
		}
		s, effects = next, append(merged, more[1:]...)
		last, all = s, effects
	}
}

// decide returns what becomes of a call that nobody has to make; nil if somebody
// has to. s is the state of the member, which waits for it.
func (f *family) decide(id string, s conversation.State, e conversation.ExecuteTool) conversation.Event {
	switch e.Call.Name {
	case f.h.o.AskTool:
		return f.intercept(id, s, e)
	case spawnTool:
		return f.spawn(id, e)
	}
	t := f.h.tools[e.Call.Name]
	switch {
	case t == nil:
		return f.refuse(e, "There is no tool %q.", e.Call.Name)
	case !json.Valid(arguments(e.Call)):
		return f.refuse(e, "The arguments are not valid JSON.")
	case !t.Repeat && f.claimed != id+"/"+e.Key() && f.members[id].claims[e.Key()]:
		return f.refuse(e, "The call was interrupted when the program that makes it was restarted. Nobody knows whether it was made. Find out before you make it again.")
	}
	return nil
}

// claims returns the key of the call that follows a save, if it must not be made
// twice: it is written with what leads to it.
func (f *family) claims(then []conversation.Effect) string {
	if len(then) == 0 {
		return ""
	}
	e, ok := then[len(then)-1].(conversation.ExecuteTool)
	if !ok {
		return ""
	}
	if t := f.h.tools[e.Call.Name]; t == nil || t.Repeat || !json.Valid(arguments(e.Call)) {
		return ""
	}
	return e.Key()
}

// refuse ends a call without making it.
func (f *family) refuse(e conversation.ExecuteTool, format string, a ...any) conversation.Event {
	return f.finish(e, conversation.ToolResult{Text: fmt.Sprintf(format, a...), IsError: true})
}

// finish is the event of a call that has its result.
func (f *family) finish(e conversation.ExecuteTool, r conversation.ToolResult) conversation.Event {
	r.Call = e.Call.ID
	r.Text = cut(r.Text, f.h.o.MaxToolText)
	return conversation.ToolFinished{Step: e.Step, Result: r}
}
