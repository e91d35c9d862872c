package httpapi

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// The routes of hosts that have one question open at a time (seed 3): what is
// answered is whatever waits in the conversation.

// conversation returns the conversation that the path names.
func (c *call) conversation() (string, error) {
	id := c.r.PathValue("id")
	if id == "" || len(id) > maxID {
		return "", badRequest.problemf("The name of a conversation has at most %d bytes.", maxID)
	}
	return id, nil
}

func (s *Server) respond(c *call) error {
	var in api.RespondRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	if in.Ask == "" && in.Digest == "" && !s.opts.OneAsker {
		return badRequest.problem("Send ask or digest from the state_change event, so that the answer belongs to what was shown.")
	}
	t, err := s.waitsIn(c, meant{ask: in.Ask, digest: in.Digest}, func(t *hub.Ticket) bool {
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
	digest := cmp.Or(in.Digest, t.Digest)
	return s.close(c, t, digest, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers, By: c.responder("")}, &hub.CloseOptions{})
}

func (s *Server) cancel(c *call) error {
	var in api.CancelRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := s.waitsIn(c, meant{ask: in.Ask}, func(t *hub.Ticket) bool { return t.Status() == sayso.StatusCancelled })
	if err != nil {
		return err
	}
	return s.close(c, t, t.Digest, &sayso.Outcome{Status: sayso.StatusCancelled, By: c.responder("")}, &hub.CloseOptions{})
}

// meant says which ask of a conversation a request is about. Empty: the one that
// waits.
type meant struct{ ask, digest string }

func (m meant) fits(h *hub.Hub, t *hub.Ticket) bool {
	return (m.ask == "" || m.ask == h.Handle(t.Address)) && (m.digest == "" || m.ask != "" || m.digest == t.Digest)
}

// waitsIn returns the one ask of the conversation that is meant and waits for the
// caller. If none does, it may have been closed by this very request, whose reply
// was lost: then it is the newest that the caller closed and that was closed the
// same way.
//
// Without the ask's id, another asker may have put the same questions in place of
// those that were shown. Where that can be, none is meant.
func (s *Server) waitsIn(c *call, m meant, same func(*hub.Ticket) bool) (*hub.Ticket, error) {
	conversation, err := c.conversation()
	if err != nil {
		return nil, err
	}
	var open []*hub.Ticket
	var last *hub.Ticket
	askers := map[string]bool{}
	err = s.eachIn(c, conversation, func(t *hub.Ticket) {
		if !m.fits(s.hub, t) {
			return
		}
		askers[t.Ask.Origin.Asker] = true
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
	case len(open) > 1, len(open) == 1 && m.ask == "" && len(askers) > 1:
		p := severalWait.problem("Name one of them by its id, or answer it with POST /v1/asks/{id}/answer.")
		for _, t := range open[:min(len(open), 50)] {
			if v, ok := c.view(t); ok {
				p.Waiting = append(p.Waiting, v)
			}
		}
		return nil, p
	case len(open) == 1:
		return open[0], nil
	case last != nil:
		return last, nil
	}
	return nil, nothingWaits.problem("The ask you named is not open in this conversation.")
}

// eachIn calls fn for every ask of the conversation that the caller may answer.
func (s *Server) eachIn(c *call, conversation string, fn func(*hub.Ticket)) error {
	leave, err := s.limits.reading(c.r.Context(), c.who, readTurn)
	if err != nil {
		return err
	}
	defer leave()
	f := hub.Filter{Conversation: conversation, Status: hub.AnyStatus, Person: c.who.ID, Limit: 1000}
	for {
		page, err := s.hub.List(c.r.Context(), c.who.Tenant, &f)
		if err != nil {
			return err
		}
		c.scanned(page, 0)
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
		ans, err := q.Match([]string{said}, &sayso.MatchOptions{Joined: true})
		if err != nil {
			e.Add(sayso.ErrAmbiguous, "answers", err.Error())
			continue
		}
		answers = append(answers, ans)
	}
	if used < len(given) {
		e.Add(sayso.ErrUnknownQuestion, "answers", "hold one to a question that does not wait")
	}
	return answers, e.OrNil()
}

// sameAnswer compares answers that were read from the same words.
func sameAnswer(a, b sayso.Answer) bool {
	return a.QuestionID == b.QuestionID && slices.Equal(a.Selected, b.Selected) && a.Other == b.Other
}
