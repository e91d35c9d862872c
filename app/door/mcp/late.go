package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// owed are the asks that no call waits for any more and whose outcome the agent
// does not have.
type owed struct {
	mu      sync.Mutex
	list    []debt
	adopted bool   // those of earlier runs are among them
	ends    uint64 // that were known of then

	told []told // the last asks whose outcome the agent has: it may be changed, or asked for again
}

type told struct{ handle, id string }

// maxTold is how many of those are remembered.
const maxTold = 64

// note remembers an ask whose outcome the agent has.
func (o *owed) note(t *hub.Ticket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.told, told{t.Handle, t.Ask.ID}) {
		o.told = append(o.told[max(0, len(o.told)+1-maxTold):], told{t.Handle, t.Ask.ID})
	}
}

// knows returns the asks that were noted.
func (o *owed) knows() []told {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.told)
}

type debt struct {
	id   string
	like string // see likeness
	vain bool   // the agent was told, but its call had ended
}

// likeness is what two asks have in common that are the same question of the same
// agent.
func likeness(a *sayso.Ask) string {
	return a.Digest() + " " + strings.Join(a.Origin.Agents, "\x00")
}

func (o *owed) add(t *hub.Ticket) { o.put(debt{id: t.Handle, like: likeness(t.Ask)}) }

func (o *owed) put(d debt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.ContainsFunc(o.list, func(other debt) bool { return other.id == d.id }) {
		o.list = append(o.list, d)
	}
}

// take removes an ask, because a call deals with it.
func (o *owed) take(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = slices.DeleteFunc(o.list, func(d debt) bool { return d.id == id })
}

// takeSame removes an ask that is the same question.
func (o *owed) takeSame(like string) (debt, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(d debt) bool { return d.like == like })
	if i < 0 {
		return debt{}, false
	}
	same := o.list[i]
	o.list = slices.Delete(o.list, i, i+1)
	return same, true
}

// takeSome removes the first few asks.
func (o *owed) takeSome(n int) []debt {
	o.mu.Lock()
	defer o.mu.Unlock()
	n = min(n, len(o.list))
	some := slices.Clone(o.list[:n])
	o.list = slices.Delete(o.list, 0, n)
	return some
}

// maxLate is how many asks one call looks after, beside its own.
const maxLate = 16

// changed takes on the asks whose outcome the person changed since the agent had it, or
// that a person asked again.
func (c *call) changed(ctx context.Context) {
	known := c.owed.knows()
	if len(known) == 0 {
		return
	}
	page, err := c.hub.List(ctx, &hub.Filter{Conversation: c.origin.Conversation, Unconsumed: true, Limit: 200})
	if err != nil {
		return // the next call finds them
	}
	for _, t := range page.Tickets {
		if !t.Open() && slices.ContainsFunc(known, func(k told) bool {
			return t.Changed() && k.handle == t.Handle || t.Again != nil && k.id == t.Again.Of
		}) {
			c.owed.add(t)
		}
	}
}

// addLate adds to a result what became of other asks since their calls ended.
// Each is told once: the hub is told first that the agent has it. One that can
// not be told now is for the next call.
func (c *call) addLate(ctx context.Context, r *sdk.CallToolResult) {
	own, _ := r.Meta["sayso/handle"].(string)
	c.changed(ctx)
	for _, debt := range c.owed.takeSome(maxLate) {
		t, err := c.hub.Get(ctx, debt.id)
		if errors.Is(err, hub.ErrNotFound) {
			continue // nobody knows it any more
		}
		if err != nil || t.Handle == own || t.Open() {
			c.owed.put(debt)
			continue
		}
		if !t.Consumed.IsZero() && !debt.vain || t.Outcome.By.Kind == sayso.ByAsker {
			continue // the agent has it, or wants it no more
		}
		if t, err = c.hub.Consume(ctx, t.Handle); err != nil {
			c.owed.put(debt)
			continue
		}
		if t.Replayed && !debt.vain {
			continue // another process was faster
		}
		if text, err := tool.Finish(t.Ask, t.Outcome); err == nil {
			news := "Meanwhile there is news of a question that you asked before (handle "
			if t.Changed() {
				news = "Meanwhile the user has changed the answer to a question that you asked before. This one replaces it (handle "
			}
			c.owed.note(t)
			r.Content = append(r.Content, &sdk.TextContent{Text: news + c.short(t) + "):\n\n" + sayso.RenderCall(t.Ask) + "\n\n" + text.Text})
		}
	}
}

// told notes what a result tells that may not arrive: the call may have ended
// meanwhile, or, over HTTP, the client may turn out to have gone.
func (c *call) told(ctx context.Context, r *sdk.CallToolResult) {
	id, _ := r.Meta["sayso/handle"].(string)
	switch {
	case id == "", r.Meta["sayso/status"] == string(sayso.StatusPending):
	case ctx.Err() != nil:
		c.owed.put(debt{id, c.tells, true})
	case c.http:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.telling = append(c.telling, debt{id, c.tells, true})
	}
}

// inVain owes what was told to a client that had gone.
func (c *caller) inVain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.telling {
		c.owed.put(d)
	}
}

// adopt takes on what other runs in the conversation left behind: asks of programs
// that are gone and whose outcome no agent has. It does so once, and again when
// another one may have gone.
func (c *call) adopt(ctx context.Context) {
	if c.origin.Conversation == "" {
		return
	}
	ends := c.d.opts.Ends()
	c.owed.mu.Lock()
	done := c.owed.adopted && c.owed.ends == ends
	c.owed.adopted, c.owed.ends = true, ends
	c.owed.mu.Unlock()
	if done {
		return
	}
	f := &hub.Filter{Conversation: c.origin.Conversation, Status: hub.AnyStatus, Limit: 200}
	for range 5 { // pages: what is further back is found by its handle
		page, err := c.hub.List(ctx, f)
		if err != nil {
			c.owed.mu.Lock()
			c.owed.adopted = false
			c.owed.mu.Unlock()
			return
		}
		for _, t := range page.Tickets {
			of := marked(t.Ask, "instance")
			if of == "" || of == c.d.opts.Instance || !t.Consumed.IsZero() || marked(t.Ask, "rung") == "permission" || !c.d.opts.Gone(of) {
				continue
			}
			c.owed.add(t)
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return
		}
	}
}
