package hub

import (
	"time"

	"github.com/saysohq/sayso"
)

// Rule decides about approvals in the place of a person: see [Options].Decide. The
// program sayso keeps rules in records of the kind [KindRule] and has the code that
// reads and applies them; this is what they consist of.
type Rule struct {
	ID   string    `json:"id"`
	Act  RuleAct   `json:"act"`
	By   string    `json:"by,omitempty"` // the person who made it; empty: the only person there is
	Made time.Time `json:"made"`
	Note string    `json:"note,omitempty"`

	Exact   *RuleExact   `json:"exact,omitempty"`   // of a rule that allows, and of no other
	Pattern *RulePattern `json:"pattern,omitempty"` // of a rule that denies or requires

	// A rule that allows ends: with the conversation, after a time, or after some uses.
	Session string    `json:"session,omitempty"` // only in this conversation
	Until   time.Time `json:"until,omitzero"`
	Count   int       `json:"count,omitempty"` // zero: as often as it matches
	Used    int       `json:"used,omitempty"`  // times that it allowed something
	Last    time.Time `json:"last,omitzero"`   // when it last did

	Message string `json:"message,omitempty"` // of a rule that denies: for the model

	People    []string        `json:"people,omitempty"`    // of a rule that requires: who has to answer
	Assurance sayso.Assurance `json:"assurance,omitempty"` // and how sure the hub has to be of them

	Revoked   time.Time `json:"revoked,omitzero"`
	RevokedBy string    `json:"revokedBy,omitempty"`
}

// RuleAct is what a rule does.
type RuleAct string

// What rules do. One that denies counts before one that requires, and that before one
// that allows.
const (
	RuleAllow   RuleAct = "allow"
	RuleDeny    RuleAct = "deny"
	RuleRequire RuleAct = "require" // a named person has to answer
)

// RuleExact is one tool call, as it was asked for once. Everything has to be the same.
type RuleExact struct {
	Asker     string   `json:"asker,omitempty"` // whose credential asked, and which way
	Via       string   `json:"via,omitempty"`
	Host      string   `json:"host,omitempty"`
	Agents    []string `json:"agents,omitempty"`
	Workspace string   `json:"workspace,omitempty"`
	Cwd       string   `json:"cwd,omitempty"`

	Kind    sayso.ApprovalKind `json:"kind"`
	Tool    string             `json:"tool"`
	Input   string             `json:"input"`           // the SHA-256 of the bytes that run
	Files   string             `json:"files,omitempty"` // one of the files before and after; empty: it is about none
	Shown   string             `json:"shown"`           // one of everything that people are shown of it
	Why     []string           `json:"why,omitempty"`
	Mode    string             `json:"mode,omitempty"`
	Missing []string           `json:"missing,omitempty"`

	Summary string `json:"summary"` // for people: nothing depends on it
}

// RulePattern selects approvals. Every field that is set has to match. In Tool, Host,
// Agent, Workspace and Cwd, * stands for anything.
type RulePattern struct {
	Tool      string             `json:"tool,omitempty"`
	Kind      sayso.ApprovalKind `json:"kind,omitempty"`
	Host      string             `json:"host,omitempty"`
	Agent     string             `json:"agent,omitempty"` // one in the chain of agents
	Workspace string             `json:"workspace,omitempty"`
	Cwd       string             `json:"cwd,omitempty"`
	Contains  string             `json:"contains,omitempty"` // a text in what runs, or in the path of a file
	Regexp    string             `json:"regexp,omitempty"`   // the same, as a regular expression of Go
}
