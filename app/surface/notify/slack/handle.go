package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
)

// patience is how long the desk may take. An envelope that took longer than Slack waits
// is acknowledged nevertheless: it was taken.
const patience = 10 * time.Second

// The words of this package; all others are the notifier's.
const (
	sayCode = "To link your Slack account with your sayso inbox, send /sayso and a code. The inbox makes a code under Notifications, and so does the command: sayso notify add slack"
	tooLate = "Slack waited too long for sayso. Press the button again."
)

// handle brings an act to the desk and returns what to put into the acknowledgement,
// and what to do after it. An error means that there must be none.
func (c *Channel) handle(ctx context.Context, d notify.Desk, w *workspace, a *act) (reply any, after func(context.Context), err error) {
	if a.kind == "" || !a.from(w.Team, w.app) {
		return nil, nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	switch a.kind {
	case press:
		after, err = c.press(ctx, d, a)
		return nil, after, err
	case submit:
		return c.submit(ctx, d, a)
	}
	reply, err = c.link(ctx, d, w, a)
	return reply, nil, err
}

// press does what a button says.
func (c *Channel) press(ctx context.Context, d notify.Desk, a *act) (after func(context.Context), err error) {
	if len(a.value) > 256 { // none of ours
		return nil, nil
	}
	at := place{channel: a.channel, ts: a.message}
	changed := c.watch(at)
	c.step("arrived")
	r, err := d.Press(ctx, a.account(), a.value)
	if err != nil {
		return nil, err
	}
	c.step("taken")
	say := r.Text
	switch {
	case r.Words != nil:
		if say = ""; c.open(ctx, a.trigger, r.Words) != nil {
			say = tooLate
		}
	case r.Done && r.Stored: // the message changes and says so
		return func(ctx context.Context) { c.orphan(ctx, at, changed, r.Text) }, nil
	}
	if say == "" {
		return nil, nil
	}
	return func(ctx context.Context) { c.tell(ctx, a.channel, a.user, say) }, nil
}

// watch returns a channel that is closed when the message is changed.
func (c *Channel) watch(at place) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := at.String()
	w := c.watched[key]
	if w == nil {
		if len(c.watched) >= remembered {
			clear(c.watched)
		}
		w = make(chan struct{})
		c.watched[key] = w
	}
	return w
}

// changes notes that a message is about to be changed, or was sent.
func (c *Channel) changes(at place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := place{channel: at.channel, ts: at.ts}.String()
	c.ours.keep(key, nil)
	if w := c.watched[key]; w != nil {
		close(w)
		delete(c.watched, key)
	}
}

// orphan changes a message that was answered and that the notifier does not change,
// because the process died after it was sent and before that was written down.
func (c *Channel) orphan(ctx context.Context, at place, changed <-chan struct{}, s string) {
	select {
	case <-changed:
		return
	case <-ctx.Done():
		return
	case <-time.After(c.wait):
	}
	c.mu.Lock()
	_, ours := c.ours.find(at.String())
	c.mu.Unlock()
	if ours || !at.valid() { // pressed twice, for one
		return
	}
	m := &message{Channel: at.channel, TS: at.ts, Text: escape(clip(s, textMax)), Blocks: sections(clip(s, textMax)), Parse: "none", LinkNames: new(bool)}
	if err := c.call(ctx, c.bot, "chat.update", m, nil); err != nil {
		c.log.Warn("slack: an answered message could not be changed", "error", err)
	}
}

// open opens the form for own words. The trigger is good for three seconds, and once.
func (c *Channel) open(ctx context.Context, trigger string, w *notify.Words) error {
	err := c.call(ctx, c.bot, "views.open", map[string]any{"trigger_id": trigger, "view": form(w)}, nil)
	if err != nil {
		c.log.Warn("slack: the form for own words did not open", "error", err)
	}
	return err
}

// submit takes own words. A refusal leaves the form open, with the text.
func (c *Channel) submit(ctx context.Context, d notify.Desk, a *act) (reply any, after func(context.Context), err error) {
	if len(a.token) > 256 {
		a.token = "" // none of ours; the desk says so
	}
	c.step("arrived")
	r, err := d.Say(ctx, a.account(), notify.Place{Token: a.token}, a.value)
	if err != nil {
		return nil, nil, err
	}
	c.step("taken")
	if !r.Done {
		return map[string]any{"response_action": "errors", "errors": map[string]string{field: clip(label(r.Text), 1000)}}, nil, nil
	}
	return nil, func(ctx context.Context) { // the text may have been the label of an option
		if channel, err := c.dm(ctx, a.user); err == nil {
			c.tell(ctx, channel, a.user, r.Text)
		}
	}, nil
}

// link makes the account a contact of whoever made the code.
func (c *Channel) link(ctx context.Context, d notify.Desk, w *workspace, a *act) (reply any, err error) {
	if a.value == "" || len(a.value) > 128 || strings.ContainsAny(a.value, " \t\n") {
		return ephemeral(sayCode), nil
	}
	at, err := json.Marshal(address{Team: a.team, User: a.user})
	if err != nil {
		return nil, fmt.Errorf("slack: %w", err)
	}
	c.step("arrived")
	r, err := d.Link(ctx, a.value, &notify.Contact{
		Kind: notify.Slack, Name: clip("Slack, "+label(w.Name), 60), Account: a.account(), Address: at, Assurance: sayso.AssuranceKey,
	})
	if err != nil {
		return nil, err
	}
	c.step("taken")
	return ephemeral(r.Text), nil
}

// ephemeral is a reply to a slash command that only its sender sees.
func ephemeral(s string) any {
	return map[string]any{"response_type": "ephemeral", "text": escape(clip(s, textMax)), "blocks": sections(clip(s, textMax))}
}

// tell says something to the person in the direct message, which Slack does not keep. It is not
// repeated: the answer is stored or it is not, and the message says which.
func (c *Channel) tell(ctx context.Context, channel, user, s string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m := &message{Channel: channel, User: user, Text: escape(clip(s, textMax)), Blocks: sections(clip(s, textMax)), Parse: "none", LinkNames: new(bool)}
	if err := c.call(ctx, c.bot, "chat.postEphemeral", m, nil); err != nil {
		c.log.Warn("slack: a reply did not arrive", "error", err)
	}
}

// answered remembers the acknowledgements of the last envelopes.
type answered struct {
	acks map[string][]byte
	ring []string
}

const remembered = 512

// find returns what was sent for the envelope.
func (a *answered) find(id string) ([]byte, bool) {
	ack, ok := a.acks[id]
	return ack, ok
}

// keep keeps what is sent for the envelope.
func (a *answered) keep(id string, ack []byte) {
	if a.acks == nil {
		a.acks = map[string][]byte{}
	}
	if _, ok := a.acks[id]; !ok {
		a.ring = append(a.ring, id)
	}
	a.acks[id] = ack
	if len(a.ring) > remembered {
		delete(a.acks, a.ring[0])
		a.ring = a.ring[1:]
	}
}
