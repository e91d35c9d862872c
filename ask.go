package sayso

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// Ask is one request: questions that belong together and are answered together.
type Ask struct {
	// ID names the ask everywhere. Prepare derives it from the conversation, the
	// tool call, the questions and Final, so that the same call made again (after a
	// crash, say) is the same ask. It is empty when the caller has no tool call
	// id; whoever stores the ask then names it.
	ID        string         `json:"id"`
	Kind      AskKind        `json:"kind,omitempty"`     // default: AskQuestions
	Questions []Question     `json:"questions"`          // of an approval, one that Normalize makes
	Approval  *Approval      `json:"approval,omitempty"` // of an ask of the kind AskApproval
	Origin    Origin         `json:"origin,omitzero"`
	To        []string       `json:"to,omitempty"`      // who may answer; empty: whoever the hub's policy lets answer
	Dialect   string         `json:"dialect,omitempty"` // the dialect the call was spelled in
	Metadata  map[string]any `json:"metadata,omitempty"`
	AskedAt   time.Time      `json:"askedAt,omitzero"`
	Deadline  time.Time      `json:"deadline,omitzero"` // zero: wait for ever, the default
	OnExpiry  Expiry         `json:"onExpiry,omitzero"`

	// MinAssurance is the least certainty about the person that this ask
	// accepts; zero accepts any.
	MinAssurance Assurance `json:"minAssurance,omitempty"`

	// Final says that the answer cannot be undone if the asker is waiting for it at
	// the hub that stores it: the hub stores the answer as received, in one write
	// instead of two. People are told so before they answer ([FinalNotice]). If
	// nobody waits there, the answer can be undone until the asker has it, as always.
	//
	// It is for askers that act at once, or ask again rather than look for a late
	// answer: one that stops waiting in the moment of the answer still gets it with
	// the same ask or its handle, but a hub no longer announces it as late.
	Final bool `json:"final,omitempty"`
}

// FinalNotice is what a surface says of a final ask before it is answered.
const FinalNotice = "Your answer is final while the agent waits: you cannot undo it."

// Origin says where an ask comes from. It is told by the host, not by the model.
type Origin struct {
	Conversation string   `json:"conversation,omitempty"`
	ToolCall     string   `json:"toolCall,omitempty"`
	Agents       []string `json:"agents,omitempty"` // who asks, top agent first: planner, researcher
	Host         string   `json:"host,omitempty"`   // the program: "claude-code"
	Workspace    string   `json:"workspace,omitempty"`
	Branch       string   `json:"branch,omitempty"`

	// Traceparent ties the ask to a trace, as in W3C Trace Context: see [TraceID]. It
	// goes with the ask wherever that goes, and changes nothing about it.
	Traceparent string `json:"traceparent,omitempty"`

	// Asker is whose credential the ask came with, and Via the way it came:
	// "socket", "http", "mcp". A server sets both, whatever the ask says, so that
	// a surface can trust them; everything above is only what the asker claims.
	Asker string `json:"asker,omitempty"`
	Via   string `json:"via,omitempty"`
}

// IsZero reports whether nothing is known about the origin.
func (o Origin) IsZero() bool {
	return o.Conversation == "" && o.ToolCall == "" && len(o.Agents) == 0 &&
		o.Host == "" && o.Workspace == "" && o.Branch == "" && o.Traceparent == "" && o.Asker == "" && o.Via == ""
}

// Expiry is what the asker declared for the case that the deadline passes. The
// zero value is the default: an expired ask has no answer.
type Expiry struct {
	// Default is reported, with StatusExpired and never as a person's answer,
	// when the deadline passes.
	Default []Answer `json:"default,omitempty"`
}

// IsZero reports whether nothing was declared.
func (e Expiry) IsZero() bool { return len(e.Default) == 0 }

// Question returns the question with the given id, or nil.
func (a *Ask) Question(id string) *Question {
	for i := range a.Questions {
		if a.Questions[i].ID == id {
			return &a.Questions[i]
		}
	}
	return nil
}

// Clone returns a copy that shares nothing mutable with a, except Metadata.
func (a *Ask) Clone() *Ask {
	c := *a
	c.Questions = slices.Clone(a.Questions)
	for i := range c.Questions {
		c.Questions[i].Options = slices.Clone(c.Questions[i].Options)
	}
	if a.Approval != nil {
		p := *a.Approval
		p.Shown, p.Files, p.Offers = slices.Clone(p.Shown), slices.Clone(p.Files), slices.Clone(p.Offers)
		p.Why, p.Missing = slices.Clone(p.Why), slices.Clone(p.Missing)
		c.Approval = &p
	}
	c.Origin.Agents = slices.Clone(a.Origin.Agents)
	c.To = slices.Clone(a.To)
	c.OnExpiry.Default = slices.Clone(a.OnExpiry.Default)
	for i := range c.OnExpiry.Default {
		c.OnExpiry.Default[i].Selected = slices.Clone(c.OnExpiry.Default[i].Selected)
	}
	return &c
}

// DeriveID returns the id of an ask with this origin and these questions. It
// needs a tool call id and returns "" without one: two asks that merely look
// alike are not the same ask.
func (a *Ask) DeriveID() string {
	if a.Origin.ToolCall == "" {
		return ""
	}
	b := make([]byte, 0, usualSize)
	b = appendPart(b, "sayso ask 1")
	b = appendPart(b, a.Origin.Conversation)
	b = appendPart(b, a.Origin.ToolCall)
	b = a.appendQuestions(b)
	if a.Approval != nil {
		b = a.Approval.append(b)
	}
	sum := sha256.Sum256(a.appendFinal(b))
	return "ask_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// Digest returns the SHA-256, in hex, of everything a person is shown of the
// questions, and of whether the answer is final. An answer that carries it is bound
// to exactly that.
func (a *Ask) Digest() string {
	b := appendPart(make([]byte, 0, usualSize), "sayso questions 1")
	b = a.appendQuestions(b)
	if a.Kind != "" && a.Kind != AskQuestions {
		b = appendPart(b, string(a.Kind))
	}
	if a.Approval != nil {
		b = a.Approval.append(b)
	}
	sum := sha256.Sum256(a.appendFinal(b))
	return hex.EncodeToString(sum[:])
}

// usualSize is what the questions of most asks fit in, with their lengths.
const usualSize = 2048

func (a *Ask) appendQuestions(b []byte) []byte {
	b = appendCount(b, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		for _, s := range [...]string{q.ID, q.Header, q.Text, q.Body} {
			b = appendPart(b, s)
		}
		b = appendFlags(b, q.Multi || q.Several(), q.Secret) // the options tell the rest of the kind
		b = appendCount(b, len(q.Options))
		for j := range q.Options {
			o := &q.Options[j]
			for _, s := range [...]string{o.ID, o.Label, o.Description, o.Preview} {
				b = appendPart(b, s)
			}
			b = appendFlags(b, o.Recommended, o.Danger)
		}
	}
	return b
}

// append adds what is not in the question already: the bytes that will run, and
// everything that stays the same wherever a content is stored.
func (a *Approval) append(b []byte) []byte {
	for _, s := range [...]string{"approval 1", string(a.Kind), a.Tool, a.Input.SHA256, a.Cwd, a.Reason, a.Mode} {
		b = appendPart(b, s)
	}
	for _, list := range [...][]string{a.Why, a.Missing} {
		b = appendCount(b, len(list))
		for _, s := range list {
			b = appendPart(b, s)
		}
	}
	b = appendCount(b, len(a.Shown))
	for i := range a.Shown {
		p := &a.Shown[i]
		b = appendPart(appendPart(appendPart(b, p.Name), string(p.Format)), p.SHA256)
	}
	b = appendCount(b, len(a.Files))
	for _, f := range a.Files {
		for _, s := range [...]string{f.Path, string(f.Op), f.Before, f.After} {
			b = appendPart(b, s)
		}
	}
	b = appendCount(b, len(a.Offers))
	for _, o := range a.Offers {
		for _, s := range [...]string{o.ID, string(o.Act), o.Label, string(o.Scope), o.Rule, o.Where, o.Mode} {
			b = appendPart(b, s)
		}
		b = appendFlags(b, o.Stops, o.Message, o.Edit)
	}
	return b
}

// appendFinal adds nothing for most asks: the ids and digests of stored ones stay as
// they are.
func (a *Ask) appendFinal(b []byte) []byte {
	if a.Final {
		b = appendFlags(b, true)
	}
	return b
}

// appendPart writes the length before the bytes, so that no two lists of parts
// give the same bytes.
func appendPart(b []byte, s string) []byte { return append(appendCount(b, len(s)), s...) }

func appendCount(b []byte, n int) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

func appendFlags(b []byte, flags ...bool) []byte {
	var set byte
	for i, f := range flags {
		if f {
			set |= 1 << i
		}
	}
	return append(b, set)
}
