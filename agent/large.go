package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// feedLess gives a member something in place of an event that the journal cannot
// keep. It must end with something that is saved: a host that is restarted would
// ask the model again, and meet the same end.
func (f *family) feedLess(ctx context.Context, id string, who *member, e conversation.Event, closed *journal.Closed) error {
	for {
		if e = less(who.state, e); e == nil {
			return journal.ErrTooLarge
		}
		if _, ok := e.(conversation.AskClosed); !ok {
			closed = nil
		}
		f.h.o.Logger.Warn("an event is too large to be kept; a smaller one takes its place", "conversation", id, "event", fmt.Sprintf("%T", e))
		if err := f.feed(ctx, id, who, e, closed); !errors.Is(err, journal.ErrTooLarge) {
			return err
		}
	}
}

// less returns what to tell a member in place of an event that is too large: first
// the same without what the model is not told, then that it is lost, and at last
// that the turn is over. Nil means that there is nothing smaller.
func less(s conversation.State, e conversation.Event) conversation.Event {
	lost := func(what string) string {
		return fmt.Sprintf("%s is too large to be kept: a record of the conversation has %d KB at most.", what, journal.MaxRecord>>10)
	}
	switch e := e.(type) {
	case conversation.ModelReplied:
		if s, ok := s.(conversation.LLMRequesting); ok {
			return conversation.ModelFailed{Step: e.Step, Attempt: s.Attempt, Error: lost("The model's reply") + " Ask for less at a time."}
		}
	case conversation.ToolFinished:
		if e.Result.Structured != nil {
			e.Result.Structured = nil
			return e
		}
		if text := lost("The tool has run, but its result"); e.Result.Text != text {
			e.Result.Text, e.Result.IsError = text, true
			return e
		}
	case conversation.SubAgentDone:
		if text := lost("The report of the sub-agent"); e.Text != text {
			e.Text, e.IsError = text, true
			return e
		}
	case conversation.AskClosed:
		if e.Result.Structured != nil {
			e.Result.Structured = nil
			return e
		}
	case conversation.Cancel:
		return nil
	}
	return conversation.Cancel{Reason: "what happened is too large to be kept"}
}
