package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/dialect"
)

// note begins what is no label of an option.
const note = "user_note: "

// answers are what Codex is told of its questions, by their ids.
type answers struct {
	Answers map[string]answer `json:"answers"`
}

type answer struct {
	Answers []string `json:"answers"`
}

// answer tells Codex what came of a question. It has a place for answers only, so what
// is said of all the questions, or why there is no answer, is a note on the first.
func (s *session) answer(ctx context.Context, id json.RawMessage, p *params, told *bridge.Told) error {
	r, err := (&sayso.Tool{Dialect: dialect.Codex}).Finish(told.Ask, told.Outcome)
	if err != nil {
		return err
	}
	var all struct {
		answers
		Reply string `json:"reply"`
		Note  string `json:"note"`
	}
	if err := json.Unmarshal(r.Structured, &all); err != nil {
		return err
	}
	if all.Answers == nil {
		all.Answers = map[string]answer{}
	}
	var ids []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(p.Questions, &ids) == nil && len(ids) > 0 {
		first := all.Answers[ids[0].ID]
		for _, text := range []string{all.Reply, all.Note} {
			if !sayso.Blank(text) {
				first.Answers = append(first.Answers, note+text)
			}
		}
		if len(first.Answers) > 0 {
			all.Answers[ids[0].ID] = first
		}
	}
	if err := s.conn.reply(ctx, id, all.answers); err != nil || !r.StopTurn {
		return err
	}
	return s.conn.call(ctx, "turn/interrupt", map[string]any{"threadId": p.Thread, "turnId": p.TurnID}, nil)
}

// answeredThere closes a question that was answered in Codex. What was said is in the
// file of the session. An answer without words is one that Codex gave by itself: then
// the question stays open.
func (s *session) answeredThere(t *joined, a *asked) {
	limit := time.Now().Add(moment)
	for s.bridge.Waits(a.id) {
		s.mu.Lock()
		ended, changed := t.ended, t.changed
		s.mu.Unlock()
		out, found := output(t.info.Path, a.params.ItemID)
		var said answers
		switch {
		case found && json.Unmarshal([]byte(out), &said) == nil && said.Answers != nil:
			if o := said.outcome(a.ask); o != nil {
				s.bridge.Settled(a.id, o)
			} else {
				s.bridge.Left(a.id)
			}
			return
		case found || ended == turnInterrupt:
			s.bridge.Dropped(a.id, interrupted)
			return
		case time.Now().After(limit):
			s.bridge.Settled(a.id, nil)
			return
		}
		select {
		case <-s.ctx.Done():
			return
		case <-changed:
		case <-time.After(100 * time.Millisecond): // the file is written a little later
		}
	}
}

// outcome is what the person said in Codex; nil if they said nothing.
func (s *answers) outcome(a *sayso.Ask) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	some := false
	for i := range a.Questions {
		q := &a.Questions[i]
		var labels, words []string
		for _, v := range s.Answers[q.ID].Answers {
			if text, ok := strings.CutPrefix(v, note); ok {
				words = append(words, text)
			} else {
				labels = append(labels, v)
			}
		}
		ans, err := q.Match(labels, nil)
		if err != nil {
			ans = sayso.Answer{QuestionID: q.ID, Other: strings.Join(labels, "\n")}
		}
		if text := strings.Join(words, "\n"); len(ans.Selected) > 0 {
			ans.Note = text
		} else if text != "" {
			ans = sayso.Answer{QuestionID: q.ID, Other: text}
		}
		if ans.Answered() {
			ans.Unanswered = ""
			some = true
		}
		o.Answers = append(o.Answers, ans)
	}
	if !some {
		return nil
	}
	return o.Settled()
}

// maxTail is how much of the end of a session's file is looked at.
const maxTail = 1 << 20

// output returns what the model was told of a call, as the file of the session has it.
func output(file, call string) (string, bool) {
	if file == "" || call == "" {
		return "", false
	}
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	} else if _, err := f.Seek(max(0, info.Size()-maxTail), io.SeekStart); err != nil {
		return "", false
	}
	data, err := io.ReadAll(io.LimitReader(f, 2*maxTail))
	if err != nil {
		return "", false
	}
	out, found := "", false
	for line := range bytes.Lines(data) {
		var r struct {
			Payload struct {
				Type   string `json:"type"`
				Call   string `json:"call_id"`
				Output string `json:"output"`
			} `json:"payload"`
		}
		if json.Unmarshal(line, &r) == nil && r.Payload.Type == "function_call_output" && r.Payload.Call == call {
			out, found = r.Payload.Output, true
		}
	}
	return out, found
}
