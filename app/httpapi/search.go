package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// searchCost is what a search counts beside the tickets that it reads: it looks at
// everything that the hub knows of the tenant.
const searchCost = 64 << 10

// facetNames are the filters with values to choose from, in the order of a reply.
var facetNames = []string{"agent", "asker", "workspace", "branch", "conversation", "person", "kind"}

func searchRoute() route {
	return route{
		method: "GET", path: "/v1/search", rule: may(auth.Answerer), id: "searchAsks", serve: (*Server).search,
		summary: "Search asks",
		about: "What the person may see, open and closed. Every parameter that is given has to match. The cursor stays good while asks come and go: " +
			"an ask that does not change is on exactly one page.",
		params: []param{
			{in: "query", name: "text", about: "Words, each at the beginning of a word of the questions, bodies, options, answers, notes and names. Default: all."},
			{in: "query", name: "view", about: "What waits for the person now, what they have put off or delegated, what is closed, or everything. Default: open.", values: namesOf(hub.Views())},
			{in: "query", name: "agent", about: "Only where this agent is in the chain, or is the host."},
			{in: "query", name: "asker", about: "Only what this credential asked."},
			{in: "query", name: "workspace", about: "Only of this workspace."},
			{in: "query", name: "branch", about: "Only of this branch."},
			{in: "query", name: "conversation", about: "Only of this conversation."},
			{in: "query", name: "person", about: "Only what is to this person, was delegated to them, or was answered by them."},
			{in: "query", name: "kind", about: "Only questions, or only approvals.", values: []string{string(sayso.AskQuestions), string(sayso.AskApproval)}},
			{in: "query", name: "approval", about: "Only approvals of this kind.", values: namesOf(sayso.ApprovalKinds())},
			{in: "query", name: "status", about: "Only with this status.", values: statuses()},
			{in: "query", name: "digest", about: "Only with exactly these questions: the digest of a ticket."},
			{in: "query", name: "blocking", about: "Only asks that something waits behind.", values: flags},
			{in: "query", name: "after", about: "Only asked, or if it is closed, closed at or after this time, as in RFC 3339."},
			{in: "query", name: "before", about: "Only before this time."},
			{in: "query", name: "order", about: "Default: oldest first of what is open, newest first otherwise.", values: namesOf(hub.Orders())},
			{in: "query", name: "facets", about: "Whether to count the values that filters can have. Default: false.", values: flags},
			{in: "query", name: "limit", about: "At most so many; default 50, at most 1000.", number: true},
			{in: "query", name: "cursor", about: "`next` of the page before, of the same search."},
		},
		ok:       []reply{{200, "A page.", api.SearchPage{}, ""}},
		problems: []kind{badRequest, unavailable},
	}
}

func (s *Server) search(c *call) error {
	find, err := searchOf(c, c.r.URL.Query())
	if err != nil {
		return err
	}
	leave, err := s.limits.reading(c.r.Context(), c.who, readTurn)
	if err != nil {
		return err
	}
	defer leave()
	found, err := s.hub.Search(c.r.Context(), c.who.Tenant, c.who.ID, find)
	if errors.Is(err, hub.ErrSearch) {
		return badRequest.problem(strings.TrimPrefix(err.Error(), hub.ErrSearch.Error()+": ") + ".")
	}
	if err != nil {
		return err
	}
	page := api.SearchPage{Items: []api.SearchItem{}, Next: found.Next, Total: found.Total, Waiting: found.Waiting}
	cost := searchCost
	for _, it := range found.Items {
		cost += recordCost + it.Size()
		if v, ok := c.view(it.Ticket); ok {
			page.Items = append(page.Items, api.SearchItem{Ticket: v, Snoozed: it.Snoozed, Same: it.Same})
		}
	}
	s.limits.spend(c.who, cost-readCost)
	for _, name := range facetNames {
		if values := found.Facets[name]; len(values) > 0 {
			f := api.FilterFacet{Filter: name}
			for _, v := range values {
				f.Values = append(f.Values, api.Facet{Value: v.Value, Count: v.Count})
			}
			page.Facets = append(page.Facets, f)
		}
	}
	return c.reply(http.StatusOK, page)
}

// searchOf reads what the request searches for.
func searchOf(c *call, q url.Values) (*hub.Search, error) {
	s := &hub.Search{
		Text: q.Get("text"), View: hub.View(q.Get("view")), Agent: q.Get("agent"), Asker: q.Get("asker"), Workspace: q.Get("workspace"),
		Branch: q.Get("branch"), Conversation: q.Get("conversation"), Person: q.Get("person"), Kind: sayso.AskKind(q.Get("kind")),
		Approval: q.Get("approval"), Digest: q.Get("digest"), Order: hub.Order(q.Get("order")), Cursor: q.Get("cursor"),
	}
	if status := q.Get("status"); status != string(hub.AnyStatus) {
		s.Status = sayso.Status(status)
	}
	var err error
	if s.Blocking, err = c.flag("blocking"); err != nil {
		return nil, err
	}
	if s.Facets, err = c.flag("facets"); err != nil {
		return nil, err
	}
	for _, one := range []struct {
		name string
		at   *time.Time
	}{{"after", &s.After}, {"before", &s.Before}} {
		if v := q.Get(one.name); v != "" {
			if *one.at, err = time.Parse(time.RFC3339, v); err != nil {
				return nil, badRequest.problemf("%s must be a time such as 2026-11-15T09:00:00Z.", one.name)
			}
		}
	}
	if limit := q.Get("limit"); limit != "" {
		if s.Limit, err = strconv.Atoi(limit); err != nil || s.Limit < 1 || s.Limit > 1000 {
			return nil, badRequest.problem("limit must be a number from 1 to 1000.")
		}
	}
	return s, nil
}
