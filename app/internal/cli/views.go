package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// ticketJSON is an ask as --json prints it.
type ticketJSON struct {
	ID      string         `json:"id"`
	Status  sayso.Status   `json:"status"`
	Digest  string         `json:"digest"`
	Ask     *sayso.Ask     `json:"ask"`
	Outcome *sayso.Outcome `json:"outcome,omitempty"`
	Held    *hub.Held      `json:"held,omitempty"`
	Passed  []hub.Passed   `json:"passed,omitempty"`
	Again   *hub.Again     `json:"again,omitempty"`
	History []hub.Entry    `json:"history,omitempty"`
	Handle  string         `json:"handle"`

	// Whole is the digest for an answer to a permission request of which everything was
	// shown, also what is stored beside it: ask has all of it then.
	Whole string `json:"wholeDigest,omitempty"`
}

// printTickets prints a list for programs.
func (p *program) printTickets(tickets []*hub.Ticket) error {
	views := []ticketJSON{}
	for _, t := range tickets {
		views = append(views, viewOf(t))
	}
	return p.PrintJSON(map[string]any{"asks": views})
}

func viewOf(t *hub.Ticket) ticketJSON {
	return ticketJSON{ID: t.Ask.ID, Passed: t.Passed, Again: t.Again, Handle: t.Handle, Status: t.Status(), Digest: t.Digest, Ask: t.Ask, Outcome: t.Outcome, Held: t.Held, History: t.History}
}

// resultJSON is an outcome as --json prints it.
type resultJSON struct {
	ID     string `json:"id,omitempty"`
	Digest string `json:"digest,omitempty"`
	*sayso.Outcome
	Result *toolJSON `json:"result,omitempty"` // of a tool call: what its model reads
}

type toolJSON struct {
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	StopTurn   bool            `json:"stopTurn,omitempty"`
}

func resultOf(a *sayso.Ask, o *sayso.Outcome, r *sayso.Result) resultJSON {
	out := resultJSON{ID: a.ID, Digest: a.Digest(), Outcome: o}
	if r != nil {
		out.Result = &toolJSON{r.Text, r.Structured, r.IsError, r.StopTurn}
	}
	return out
}

// plainAnswer is the answer for a shell: each choice on its line, spelled as the
// asker did, and then the person's own words.
func plainAnswer(a *sayso.Ask, o *sayso.Outcome) string {
	var lines []string
	for _, ans := range o.Answers {
		q := a.Question(ans.QuestionID)
		for _, id := range ans.Selected {
			lines = append(lines, q.Option(id).LabelAsAsked()) // Check has seen that there is one
		}
		for _, words := range []string{ans.Other, ans.Note} {
			if words != "" {
				lines = append(lines, words)
			}
		}
	}
	if o.Reply != "" {
		lines = append(lines, o.Reply)
	}
	return strings.Join(lines, "\n")
}

// age says how long ago, in the largest unit that fits.
func age(since time.Time, now time.Time) string { return short(now.Sub(since)) }

// remaining says how long something still lasts: what was given three hours has 3h a
// moment later, too.
func remaining(d time.Duration) string {
	switch {
	case d > 48*time.Hour:
		d = d.Round(24 * time.Hour)
	case d > time.Hour:
		d = d.Round(time.Hour)
	case d > time.Minute:
		d = d.Round(time.Minute)
	}
	return short(d)
}

func short(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
