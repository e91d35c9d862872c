package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// attend waits until the ask is closed, here or anywhere, or until the limit (if
// it is not zero) has passed. It returns the ticket as it is then, which is open
// if the person here left it for later.
func (p *program) attend(ctx context.Context, c *client.Client, t *hub.Ticket, limit time.Duration) (*hub.Ticket, error) {
	within := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	got, err := p.watchOver(within, c, t)
	if err != nil && ctx.Err() == nil && errors.Is(within.Err(), context.DeadlineExceeded) {
		return t, nil
	}
	return got, err
}

func (p *program) watchOver(ctx context.Context, c *client.Client, t *hub.Ticket) (*hub.Ticket, error) {
	if t.Ask.MinAssurance == sayso.AssuranceLocal && len(t.Ask.To) == 0 {
		here, err := p.here()
		if err == nil {
			defer here.Close()
			return here.Answer(ctx, c.Inbox(), t)
		}
		if !errors.Is(err, errNobodyHere) {
			return nil, err
		}
	}
	stop := p.sayWaiting(t)
	got, err := c.Wait(ctx, t.Handle)
	stop()
	if err == nil {
		p.Say("%s", told(got))
	}
	return got, err
}

// told says who closed an ask, and not with what: that is the result.
func told(t *hub.Ticket) string {
	by := t.Outcome.By
	line := string(t.Outcome.Status)
	if by.ID != "" {
		line += " by " + by.ID
	}
	if by.Surface != "" {
		line += " on " + by.Surface
	}
	return line
}

// sayWaiting tells the person what is waited for, and on a terminal for how long.
func (p *program) sayWaiting(t *hub.Ticket) (stop func()) {
	p.Say("waiting for an answer: %s (%s)\nthe user answers with: sayso inbox", sayso.Title(t.Ask), t.Ask.ID)
	if !console.IsTerminal(p.Err) || p.isPlain() {
		return func() {}
	}
	done := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		begin := time.Now()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				fmt.Fprint(p.Err, "\r\x1b[K")
				return
			case now := <-tick.C:
				fmt.Fprintf(p.Err, "\r\x1b[K%s", now.Sub(begin).Round(time.Second))
			}
		}
	})
	return func() { close(done); work.Wait() }
}

// isPlain reports whether the person wants lines and no drawing.
func (p *program) isPlain() bool { return p.plain || p.Plain() }
