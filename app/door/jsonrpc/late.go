package jsonrpc

import (
	"cmp"
	"context"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// late is what came after its call had ended.
type late struct {
	ID     string       `json:"id"`
	Title  string       `json:"title"`
	Status sayso.Status `json:"status"`
	Text   string       `json:"text"` // what the model would have read
}

// late returns what the session was not told yet, and how many of its asks are
// open.
func (s *session) late(ctx context.Context, conversation string) ([]late, int, error) {
	tickets, open, err := hub.TakeLate(ctx, s.hub, cmp.Or(conversation, s.opts.Origin.Conversation), time.Now())
	var all []late // what was taken is told, whatever went wrong behind it
	for _, t := range tickets {
		text := sayso.RenderResult(t.Ask, t.Outcome)
		if r, err := finish(toolOf(t.Ask), t.Handle, t.Ask, t.Outcome); err == nil {
			text = r.Text
		}
		all = append(all, late{ID: t.Handle, Title: sayso.Title(t.Ask), Status: t.Status(), Text: text})
	}
	if len(all) > 0 {
		err = nil
	}
	return all, open, err
}

// toolOf returns the tool that asked.
func toolOf(a *sayso.Ask) *sayso.Tool {
	d, ok := dialect.ByName(a.Dialect)
	if !ok {
		d = dialect.Text
	}
	return &sayso.Tool{Dialect: d}
}

func (s *session) lateAnswers(ctx context.Context, _ *jrpc2.Request, p *struct {
	Session string `json:"session_id"`
}) (any, error) {
	all, open, err := s.late(ctx, p.Session)
	if err != nil {
		return nil, failed(ctx, "", err)
	}
	if all == nil {
		all = []late{}
	}
	return map[string]any{"late": all, "open": open}, nil
}

func (s *session) checkAnswer(ctx context.Context, _ *jrpc2.Request, p *struct {
	ID   string  `json:"id"`
	Wait float64 `json:"wait"`
}) (any, error) {
	t, err := s.hub.Get(ctx, p.ID)
	if err != nil {
		return nil, failed(ctx, "", err)
	}
	if t.Open() && p.Wait <= 0 {
		return finish(toolOf(t.Ask), t.Handle, t.Ask, &sayso.Outcome{Status: sayso.StatusPending})
	}
	return s.await(ctx, toolOf(t.Ask), t, seconds(p.Wait))
}

func (s *session) withdraw(ctx context.Context, _ *jrpc2.Request, p *struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}) (any, error) {
	t, err := s.hub.Withdraw(ctx, p.ID, sayso.StatusCancelled, p.Reason)
	if winner := closedBy(err); winner != nil {
		t, err = winner, nil
	}
	if err != nil {
		return nil, failed(ctx, "", err)
	}
	return map[string]any{"id": t.Handle, "status": t.Status()}, nil
}
