package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/dialect"
)

// asked is a request of Codex that waits.
type asked struct {
	id     string // for the bridge
	params *params
	ask    *sayso.Ask
}

// asks brings a request of Codex to the hub.
func (s *session) asks(m *message, p *params) {
	s.mu.Lock()
	t := s.threads[p.Thread]
	s.mu.Unlock()
	if t == nil {
		return // not one that we have joined
	}
	select {
	case <-t.ready:
	case <-s.ctx.Done():
		return
	}
	r, err := s.request(m, p, t)
	if err != nil {
		s.opts.Log.Warn("a request of Codex cannot be shown: it is in Codex only", "method", m.Method, "err", err)
	}
	if r == nil || err != nil {
		return
	}
	s.mu.Lock()
	t.asks[string(m.ID)] = &asked{id: r.ID, params: p, ask: r.Ask}
	s.mu.Unlock()
	s.bridge.Open(r)
}

// request makes the request for the bridge; nil if nobody is asked.
func (s *session) request(m *message, p *params, t *joined) (*bridge.Request, error) {
	r := &bridge.Request{ID: p.Thread + " " + string(m.ID)}
	from := bridge.From{Session: cmp.Or(t.info.Session, p.Thread), Call: p.ItemID, Dir: t.info.Cwd}
	if from.Call != "" && p.Approval != "" {
		from.Call += "/" + p.Approval // one of several requests of a call
	}
	if t.info.Parent != "" { // a sub-agent
		for _, name := range []string{t.info.Name, t.info.Role} {
			if !sayso.Blank(name) {
				from.Agents = []string{name}
				break
			}
		}
	}
	if m.Method == askInput {
		if secret(p.Questions) {
			return nil, nil // which no other program should see
		}
		ask, err := s.bridge.Question(dialect.Codex, from, spell(map[string]any{"questions": p.Questions}))
		if err != nil {
			return nil, err
		}
		r.Ask = ask
		r.Reply = func(ctx context.Context, told *bridge.Told) error { return s.answer(ctx, m.ID, p, told) }
		return r, nil
	}
	now := func() (*permission, *sayso.Ask, error) {
		what := permissionOf(m.Method, p, s.home, s.find(t))
		if what == nil {
			return nil, nil, nil
		}
		ask, err := s.bridge.Approval(what.approval, from)
		return what, ask, err
	}
	what, ask, err := now()
	if what == nil || err != nil {
		return nil, err
	}
	r.Ask = ask
	r.Now = func() (*sayso.Ask, error) {
		_, ask, err := now()
		return ask, err
	}
	r.Reply = func(ctx context.Context, told *bridge.Told) error {
		reply := what.refusal
		if told.Verdict != nil && !told.Changed {
			if known, ok := what.replies[told.Verdict.Offer.ID]; ok {
				reply = known
			}
		}
		return s.conn.reply(ctx, m.ID, reply)
	}
	return r, nil
}

// secret reports whether one of the questions is for a secret.
func secret(questions json.RawMessage) bool {
	var list []struct {
		Secret bool `json:"isSecret"`
	}
	if json.Unmarshal(questions, &list) != nil {
		return false
	}
	for _, q := range list {
		if q.Secret {
			return true
		}
	}
	return false
}

// resolved closes what Codex's own dialog has answered, or what nobody waits for any
// more. What we have answered ourselves comes back here, too.
func (s *session) resolved(p *params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[p.Thread]
	if t == nil || t.asks[string(p.Request)] == nil {
		return
	}
	a := t.asks[string(p.Request)]
	delete(t.asks, string(p.Request))
	s.work.Go(func() {
		if a.ask.Approval != nil {
			s.decidedThere(t, a)
		} else {
			s.answeredThere(t, a)
		}
	})
}

// moment is how long what was said in Codex's own dialog is looked for.
const moment = 2 * time.Second

// decidedThere closes a request for permission. Codex does not tell the decision, but
// soon what becomes of the call.
func (s *session) decidedThere(t *joined, a *asked) {
	ctx, cancel := context.WithTimeout(s.ctx, moment)
	defer cancel()
	for s.bridge.Waits(a.id) {
		s.mu.Lock()
		i, ended, changed := t.items[a.params.ItemID], t.ended, t.changed
		s.mu.Unlock()
		switch {
		case i != nil && i.Status == "declined":
			s.bridge.Settled(a.id, decided(a.ask.Approval, a.ask.Approval.Denies()))
			return
		case i != nil && (i.Status == "completed" || i.Status == "failed") && a.ask.Approval.Kind != sayso.ApproveMCP:
			s.bridge.Settled(a.id, decided(a.ask.Approval, a.ask.Approval.Allows()))
			return
		case ended == turnInterrupt:
			s.bridge.Dropped(a.id, interrupted)
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			s.bridge.Settled(a.id, nil) // the command runs still, say
			return
		}
	}
}

// interrupted is why an ask is withdrawn.
const interrupted = "dismissed in Codex, whose turn has ended"

// decided is the outcome of a decision in Codex. For how long it holds is not known.
func decided(p *sayso.Approval, offers []*sayso.Offer) *sayso.Outcome {
	if len(offers) == 0 {
		return nil
	}
	ans := sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{offers[0].ID}}
	if _, size := p.Unseen(); size > 0 && offers[0].Act == sayso.ActAllow {
		ans.Selected[0] = sayso.OfferUnseen // what Codex showed is not known
	}
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}}
}
