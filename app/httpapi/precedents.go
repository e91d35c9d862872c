package httpapi

import (
	"net/http"
	"strconv"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// precedentRoutes are those of what was decided before.
func precedentRoutes() []route {
	return []route{
		{
			method: "GET", path: "/v1/asks/{id}/precedents", rule: may(auth.Answerer), id: "listPrecedents", serve: (*Server).precedents,
			summary: "Read what was answered before",
			about: "What people answered to the same questions, or to ones like them, the best first, at most 3. Only what the person may see. " +
				"Nothing is reused by itself: a client that offers `answers` sends them with `PUT answer` when the person says so.",
			params: []param{pathID}, ok: []reply{{200, "The earlier answers.", api.PrecedentList{}, ""}}, problems: []kind{notFound, unavailable},
		},
		{
			method: "GET", path: "/v1/decisions", rule: may(auth.Asker | auth.Answerer), id: "listDecisions", serve: (*Server).decisions,
			summary: "Look up decisions of a workspace",
			about: "Questions that people answered in the workspace, for an agent that looks before it asks. An asker sees the answers to what it asked, " +
				"an answerer what its person may answer. Approvals and whatever asks for a secret are left out. An empty list is not an answer: ask.",
			params: []param{
				{in: "query", name: "workspace", about: "Required: the workspace of the asks, as in `origin.workspace`."},
				{in: "query", name: "q", about: "What the decisions should be about, in words: at least half of them have to occur. Default: anything, the newest first."},
				{in: "query", name: "limit", about: "At most so many; default 5, at most 50.", number: true},
			},
			ok: []reply{{200, "The decisions, those that are most about it first.", api.TicketPage{}, ""}}, problems: []kind{badRequest, unavailable},
		},
	}
}

// precedentReads is what a look at earlier answers counts: the asks that are compared.
const precedentReads = 40 * recordCost

func (s *Server) precedents(c *call) error {
	t, err := c.answerable()
	if err != nil {
		return err
	}
	leave, err := s.limits.reading(c.r.Context(), c.who, readTurn)
	if err != nil {
		return err
	}
	defer leave()
	s.limits.spend(c.who, precedentReads)
	found, err := s.hub.Precedents(c.r.Context(), c.who.Tenant, c.responder(""), t)
	if err != nil {
		return err
	}
	list := api.PrecedentList{Precedents: []api.Precedent{}}
	for _, p := range found {
		if v, ok := c.view(p.Ticket); ok && sees(c.who, p.Ticket) >= shared {
			list.Precedents = append(list.Precedents, api.Precedent{Ticket: v, Same: p.Same, Score: p.Score, Answers: p.Answers})
		}
	}
	return c.reply(http.StatusOK, list)
}

func (s *Server) decisions(c *call) error {
	q := c.r.URL.Query()
	d := &hub.Decisions{Workspace: q.Get("workspace"), Text: q.Get("q")}
	if d.Workspace == "" {
		return badRequest.problem("Decisions belong to a workspace: add workspace.")
	}
	if limit := q.Get("limit"); limit != "" {
		var err error
		if d.Limit, err = strconv.Atoi(limit); err != nil || d.Limit < 1 || d.Limit > 50 {
			return badRequest.problem("limit must be a number from 1 to 50.")
		}
	}
	d.Visible = func(t *hub.Ticket) bool { return sees(c.who, t) >= shared }
	leave, err := s.limits.reading(c.r.Context(), c.who, readTurn)
	if err != nil {
		return err
	}
	defer leave()
	s.limits.spend(c.who, precedentReads)
	found, err := s.hub.Decisions(c.r.Context(), c.who.Tenant, d)
	if err != nil {
		return err
	}
	page := api.TicketPage{Tickets: []api.Ticket{}}
	for _, t := range found {
		if v, ok := c.view(t); ok {
			page.Tickets = append(page.Tickets, v)
		}
	}
	return c.reply(http.StatusOK, page)
}
