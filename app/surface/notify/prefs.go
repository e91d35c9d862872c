package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Prefs are what a person wants of all notifications. The zero value is the default.
type Prefs struct {
	Quiet  *Quiet    `json:"quiet,omitempty"`  // nil: no quiet hours
	Until  time.Time `json:"until,omitzero"`   // nothing is told before; what waits then is told as one
	Mutes  []Mute    `json:"mutes,omitempty"`  // nothing is told of these
	Shared bool      `json:"shared,omitempty"` // also of asks to nobody in particular. The owner of a hub is told of all
}

// Quiet are hours of every day in which nothing is told. What waits at their end is
// told as one.
type Quiet struct {
	From      string `json:"from"`                // 22:00
	To        string `json:"to"`                  // 07:00
	Zone      string `json:"zone"`                // Europe/Berlin
	Deadlines bool   `json:"deadlines,omitempty"` // what expires in these hours is told all the same

	zone *time.Location // of Zone, once it is known
}

// Mute keeps the asks of an agent, or of a workspace, from being told. They are in the
// inbox all the same.
type Mute struct {
	Agent     string    `json:"agent,omitempty"` // as [sayso.Origin.ClaimedName] has it; empty: any
	Workspace string    `json:"workspace,omitempty"`
	Until     time.Time `json:"until,omitzero"` // zero: for ever
}

// clone returns a copy that shares nothing that changes.
func (p *Prefs) clone() Prefs {
	c := *p
	if p.Quiet != nil {
		q := *p.Quiet
		c.Quiet = &q
	}
	return c
}

// Check says what is wrong with the preferences.
func (p *Prefs) Check() error {
	if q := p.Quiet; q != nil {
		if _, err := time.LoadLocation(q.Zone); err != nil || q.Zone == "" || q.Zone == "Local" {
			return fmt.Errorf("unknown time zone %q; use a name such as Europe/Berlin", q.Zone)
		}
		from, to := clock(q.From), clock(q.To)
		if from < 0 || to < 0 || from == to {
			return fmt.Errorf("invalid quiet hours %q to %q; use two different times such as 22:00 and 07:00", q.From, q.To)
		}
	}
	for _, m := range p.Mutes {
		if m.Agent == "" && m.Workspace == "" {
			return fmt.Errorf("a mute needs an agent or a workspace")
		}
	}
	return nil
}

// clock returns the minutes since midnight, or -1.
func clock(s string) int {
	t, err := time.Parse("15:04", strings.TrimSpace(s))
	if err != nil {
		return -1
	}
	return t.Hour()*60 + t.Minute()
}

// quietUntil returns when the person may be told again, which is now unless these are
// quiet hours, or everything is muted.
func (p *Prefs) quietUntil(now time.Time) time.Time {
	until := now
	for range 3 { // the end of the one may be within the other
		if p.Until.After(until) {
			until = p.Until
		}
		if end := p.Quiet.end(until); end.After(until) {
			until = end
		}
	}
	return until
}

// end returns the end of the quiet hours in which a moment lies, or that moment.
func (q *Quiet) end(at time.Time) time.Time {
	if q == nil {
		return at
	}
	if q.zone == nil || q.zone.String() != q.Zone {
		zone, err := time.LoadLocation(q.Zone)
		if err != nil {
			return at
		}
		q.zone = zone
	}
	from, to := clock(q.From), clock(q.To)
	if from < 0 || to < 0 {
		return at
	}
	local := at.In(q.zone)
	minute := local.Hour()*60 + local.Minute()
	day := 0
	switch {
	case from < to && (minute < from || minute >= to), from > to && minute >= to && minute < from:
		return at
	case from > to && minute >= from:
		day = 1
	}
	end := time.Date(local.Year(), local.Month(), local.Day()+day, to/60, to%60, 0, 0, q.zone)
	if !end.After(at) { // the clocks were put forward over it
		return at
	}
	return end
}

// breaks reports whether an ask is told in quiet hours: it expires in them, and the
// person wants that.
func (p *Prefs) breaks(t *hub.Ticket, until time.Time) bool {
	return p.Quiet != nil && p.Quiet.Deadlines && !t.Ask.Deadline.IsZero() && !t.Ask.Deadline.After(until)
}

// muted returns until when nothing is told of the ask: never, if that is zero.
func (p *Prefs) muted(t *hub.Ticket, now time.Time) (yes bool, until time.Time) {
	o := t.Ask.Origin
	for _, m := range p.Mutes {
		if !m.Until.IsZero() && !now.Before(m.Until) {
			continue
		}
		if (m.Agent == "" || m.Agent == o.ClaimedName()) && (m.Workspace == "" || m.Workspace == sayso.SafeLine(o.Workspace)) {
			if m.Until.IsZero() {
				return true, time.Time{}
			}
			if !yes || m.Until.After(until) {
				yes, until = true, m.Until
			}
		}
	}
	return yes, until
}
