package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/hub"
)

// Who may do what with rules: an answerer makes rules that allow and deny, which decide
// only what that person could answer, and ends them. A rule that requires somebody
// changes who may answer for everybody, so it takes an admin, who may end any rule. An
// asker has nothing to do with rules.

const maxDiffer = 20 // approvals that a rehearsal names

func (s *Server) rules(c *call) error {
	list, err := c.s.opts.Rules.List(c.r.Context(), c.who.Tenant)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, api.RuleList{Rules: visible(c.who, list)})
}

// visible returns the rules as the caller may see them. Those that deny and require are
// everybody's to know; what one allows is for the person who made it. An admin sees that
// it exists.
func visible(who *auth.Principal, list []hub.Rule) []hub.Rule {
	out := []hub.Rule{}
	for _, r := range list {
		switch {
		case r.Act != hub.RuleAllow, who.Role.Is(auth.Answerer) && r.By == who.ID:
		case who.Role.Is(auth.Admin):
			r.Exact, r.Session, r.Note = nil, "", ""
		default:
			continue
		}
		out = append(out, r)
	}
	return out
}

// newRule makes the rule that the request wants, without storing it.
func (s *Server) newRule(c *call) (hub.Rule, *api.RuleRequest, error) {
	var in api.RuleRequest
	if err := c.decode(&in); err != nil {
		return hub.Rule{}, nil, err
	}
	now, length := s.opts.Now().UTC().Round(0), time.Duration(in.Seconds)*time.Second
	switch {
	case in.Act == hub.RuleAllow && in.Pattern != (hub.RulePattern{}), in.Act != hub.RuleAllow && (in.Ask != "" || in.Session || in.Count > 0):
		return hub.Rule{}, nil, invalid.problem("A rule allows one exact call, by ask, and ends. A pattern is for deny and require.")
	case in.Act == hub.RuleAllow:
		addr, err := c.address(in.Ask)
		if err != nil {
			return hub.Rule{}, nil, err
		}
		t, err := s.hub.Get(c.r.Context(), addr)
		if err != nil {
			return hub.Rule{}, nil, err
		}
		if !mayAnswer(c.who, t) {
			return hub.Rule{}, nil, hub.ErrNotFound
		}
		r, err := rules.NewAllow(t, c.who.ID, rules.Ends{Session: in.Session, For: length, Count: in.Count}, now)
		r.Note = in.Note
		return r, &in, err
	}
	given := hub.Rule{Act: in.Act, Pattern: &in.Pattern, Message: in.Message, People: in.People, Assurance: in.Assurance, Note: in.Note}
	if length > 0 {
		given.Until = now.Add(length)
	}
	r, err := rules.NewPattern(given, c.who.ID, now)
	return r, &in, err
}

func (s *Server) addRule(c *call) error {
	r, _, err := s.newRule(c)
	if err == nil && r.Act == hub.RuleRequire {
		err = invalid.problem("A rule that requires somebody changes who may answer: POST /v1/rules/require, with an admin key.")
	}
	return s.keepRule(c, r, err)
}

func (s *Server) addRequirement(c *call) error {
	r, _, err := s.newRule(c)
	if err == nil && r.Act != hub.RuleRequire {
		err = invalid.problem("Only require is made here. A rule that allows or denies: POST /v1/rules.")
	}
	return s.keepRule(c, r, err)
}

func (s *Server) keepRule(c *call, r hub.Rule, err error) error {
	if err != nil {
		return err
	}
	key, err := c.idempotencyKey()
	if err != nil {
		return err
	}
	if key != "" {
		r.ID = "rule_" + derivedID("sayso rule 1", c.who.Tenant, c.who.ID, key)[len("ask_"):][:16]
	}
	if r, err = s.opts.Rules.Add(c.r.Context(), c.who.Tenant, r); err != nil {
		return ruleProblem(err)
	}
	c.ruleNoted(securitylog.RuleAdded, string(r.Act))
	return c.reply(http.StatusCreated, r)
}

func (s *Server) rehearseRule(c *call) error {
	r, in, err := s.newRule(c)
	if err != nil {
		return err
	}
	last := in.Last
	if last == 0 {
		last = rules.Last
	}
	leave, err := s.limits.reading(c.r.Context(), c.who, readTurn)
	if err != nil {
		return err
	}
	defer leave()
	f := &hub.Filter{Status: hub.AnyStatus, Person: c.who.ID, Limit: 1000}
	var tickets []*hub.Ticket
	for {
		page, err := s.hub.List(c.r.Context(), c.who.Tenant, f)
		if err != nil {
			return err
		}
		for _, t := range page.Tickets {
			if t.Ask.Approval != nil && !t.Open() && mayAnswer(c.who, t) {
				tickets = append(tickets, t)
			}
		}
		tickets = newest(tickets, 2*maxRehearsed)
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
	}
	h, err := rules.Rehearse(c.r.Context(), r, c.who.ID, tickets, last, s.hub)
	if err != nil {
		return err
	}
	out := api.Rehearsal{Text: h.Text, Of: h.Of, Would: h.Would, Match: h.Match, Unread: h.Unread, Other: []api.Differ{}}
	for _, d := range h.Other[:min(len(h.Other), maxDiffer)] {
		out.Other = append(out.Other, api.Differ{Ask: d.Ask, At: d.At, Summary: d.Summary, Allowed: d.Allowed})
	}
	return c.reply(http.StatusOK, out)
}

const maxRehearsed = 2000 // approvals that are kept in memory, at most twice as many

// newest drops the older half of the tickets once there are too many.
func newest(tickets []*hub.Ticket, most int) []*hub.Ticket {
	if len(tickets) < most {
		return tickets
	}
	slices.SortFunc(tickets, func(a, b *hub.Ticket) int { return b.Ask.AskedAt.Compare(a.Ask.AskedAt) })
	return slices.Clone(tickets[:most/2])
}

func (s *Server) revokeRule(c *call) error {
	id := c.r.PathValue("id")
	admin := c.who.Role.Is(auth.Admin)
	ended, err := s.opts.Rules.Revoke(c.r.Context(), c.who.Tenant, c.who.ID, func(r *hub.Rule) bool {
		return (id == "all" && r.Revoked.IsZero() || r.ID == id) && (admin || r.By == c.who.ID)
	})
	switch {
	case errors.Is(err, rules.ErrNoRule) && id == "all":
		err = nil
	case err != nil && id == "all" && admin && hub.FaultOf(err) == "" && !transient(err):
		err = s.opts.Rules.Reset(c.r.Context(), c.who.Tenant) // they cannot be read
	}
	if err != nil {
		return ruleProblem(err)
	}
	c.ruleNoted(securitylog.RuleRevoked, "")
	return c.reply(http.StatusOK, api.RuleList{Rules: visible(c.who, ended)})
}

// transient reports whether the error may pass.
func transient(err error) bool {
	return errors.Is(err, hub.ErrUndecided) || errors.Is(err, hub.ErrConflict) || errors.Is(err, hub.ErrStopped)
}

func (s *Server) explainRules(c *call) error {
	t, err := c.ticket()
	if err == nil && !mayAnswer(c.who, t) {
		err = hub.ErrNotFound
	}
	if err != nil {
		return err
	}
	list, err := s.opts.Rules.List(c.r.Context(), c.who.Tenant)
	if err != nil {
		return err
	}
	e, err := rules.Explain(c.r.Context(), visible(c.who, list), t, s.hub, s.opts.Now())
	if err != nil {
		return err
	}
	out := api.Explanation{Text: e.Text, Rule: e.Rule, Near: []api.Miss{}}
	for _, m := range e.Near {
		why := m.Why
		if why == nil {
			why = []string{}
		}
		out.Near = append(out.Near, api.Miss{Rule: m.Rule.ID, Why: why})
	}
	return c.reply(http.StatusOK, out)
}

// ruleProblem says what an error of rules is to a client.
func ruleProblem(err error) error {
	switch {
	case errors.Is(err, rules.ErrNoRule):
		return notFound.problem("You have made no rule with this id. Rules: GET /v1/rules.")
	case errors.Is(err, rules.ErrTooMany):
		return invalid.problem(err.Error())
	}
	return err
}

func (c *call) ruleNoted(name securitylog.Name, act string) {
	c.s.opts.Security.Note(securitylog.Event{
		Name: name, Reason: act, Tenant: c.who.Tenant, Key: c.who.Key, Session: c.who.Session, Role: c.who.Role.String(),
		Route: c.route.method + " " + c.route.path, Address: securitylog.Address(c.r),
	})
}
