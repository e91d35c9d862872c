package slack

import (
	"context"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// SetStep has a test look at every step.
func (c *Channel) SetStep(step func(string)) { c.step = step }

// SetBeat sets the time between two pings.
func (c *Channel) SetBeat(d time.Duration) { c.beat = d }

// SetWait sets how long the notifier has to change an answered message.
func (c *Channel) SetWait(d time.Duration) { c.wait = d }

// Parse reads an envelope, for the fuzz test: its id, and who did what.
func Parse(data []byte) (id, kind, account string, ours bool) {
	e, a := parse(data)
	if e == nil {
		return "", "", "", false
	}
	return e.ID, a.kind, a.account(), a.from("T0WORK", "A0SAYSO")
}

// Sections are the texts of the blocks that show a text, and Size how it is counted.
func Sections(s string) []string {
	var all []string
	for _, b := range sections(s) {
		all = append(all, b.Text.Text)
	}
	return all
}

// Size is how a text is counted.
func Size(s string) int { return size(s) }

// Once is one connection.
func (c *Channel) Once(ctx context.Context, d notify.Desk) error {
	return c.connected(ctx, d, new(workspace))
}
