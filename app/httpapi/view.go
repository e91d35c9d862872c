package httpapi

import (
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// sight is how much of a ticket a principal sees.
type sight int

const (
	nothing sight = iota
	outline       // who asks whom, when, and what became of it; no questions, no answers
	shared        // everything but the answers to secret questions
	whole         // the asker's own: everything but what is held, and to whom it was delegated
	both          // everything: the asker's own, who may answer it, too
	sights
)

// sees says how much of a ticket the principal sees.
func sees(who *auth.Principal, t *hub.Ticket) sight {
	switch {
	case t.Address.Tenant != who.Tenant:
		return nothing
	case who.Role.Is(auth.Asker) && t.Ask.Origin.Asker == who.ID && mayAnswer(who, t):
		return both
	case who.Role.Is(auth.Asker) && t.Ask.Origin.Asker == who.ID:
		return whole
	case who.Role.Is(auth.Answerer) && mayAnswer(who, t):
		return shared
	case who.Role.Is(auth.Observer):
		return outline
	}
	return nothing
}

// mayAnswer reports whether the ask is one that the principal's person could
// answer. The only person there is sees every ask, also those to others.
func mayAnswer(who *auth.Principal, t *hub.Ticket) bool {
	return who.Role.Is(auth.Answerer) && (who.ID == "" || t.MayAnswer(who.ID))
}

// view returns the ticket as the caller sees it, if it does.
func (c *call) view(t *hub.Ticket) (api.Ticket, bool) {
	s := sees(c.who, t)
	if s == nothing {
		return api.Ticket{}, false
	}
	return wire(c.s.hub, t, s), true
}

// wire returns a ticket as the API has it.
func wire(h *hub.Hub, t *hub.Ticket, s sight) api.Ticket {
	if s == outline || s == whole {
		t = t.ForAsker()
	}
	v := api.Ticket{ID: h.Handle(t.Address), Status: t.Status(), Ticket: *t}
	switch s {
	case outline:
		v.Ask = askOutline(t.Ask)
		v.Nonce = ""
		conceal(&v, outcomeOutline)
	case shared:
		if slices.ContainsFunc(t.Ask.Questions, func(q sayso.Question) bool { return q.Secret }) {
			conceal(&v, func(o *sayso.Outcome) *sayso.Outcome { return withoutSecrets(t.Ask, o) })
		}
	}
	return v
}

// conceal puts a copy in the place of every outcome.
func conceal(v *api.Ticket, f func(*sayso.Outcome) *sayso.Outcome) {
	if v.Outcome != nil {
		v.Outcome = f(v.Outcome)
	}
	if v.Held != nil {
		held := *v.Held
		held.Outcome = f(held.Outcome)
		v.Held = &held
	}
	v.History = slices.Clone(v.History)
	for i := range v.History {
		v.History[i].Outcome = f(v.History[i].Outcome)
	}
}

func askOutline(a *sayso.Ask) *sayso.Ask {
	c := &sayso.Ask{
		ID: a.ID, Origin: a.Origin, To: a.To, Dialect: a.Dialect, AskedAt: a.AskedAt, Deadline: a.Deadline, MinAssurance: a.MinAssurance, Final: a.Final,
		Questions: make([]sayso.Question, len(a.Questions)),
	}
	for i := range a.Questions {
		c.Questions[i] = sayso.Question{ID: a.Questions[i].ID}
	}
	return c
}

func outcomeOutline(o *sayso.Outcome) *sayso.Outcome {
	return &sayso.Outcome{Status: o.Status, By: o.By, At: o.At}
}

const concealed = "[secret]"

func withoutSecrets(a *sayso.Ask, o *sayso.Outcome) *sayso.Outcome {
	c := *o
	c.Answers = slices.Clone(o.Answers)
	for i, ans := range c.Answers {
		if q := a.Question(ans.QuestionID); ans.Answered() && (q == nil || q.Secret) {
			c.Answers[i] = sayso.Answer{QuestionID: ans.QuestionID, Other: concealed}
		}
	}
	if c.Reply != "" {
		c.Reply = concealed // it may tell a secret, too
	}
	return &c
}
