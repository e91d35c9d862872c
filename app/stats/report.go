package stats

import (
	"context"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Report is what the asks of a period cost, and how they ended.
type Report struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`

	Asked     int `json:"asked"`     // in the period
	Open      int `json:"open"`      // now, whenever they were asked
	Answered  int `json:"answered"`  // in the period, as all below
	Declined  int `json:"declined"`  //
	Expired   int `json:"expired"`   //
	Withdrawn int `json:"withdrawn"` // cancelled or superseded
	Other     int `json:"other"`     // closed in another way

	Blocked Seconds `json:"blockedSeconds"` // asks that wait in one conversation at the same time count once
	Times

	Agents []Group `json:"agents,omitempty"` // as they call themselves
	Askers []Group `json:"askers,omitempty"` // as the hub knows them
	Kinds  []Group `json:"kinds,omitempty"`  // text, choice, choices, several; shell, edit and so on
	People []Group `json:"people,omitempty"` // who answered or declined
	Weeks  []Week  `json:"weeks,omitempty"`  // from the first to the last, without gaps

	Repeated []Repeat    `json:"repeated,omitempty"` // identical questions, the most frequent first
	Again    int         `json:"again"`              // asks that were the repeat of another
	Rules    []RuleCount `json:"rules,omitempty"`    // how many questions each rule found
	Findings []Finding   `json:"findings,omitempty"` // the newest of each rule

	Damaged int  `json:"damaged,omitempty"` // records that could not be read
	Cut     bool `json:"cut,omitempty"`     // there are more asks than a report counts
}

// Seconds is a duration, in seconds where it is encoded.
type Seconds int64

// Duration returns it as Go has it.
func (s Seconds) Duration() time.Duration { return time.Duration(s) * time.Second }

// Times say how long people took to answer.
type Times struct {
	N   int     `json:"timed"` // answers that a person gave
	P50 Seconds `json:"p50Seconds"`
	P90 Seconds `json:"p90Seconds"`
}

// Group is the part of a report that is about one agent, asker, kind or person.
type Group struct {
	Name     string  `json:"name"` // empty: not known
	Asked    int     `json:"asked"`
	Answered int     `json:"answered"`
	Declined int     `json:"declined"`
	Expired  int     `json:"expired"`
	Blocked  Seconds `json:"blockedSeconds"`
	Times
}

// Week is the part of a report that is about one week, from its Monday.
type Week struct {
	Start    time.Time `json:"start"`
	Asked    int       `json:"asked"`
	Answered int       `json:"answered"`
	Declined int       `json:"declined"`
	Expired  int       `json:"expired"`
	Blocked  Seconds   `json:"blockedSeconds"`
}

// Repeat is a question that was asked more than once in the period.
type Repeat struct {
	Text   string      `json:"text"`
	Digest string      `json:"digest"`
	Asked  int         `json:"asked"`
	Last   time.Time   `json:"last"`
	Ask    hub.Address `json:"-"` // the last one
	ID     string      `json:"id"`
	Handle string      `json:"handle,omitempty"`
}

// RuleCount is how many questions a rule found.
type RuleCount struct {
	Rule  Rule `json:"rule"`
	Found int  `json:"found"`
}

// Lister is what a report is made of: [hub.Inbox] is one.
type Lister interface {
	List(ctx context.Context, f *hub.Filter) (*hub.Tickets, error)
}

// Options change what a report is about. Nil, and empty fields, mean the defaults.
type Options struct {
	Now   time.Time      // default: the time of the clock
	Since time.Time      // default: [Period] before Now
	Zone  *time.Location // in which weeks begin; default UTC

	// Handle names an ask to its reader; default: its Handle.
	Handle func(hub.Address) string

	most int // asks; default a million
}

// Period is what a report is about by default.
const Period = 30 * 24 * time.Hour

// Make reads everything that the inbox lists and returns the report of a period.
func Make(ctx context.Context, in Lister, o *Options) (*Report, error) {
	c := newCollector(o)
	for f := (&hub.Filter{Status: hub.AnyStatus, Limit: 1000}); ; {
		page, err := in.List(ctx, f)
		if err != nil {
			return nil, err
		}
		c.damaged += len(page.Damaged)
		for _, t := range page.Tickets {
			c.add(t)
		}
		if f.Cursor = page.Next; f.Cursor == "" || c.cut {
			return c.report(), nil
		}
	}
}
