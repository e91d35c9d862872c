package api

import (
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// RuleRequest is a rule that a person wants to make.
type RuleRequest struct {
	Act     hub.RuleAct     `json:"act" enum:"allow,deny,require" doc:"What the rule does."`
	Ask     string          `json:"ask,omitempty" maxLength:"1400" doc:"With allow: the approval that the person has allowed, by the id of its ticket. The rule allows exactly that again, and nothing else."`
	Session bool            `json:"session,omitempty" doc:"With allow: it ends with the conversation of that approval."`
	Seconds int64           `json:"seconds,omitempty" minimum:"0" maximum:"2592000" doc:"It ends after so many seconds; at most 30 days. Required for allow, unless session or count is set; it then ends after 30 days."`
	Count   int             `json:"count,omitempty" minimum:"0" maximum:"1000000" doc:"With allow: it ends after so many uses."`
	Pattern hub.RulePattern `json:"pattern,omitzero" doc:"With deny and require: which approvals. Every field that is set has to match."`
	Message string          `json:"message,omitempty" maxLength:"512" doc:"With deny: what the model is told."`
	People  []string        `json:"people,omitempty" maxItems:"32" doc:"With require: who has to answer."`

	Assurance sayso.Assurance `json:"assurance,omitempty" minimum:"0" maximum:"3" doc:"With require: how sure the hub must be of who answers."`
	Note      string          `json:"note,omitempty" maxLength:"512" doc:"For people."`
	Last      int             `json:"last,omitempty" minimum:"0" maximum:"1000" doc:"In a rehearsal: how many of the person's last decisions it looks at. Default: 200."`
}

// RuleList is the rules that somebody may see.
type RuleList struct {
	Rules []hub.Rule `json:"rules" nullable:"false" doc:"In the order in which they were made. Those that ended are among them for a while."`
}

// Rehearsal is what a rule would have done to approvals that the person decided.
type Rehearsal struct {
	Text   string   `json:"text" doc:"All of it in a sentence or two."`
	Of     int      `json:"of" doc:"How many approvals were looked at: the last ones that the person decided."`
	Would  int      `json:"would" doc:"How many the rule would have decided, or left to the people it names."`
	Match  int      `json:"match" doc:"How many it matches: more than would, if it had ended before."`
	Other  []Differ `json:"other" nullable:"false" doc:"Where the person decided otherwise, the latest first; at most 20."`
	Unread int      `json:"unread,omitempty" doc:"How many could not be read whole."`
}

// Differ is an approval that a person decided otherwise than a rule would have.
type Differ struct {
	Ask     string    `json:"ask" doc:"The asker's own name for it."`
	At      time.Time `json:"at" doc:"When it was decided."`
	Summary string    `json:"summary" doc:"What it was about, in one line."`
	Allowed bool      `json:"allowed" doc:"Whether the person allowed it."`
}

// Explanation says which rule decided about an approval, or why none did.
type Explanation struct {
	Text string    `json:"text" doc:"In words."`
	Rule *hub.Rule `json:"rule,omitempty" doc:"The rule that decided; absent if none did, or if it is not the caller's to see."`
	Near []Miss    `json:"near" nullable:"false" doc:"Rules that did not, the nearest first; at most 5. They are compared as they are now."`
}

// Miss is a rule that does not match an approval.
type Miss struct {
	Rule string   `json:"rule" doc:"The id of the rule."`
	Why  []string `json:"why" nullable:"false" doc:"What is different; empty if it would match now."`
}
