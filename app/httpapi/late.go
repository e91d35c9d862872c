package httpapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// maxLate is how many results one reply has.
const maxLate = 100

// late hands out what people said in a conversation after the call that asked had
// ended.
func (s *Server) late(c *call) error {
	conversation, err := c.conversation()
	if err != nil {
		return err
	}
	name := c.r.URL.Query().Get("dialect")
	if _, ok := s.dialectByName(name); name != "" && !ok {
		return noDialect()
	}
	leave, err := s.limits.reading(c.r.Context(), c.who, readTurn)
	if err != nil {
		return err
	}
	defer leave()
	late, open, err := hub.TakeLate(c.r.Context(), &ownAsks{c: c, listed: map[string]*hub.Ticket{}}, conversation, s.opts.Now())
	if err != nil && len(late) == 0 {
		return err
	}
	if err != nil { // what was taken is told, and the rest is asked for again
		open = max(open, 1)
	}
	out := api.LateResults{Late: []api.CallResult{}, Open: open}
	for _, t := range late {
		d, ok := s.dialectByName(cmp.Or(name, t.Ask.Dialect))
		if !ok {
			d = dialect.JSON
		}
		told, err := s.told(d, t)
		if err != nil {
			return err
		}
		out.Late = append(out.Late, *told)
	}
	return c.reply(http.StatusOK, out)
}

// ownAsks is what [hub.TakeLate] needs of an asker: it lists and consumes the
// caller's own asks.
type ownAsks struct {
	hub.Asker // nil
	c         *call
	listed    map[string]*hub.Ticket // those that the last page had, by their handles
	taken     int
}

func (o *ownAsks) List(ctx context.Context, f *hub.Filter) (*hub.Tickets, error) {
	mine := *f
	mine.Asker = o.c.who.ID
	page, err := o.c.s.hub.List(ctx, o.c.who.Tenant, &mine)
	if err != nil {
		return nil, err
	}
	o.c.scanned(page, 0)
	clear(o.listed)
	own := &hub.Tickets{Next: page.Next}
	for _, t := range page.Tickets {
		if sees(o.c.who, t) < whole {
			continue
		}
		named := *t
		named.Handle = o.c.s.hub.Handle(t.Address)
		o.listed[named.Handle] = t
		own.Tickets = append(own.Tickets, &named)
	}
	return own, nil
}

// Consume takes an outcome. Those that one reply has no room for are left as if
// they were yet to come.
func (o *ownAsks) Consume(_ context.Context, handle string) (*hub.Ticket, error) {
	if o.taken == maxLate {
		return nil, hub.ErrOpen
	}
	t, err := o.c.s.take(o.c, o.listed[handle])
	if err == nil && !t.Replayed {
		o.taken++
	}
	return t, err
}

func noDialect() *problem {
	return notFound.problem("No dialect has this name. GET /v1/dialects lists them.")
}

// dialectOf says how an agent spells the tool.
func dialectOf(d sayso.Dialect) api.Dialect {
	spec := d.Spec()
	return api.Dialect{Dialect: spec.Dialect, Name: spec.Name, Description: spec.Description, Schema: spec.Schema}
}
