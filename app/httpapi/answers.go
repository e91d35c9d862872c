package httpapi

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

func (s *Server) answer(c *call) error {
	var in api.AnswerRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := c.answerable()
	if err != nil {
		return err
	}
	if in.Revision != 0 && in.Revision != t.Revision {
		if t, err = c.ticket(); err != nil {
			return err
		}
	}
	if in.Revision != 0 && t.Open() && in.Revision != t.Revision {
		return changed.problem("The ask was closed and reopened in the meantime. Read it again.")
	}
	return s.close(c, t, in.Digest, &sayso.Outcome{
		Status:  cmp.Or(in.Status, sayso.StatusAnswered),
		Answers: in.Answers, Reply: in.Reply, Reason: in.Reason,
		By: c.responder(in.Surface),
	}, &hub.CloseOptions{Hold: time.Duration(in.Hold) * time.Second})
}

func (s *Server) decline(c *call) error {
	var in api.DeclineRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := c.answerable()
	if err != nil {
		return err
	}
	return s.close(c, t, in.Digest, &sayso.Outcome{Status: sayso.StatusDeclined, Reason: in.Reason, By: c.responder(in.Surface)},
		&hub.CloseOptions{Hold: time.Duration(in.Hold) * time.Second})
}

// answerable returns the ask that the path names, if the caller may answer it.
func (c *call) answerable() (*hub.Ticket, error) {
	t, err := c.seen()
	if err == nil && !mayAnswer(c.who, t) {
		err = hub.ErrNotFound
	}
	return t, err
}

// responder is the person of the credential, at the surface that the request
// names.
func (c *call) responder(surface string) sayso.Responder {
	return sayso.Responder{
		Kind: sayso.ByPerson, ID: c.who.ID, Surface: sayso.SafeLine(cmp.Or(surface, "api")), Assurance: c.who.Assurance,
	}
}

// close gives an ask its outcome and replies with the ticket.
func (s *Server) close(c *call, seen *hub.Ticket, digest string, o *sayso.Outcome, opts *hub.CloseOptions) error {
	key, err := c.idempotencyKey()
	if err != nil {
		return err
	}
	size := seen.Size()
	late := !seen.Open() && o.Status == sayso.StatusAnswered && seen.Status() != sayso.StatusAnswered
	if key != "" { // nobody can name another's close
		opts.Nonce = derivedID("sayso close 1", string(o.By.Kind), c.who.ID, key)
	}
	if digest != seen.Digest {
		seen = &hub.Ticket{Address: seen.Address, Digest: digest}
	}
	if late { // nobody waits for it, and it is kept beside the outcome
		written, err := s.store(c, int64(size+c.size+recordExtra))
		if err != nil {
			return err
		}
		defer func() { written(0) }()
	}
	t, err := s.hub.Close(c.r.Context(), seen, o, opts)
	if kept := (*hub.ClosedError)(nil); errors.As(err, &kept) && kept.Late {
		s.stored(c, kept.Ticket.Size())
	}
	if err != nil {
		return err
	}
	s.counts.answered(t)
	return c.replyTicket(http.StatusOK, t)
}

func (c *call) replyTicket(status int, t *hub.Ticket) error {
	v, ok := c.view(t)
	if !ok {
		return hub.ErrNotFound
	}
	return c.reply(status, v)
}

// relay takes what a program says. Whoever it is for, it vouches for nobody.
func (s *Server) relay(c *call) error {
	var in api.RelayRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := c.seen()
	if err == nil && sees(c.who, t) < whole && !mayAnswer(c.who, t) {
		err = hub.ErrNotFound
	}
	if err != nil {
		return err
	}
	return s.close(c, t, in.Digest, &sayso.Outcome{
		Status:  cmp.Or(in.Status, sayso.StatusAnswered),
		Answers: in.Answers, Reply: in.Reply, Reason: in.Reason,
		By: sayso.Responder{Kind: sayso.ByProgram, ID: c.who.ID, Surface: sayso.SafeLine(cmp.Or(in.Surface, "api"))},
	}, &hub.CloseOptions{Relayed: sees(c.who, t) >= whole})
}

func (s *Server) withdraw(c *call) error {
	var in api.WithdrawRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := c.own()
	if err != nil {
		return err
	}
	o := &sayso.Outcome{
		Status: cmp.Or(in.Status, sayso.StatusCancelled), Reason: in.Reason,
		By: sayso.Responder{Kind: sayso.ByAsker, ID: c.who.ID, Surface: "api", Assurance: c.who.Assurance},
	}
	err = s.close(c, t, t.Digest, o, &hub.CloseOptions{})
	var closed *hub.ClosedError
	if errors.As(err, &closed) && closed.Ticket.Outcome.By.Kind == sayso.ByAsker { // it was withdrawn before, with other words
		again := *closed.Ticket
		again.Replayed = true
		return c.replyTicket(http.StatusOK, &again)
	}
	return err
}

// attend notes that the person is at the ask.
func (s *Server) attend(c *call) error {
	t, err := c.answerable()
	if err != nil {
		return err
	}
	if s.opts.Attend != nil && t.Open() {
		s.opts.Attend(c.who.Tenant, c.who.ID, t.Address)
	}
	return c.reply(http.StatusNoContent, nil)
}

// own returns the ask that the path names, if the caller asked it.
func (c *call) own() (*hub.Ticket, error) {
	t, err := c.seen()
	if err == nil && sees(c.who, t) < whole {
		err = hub.ErrNotFound
	}
	return t, err
}

// undoCopies is how often an ask is stored because of an undo: it is opened, held again
// and closed again.
const undoCopies = 3

func (s *Server) undo(c *call) error {
	var in api.UndoRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := c.ticket()
	if err != nil {
		return err
	}
	if !mayAnswer(c.who, t) {
		return hub.ErrNotFound
	}
	seen := &hub.Ticket{Address: t.Address, Nonce: in.Nonce}
	written, err := s.store(c, undoCopies*int64(t.Size()+recordExtra))
	if err != nil {
		return err
	}
	t, err = s.hub.Undo(c.r.Context(), seen, c.responder(lastSurface(t)))
	if err != nil || t.Replayed {
		written(0)
	} else {
		written(undoCopies * int64(t.Size()+recordExtra))
	}
	if err != nil {
		return err
	}
	return c.replyTicket(http.StatusOK, t)
}

// amend replaces what the person said.
func (s *Server) amend(c *call) error {
	var in api.AmendRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	key, err := c.idempotencyKey()
	if err != nil {
		return err
	}
	t, err := c.ticket()
	if err == nil && !mayAnswer(c.who, t) {
		err = hub.ErrNotFound
	}
	if err != nil {
		return err
	}
	opts := &hub.CloseOptions{}
	if key != "" {
		opts.Nonce = derivedID("sayso amend 1", c.who.ID, key)
	}
	by := c.responder(in.Surface)
	if by.ID == "" {
		by.Surface = lastSurface(t)
	}
	return c.change(t.Size()+c.size, func() (*hub.Ticket, error) {
		t, err := s.hub.Amend(c.r.Context(), &hub.Ticket{Address: t.Address, Digest: in.Digest}, &sayso.Outcome{
			Status:  cmp.Or(in.Status, sayso.StatusAnswered),
			Answers: in.Answers, Reply: in.Reply, Reason: in.Reason, By: by,
		}, opts)
		if errors.Is(err, hub.ErrConsumed) {
			return nil, consumed.problem("The agent went by the decision, so changing it has no effect. An approval cannot be amended then.")
		}
		return t, err
	})
}

// lastSurface is where the ask was closed last. A person without a name is known
// by the surface, and may take back at one what was said at another.
func lastSurface(t *hub.Ticket) string {
	switch {
	case !t.Open():
		return t.Outcome.By.Surface
	case t.Held != nil:
		return t.Held.Outcome.By.Surface
	}
	for _, e := range slices.Backward(t.History) {
		if e.Why == hub.Undone {
			return e.Outcome.By.Surface
		}
	}
	return ""
}

func (s *Server) draft(c *call) error {
	t, err := c.answerable()
	if err != nil {
		return err
	}
	d, err := s.hub.Draft(c.r.Context(), t.Address, c.who.ID)
	if errors.Is(err, hub.ErrNotFound) {
		return notFound.problem("Nobody has saved a draft for this ask.")
	}
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, d)
}

func (s *Server) saveDraft(c *call) error {
	var in api.DraftRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := c.answerable()
	if err != nil {
		return err
	}
	if err := s.hub.SaveDraft(c.r.Context(), t.Address, c.who.ID, &hub.Draft{Answers: in.Answers, Reply: in.Reply}); err != nil {
		return err
	}
	return c.reply(http.StatusNoContent, nil)
}
