package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// The routes of hosts that have one question open at a time (seed 3): what is
// answered is whatever waits in the conversation.

// conversation returns the conversation that the path names.
func (c *call) conversation() (string, error) {
	id := c.r.PathValue("id")
	if id == "" || len(id) > maxID {
		return "", badRequest.problemf("a conversation has a name of at most %d bytes", maxID)
	}
	return id, nil
}

func (s *Server) respond(c *call) error {
	var in RespondRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := s.waitsIn(c, func(t *hub.Ticket) bool {
		answers, err := byText(t.Ask, in.Answers)
		return err == nil && t.Status() == sayso.StatusAnswered && slices.EqualFunc(answers, t.Outcome.Answers, sameAnswer)
	})
	if err != nil {
		return err
	}
	answers, err := byText(t.Ask, in.Answers)
	if err != nil {
		return err
	}
	digest := t.Digest
	if in.Digest != "" {
		digest = in.Digest
	}
	return s.close(c, t, digest, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers, By: c.responder("")})
}

func (s *Server) cancel(c *call) error {
	t, err := s.waitsIn(c, func(t *hub.Ticket) bool { return t.Status() == sayso.StatusCancelled })
	if err != nil {
		return err
	}
	return s.close(c, t, t.Digest, &sayso.Outcome{Status: sayso.StatusCancelled, By: c.responder("")})
}

// waitsIn returns the one ask that waits in the conversation for the caller. If
// none does, it may have been closed by this very request, whose reply was lost:
// then it is the newest that the caller closed and that was closed the same way.
func (s *Server) waitsIn(c *call, same func(*hub.Ticket) bool) (*hub.Ticket, error) {
	conversation, err := c.conversation()
	if err != nil {
		return nil, err
	}
	var open []*hub.Ticket
	var last *hub.Ticket
	err = s.eachIn(c, conversation, func(t *hub.Ticket) {
		switch {
		case t.Open():
			open = append(open, t)
		case t.Outcome.By.Kind == sayso.ByPerson && t.Outcome.By.ID == c.who.ID && same(t) && (last == nil || t.Outcome.At.After(last.Outcome.At)):
			last = t
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(open) == 1:
		return open[0], nil
	case len(open) > 1:
		p := severalWait.problem("answer one of them at /v1/asks/{id}/answer")
		for _, t := range open[:min(len(open), 50)] {
			if v, ok := c.view(t); ok {
				p.Waiting = append(p.Waiting, v)
			}
		}
		return nil, p
	case last != nil:
		return last, nil
	}
	return nil, notFound.problem("nothing waits in this conversation")
}

// eachIn calls fn for every ask of the conversation that the caller may answer.
func (s *Server) eachIn(c *call, conversation string, fn func(*hub.Ticket)) error {
	f := hub.Filter{Conversation: conversation, Status: hub.AnyStatus, Person: c.who.ID, Limit: 1000}
	for {
		page, err := s.hub.List(c.r.Context(), c.who.Tenant, &f)
		if err != nil {
			return err
		}
		for _, t := range page.Tickets {
			if mayAnswer(c.who, t) {
				fn(t)
			}
		}
		if page.Next == "" {
			return nil
		}
		f.Cursor = page.Next
	}
}

// byText reads answers that go by the text of the question. A text that two
// questions share names neither.
func byText(a *sayso.Ask, given map[string]string) ([]sayso.Answer, error) {
	var e sayso.InvalidError
	var answers []sayso.Answer
	used := 0
	for i := range a.Questions {
		q := &a.Questions[i]
		said, ok := given[q.Text]
		if !ok {
			if said, ok = given[q.TextAsAsked()]; !ok {
				continue
			}
		}
		used++
		if slices.ContainsFunc(a.Questions[:i], func(p sayso.Question) bool { return p.Text == q.Text }) {
			e.Add(sayso.ErrDuplicateQuestion, "answers", fmt.Sprintf("go by text, and questions %d and another have the same", i+1))
		}
		answers = append(answers, oneByText(q, said))
	}
	if used < len(given) {
		e.Add(sayso.ErrUnknownQuestion, "answers", "hold one to a question that does not wait")
	}
	return answers, e.OrNil()
}

// oneByText reads an answer: a label, labels joined by a comma and a space, or
// own words.
func oneByText(q *sayso.Question, said string) sayso.Answer {
	ans := sayso.Answer{QuestionID: q.ID}
	if !q.Multi {
		if id, rest := byLabel(q, said); id != "" && rest == "" {
			ans.Selected = []string{id}
		} else {
			ans.Other = said
		}
		return ans
	}
	var words []string
	for rest := said; rest != ""; {
		id, after := byLabel(q, rest)
		if id == "" || slices.Contains(ans.Selected, id) {
			var word string
			word, after, _ = strings.Cut(rest, joint)
			words = append(words, word)
		} else {
			ans.Selected = append(ans.Selected, id)
		}
		rest = after
	}
	ans.Other = strings.Join(words, joint)
	return ans
}

const joint = ", "

// byLabel returns the option with whose label the text begins, the longest such
// label, and what follows it.
func byLabel(q *sayso.Question, text string) (id, rest string) {
	longest := 0
	for _, o := range q.Options {
		for _, label := range []string{o.Label, o.LabelAsAsked()} {
			after, ok := strings.CutPrefix(text, label)
			if !ok || after != "" && !strings.HasPrefix(after, joint) || len(label) <= longest {
				continue
			}
			id, rest, longest = o.ID, strings.TrimPrefix(after, joint), len(label)
		}
	}
	return id, rest
}

// sameAnswer compares answers that were read from the same words.
func sameAnswer(a, b sayso.Answer) bool {
	return a.QuestionID == b.QuestionID && slices.Equal(a.Selected, b.Selected) && a.Other == b.Other
}
