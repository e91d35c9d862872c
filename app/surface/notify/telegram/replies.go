package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Replies polls for what people do in their chats, until ctx ends. It gives up if the
// token is wrong, or if another program polls with it.
//
// The order is all that matters here: an update is handled, then the place is kept, and
// only the poll after that confirms it. Telegram repeats whatever was not confirmed,
// for 24 hours.
func (c *Channel) Replies(ctx context.Context, d notify.Desk) error {
	var offset int64
	if err := c.insist(ctx, "the place could not be read", func() error {
		kept, err := d.Place(ctx)
		offset, _ = strconv.ParseInt(kept, 10, 64)
		return err
	}); err != nil {
		return err
	}
	for failures := 0; ; {
		got, err := c.poll(ctx, offset)
		var e *apiError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &e) && (e.Code == http.StatusUnauthorized || e.Code == http.StatusNotFound || e.Code == http.StatusConflict):
			return explain(err)
		case errors.As(err, &e) && e.wait() > 0:
			if err := pause(ctx, e.wait()); err != nil {
				return err
			}
			continue
		case c.api.bad != nil:
			return c.api.bad
		case err != nil:
			failures++
			c.log.WarnContext(ctx, "polling failed", "error", err)
			if err := pause(ctx, backoff(failures)); err != nil {
				return err
			}
			continue
		}
		failures = 0
		next, err := c.handleAll(ctx, d, got, offset)
		if err != nil {
			return err
		}
		offset = next
	}
}

func (c *Channel) poll(ctx context.Context, offset int64) ([]json.RawMessage, error) {
	var got []json.RawMessage
	err := c.api.call(ctx, "getUpdates", &getUpdates{Offset: offset, Limit: 100, Timeout: int(pollFor / time.Second), Allowed: []string{"message", "callback_query"}}, &got)
	return got, err
}

// handleAll handles updates in order and returns the offset that confirms them. The
// place is kept after each one that changed something, and at the end: strangers can
// send many, and should not make the hub write for each.
func (c *Channel) handleAll(ctx context.Context, d notify.Desk, got []json.RawMessage, offset int64) (int64, error) {
	kept := offset
	keep := func() error {
		if kept == offset {
			return nil
		}
		err := c.insist(ctx, "the place could not be kept", func() error { return d.Keep(ctx, strconv.FormatInt(offset, 10)) })
		kept = offset
		return err
	}
	for _, data := range got {
		u, err := parse(data)
		if err != nil {
			return offset, err
		}
		h := &handling{c: c, d: d}
		if err := c.insist(ctx, "an update could not be handled", func() error { return h.update(ctx, u) }); err != nil {
			return offset, err
		}
		// Not the largest one so far: after a week of silence Telegram begins anew,
		// anywhere.
		offset = u.ID + 1
		if h.changed {
			if err := keep(); err != nil {
				return offset, err
			}
		}
	}
	return offset, keep()
}

// insist does something until it succeeds or ctx ends.
func (c *Channel) insist(ctx context.Context, failing string, do func() error) error {
	for failures := 1; ; failures++ {
		err := do()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.log.WarnContext(ctx, failing, "error", err, "failures", failures)
		if err := pause(ctx, backoff(failures)); err != nil {
			return err
		}
	}
}

// backoff is the pause after so many failures: a tenth of a second, up to half a minute.
func backoff(failures int) time.Duration {
	return min(100*time.Millisecond<<min(failures-1, 10), 30*time.Second)
}
