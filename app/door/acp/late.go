package acp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// tellLate puts what people said to earlier questions of the session, after the
// agent had stopped waiting, in front of a prompt.
func (p *proxy) tellLate(ctx context.Context, line []byte, m *message) []byte {
	var to struct {
		Session string `json:"sessionId"`
	}
	if sayso.CheckJSON(line) != nil || json.Unmarshal(m.Params, &to) != nil || to.Session == "" || p.isQuiet(to.Session) {
		return line
	}
	msg, params := map[string]raw{}, map[string]raw{}
	var prompt []raw
	if json.Unmarshal(line, &msg) != nil || json.Unmarshal(m.Params, &params) != nil || json.Unmarshal(params["prompt"], &prompt) != nil {
		return line
	}
	ctx, cancel := context.WithTimeout(ctx, hubTime)
	defer cancel()
	p.endApprovals(ctx, to.Session)
	late, open, err := hub.TakeLate(ctx, p.hub, to.Session, time.Now())
	if len(late) == 0 {
		if err == nil && open == 0 {
			p.beQuiet(ctx, to.Session)
		}
		return line
	}
	block, err := json.Marshal(map[string]string{"type": "text", "text": hub.LateText(late)})
	if err != nil {
		return line
	}
	if params["prompt"], err = json.Marshal(append([]raw{block}, prompt...)); err != nil {
		return line
	}
	if msg["params"], err = json.Marshal(params); err != nil {
		return line
	}
	out, err := json.Marshal(msg)
	if err != nil {
		return line
	}
	return out
}

// endApprovals closes what an earlier proxy of the session left open when it was
// killed: the calls no longer wait.
func (p *proxy) endApprovals(ctx context.Context, session string) {
	p.mu.Lock()
	waiting := map[string]bool{}
	for _, a := range p.asked {
		waiting[a.ask] = true
	}
	p.mu.Unlock()
	hub.Each(ctx, p.hub, &hub.Filter{Conversation: session, Status: sayso.StatusPending}, func(t *hub.Ticket) bool {
		if t.Ask.Approval != nil && t.Ask.Dialect == sayso.ApprovalDialect && !waiting[t.Ask.ID] {
			p.hub.Withdraw(ctx, t.Handle, sayso.StatusCancelled, "the agent has gone")
		}
		return ctx.Err() == nil
	})
}

// beQuiet notes that nothing of the session can be late, if it never asked anything: an
// answer that the agent has may be changed, and a question asked again.
func (p *proxy) beQuiet(ctx context.Context, session string) {
	page, err := p.hub.List(ctx, &hub.Filter{Conversation: session, Status: hub.AnyStatus, Limit: 1})
	if err != nil || len(page.Tickets) > 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet[session] = true
}

// isQuiet reports whether nothing of the session can be late: it was looked up, and
// nothing was asked since.
func (p *proxy) isQuiet(session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quiet[session]
}
