// Package api has the types of the hub's HTTP API: what goes in and out as JSON.
// The server, package client and the description in docs/openapi.json all use
// them, so that they cannot disagree.
//
// Most Go programs use package client, which speaks this API. Programs that speak
// it themselves find here what they send and get. An ask is a [sayso.Ask], an
// outcome a [sayso.Outcome]; the doc tags, and [FieldDocs] for the types of the
// library, are what the description says about each field.
package api

import (
	"encoding/json"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// VersionHeader is the header in which a hub sends the version of its program with
// every response to a caller that it knows.
const VersionHeader = "Sayso-Version"

// Ticket is an ask in the hub, as it was at one revision.
type Ticket struct {
	ID     string       `json:"id" doc:"Names the ask in URLs. Opaque, URL-safe, up to 1400 characters."`
	Status sayso.Status `json:"status" doc:"What became of the ask; pending while it is open."`
	hub.Ticket
}

// Known returns the ticket as package hub knows it, with its handle. It is nil if
// this is none.
func (t *Ticket) Known() *hub.Ticket {
	if t == nil || t.ID == "" || t.Ask == nil {
		return nil
	}
	known := t.Ticket
	known.Handle = t.ID
	return &known
}

// TicketPage is a part of a list.
type TicketPage struct {
	Tickets []Ticket `json:"tickets" nullable:"false" doc:"May be fewer than asked for, even none, although there is a next page."`
	Next    string   `json:"next,omitempty" doc:"The cursor of the next page; absent at the end."`
	Damaged int      `json:"damaged,omitempty" doc:"How many stored asks could not be read."`
}

// ContentPage is a page of what an approval shows, too large to be a part of the ask.
type ContentPage struct {
	Text string `json:"text" maxLength:"65536" doc:"At most 65,536 bytes. All pages of a content but the last are cut as late as that allows; behind the last one comes an empty page."`
}

// AnswerRequest is what a person says to an ask.
type AnswerRequest struct {
	Digest   string         `json:"digest" maxLength:"64" doc:"The digest of the ticket that the person was shown."`
	Revision uint64         `json:"revision,omitempty" doc:"The revision of the ticket that the person was shown. If it is sent and the open ticket has another, the answer is refused."`
	Status   sayso.Status   `json:"status,omitempty" enum:"answered,unanswered,declined,cancelled" doc:"Default: answered. An answer that says nothing is no answer; send unanswered to hand the form back empty."`
	Answers  []sayso.Answer `json:"answers,omitempty" maxItems:"20" doc:"One for each question that the person answered."`
	Reply    string         `json:"reply,omitempty" maxLength:"65536" doc:"A reply to the whole form instead of answers."`
	Reason   string         `json:"reason,omitempty" maxLength:"4096" doc:"In words, for every status but answered."`
	Surface  string         `json:"surface,omitempty" maxLength:"64" doc:"Where the person was: terminal, web, slack. Default: api."`
	Hold     int            `json:"hold,omitempty" minimum:"0" maximum:"30" doc:"Seconds for which the answer does not count yet: the asker gets it afterwards, and until then it can be taken back. The reply is the open ticket, with held. Default: it counts at once."`
}

// AmendRequest replaces what a person said to an ask.
type AmendRequest struct {
	Digest  string         `json:"digest" maxLength:"64" doc:"The digest of the ticket that the person was shown."`
	Status  sayso.Status   `json:"status,omitempty" enum:"answered,unanswered,declined,cancelled" doc:"Default: answered."`
	Answers []sayso.Answer `json:"answers,omitempty" maxItems:"20" doc:"One for each question that the person answered."`
	Reply   string         `json:"reply,omitempty" maxLength:"65536" doc:"A reply to the whole form instead of answers."`
	Reason  string         `json:"reason,omitempty" maxLength:"4096" doc:"In words, for every status but answered."`
	Surface string         `json:"surface,omitempty" maxLength:"64" doc:"Where the person was: terminal, web, slack. Default: api."`
}

// DeclineRequest says that a person will not answer.
type DeclineRequest struct {
	Digest  string `json:"digest" maxLength:"64" doc:"The digest of the ticket that the person was shown."`
	Reason  string `json:"reason,omitempty" maxLength:"4096" doc:"In the person's words."`
	Surface string `json:"surface,omitempty" maxLength:"64" doc:"Where the person was. Default: api."`
	Hold    int    `json:"hold,omitempty" minimum:"0" maximum:"30" doc:"Seconds for which it does not count yet, as of an answer. Default: it counts at once."`
}

// RelayRequest is what a program says to an ask: the asker's own client that showed
// a form, an editor, a user interface. Who sat there is not known.
type RelayRequest struct {
	Digest  string         `json:"digest" maxLength:"64" doc:"The digest of the ticket that was shown."`
	Status  sayso.Status   `json:"status,omitempty" enum:"answered,unanswered,declined,cancelled" doc:"Default: answered."`
	Answers []sayso.Answer `json:"answers,omitempty" maxItems:"20" doc:"One for each question that was answered."`
	Reply   string         `json:"reply,omitempty" maxLength:"65536" doc:"A reply to the whole form instead of answers."`
	Reason  string         `json:"reason,omitempty" maxLength:"4096" doc:"In words, for every status but answered."`
	Surface string         `json:"surface,omitempty" maxLength:"64" doc:"Where it was shown: the name of the program. Default: api."`
}

// WithdrawRequest says that the asker no longer wants to know.
type WithdrawRequest struct {
	Status sayso.Status `json:"status,omitempty" enum:"cancelled,superseded" doc:"Default: cancelled. Superseded: something newer took its place."`
	Reason string       `json:"reason,omitempty" maxLength:"4096" doc:"In words, for the person."`
}

// UndoRequest takes an answer back.
type UndoRequest struct {
	Nonce string `json:"nonce,omitempty" maxLength:"256" doc:"The nonce of the ticket whose outcome is meant, or that of what is held. Default: whatever the person said last."`
}

// DraftRequest is what a person has typed and not sent.
type DraftRequest struct {
	Answers []sayso.Answer `json:"answers,omitempty" maxItems:"20" doc:"What the person has chosen and typed. Answers to secret questions are not kept."`
	Reply   string         `json:"reply,omitempty" maxLength:"65536" doc:"What the person has typed as a reply to the whole form."`
}

// CallRequest is one call of the tool, as a model made it.
type CallRequest struct {
	Ask          string          `json:"ask,omitempty" maxLength:"1400" doc:"The ask of an earlier call, to wait for it again. Nothing else is needed then."`
	ID           string          `json:"id,omitempty" maxLength:"256" doc:"The tool call's id, unique in the conversation. The same call again is the same ask."`
	Conversation string          `json:"conversation,omitempty" maxLength:"256" doc:"The conversation, session or thread."`
	Agents       []string        `json:"agents,omitempty" maxItems:"16" doc:"Who calls, top agent first."`
	Host         string          `json:"host,omitempty" maxLength:"256" doc:"The program."`
	Workspace    string          `json:"workspace,omitempty" maxLength:"1024" doc:"Where it works."`
	Branch       string          `json:"branch,omitempty" maxLength:"256" doc:"What it works on."`
	To           []string        `json:"to,omitempty" maxItems:"32" doc:"Who may answer. Default: everybody who may answer in this tenant."`
	Deadline     time.Time       `json:"deadline,omitzero" doc:"When the ask expires. Default: never."`
	MinAssurance sayso.Assurance `json:"minAssurance,omitempty" minimum:"0" maximum:"3" doc:"How sure the hub must be of who answers."`
	Final        bool            `json:"final,omitempty" doc:"The answer is final while this call waits: the person is told so, and cannot undo it."`
	OnExpiry     sayso.Expiry    `json:"onExpiry,omitzero" doc:"What the asker declares for the case that the deadline passes."`
	Metadata     map[string]any  `json:"metadata,omitempty" doc:"The asker's own: a run, a task, whatever it needs to go on. Kept with the ask and handed back with the result."`
	Arguments    json.RawMessage `json:"arguments,omitempty" doc:"The arguments of the call, as the model wrote them: an object, or JSON in a string."`
}

// StatusRefused is the status of a [CallResult] whose call was not valid: nobody was
// asked, and the result tells the model what to change.
const StatusRefused sayso.Status = "refused"

// CallResult is what the model is told.
type CallResult struct {
	Ask      string           `json:"ask,omitempty" doc:"The ask, to wait for it again; absent if the call was refused."`
	Status   sayso.Status     `json:"status,omitempty" doc:"What became of the call: pending with 202; refused if it was not valid, so that nobody was asked; else what became of the ask."`
	ToolCall string           `json:"toolCall,omitempty" doc:"The tool call's id."`
	By       *sayso.Responder `json:"by,omitempty" doc:"Who closed the ask; absent while it is pending."`
	At       time.Time        `json:"at,omitzero" doc:"When the ask was closed."`
	Replayed bool             `json:"replayed,omitempty" doc:"The asker has had this outcome before."`
	Changed  bool             `json:"changed,omitempty" doc:"The asker had another outcome before, and this one replaces it."`
	Metadata map[string]any   `json:"metadata,omitempty" doc:"The asker's own, as it came with the call."`
	Result   ToolResult       `json:"result" doc:"The tool's result, spelled as the dialect wants it."`
}

// LateResults is what people said in a conversation after the call that asked had
// ended.
type LateResults struct {
	Late []CallResult `json:"late" nullable:"false" doc:"The results that nobody has taken yet. Each is handed out once, to the first request that asks. At most 100; if there are more, open counts them."`
	Open int          `json:"open" doc:"How many asks of the conversation may still become late."`
}

// Me is who a credential is.
type Me struct {
	Tenant    string          `json:"tenant" doc:"Whose asks it is for."`
	ID        string          `json:"id" doc:"The agent that asks or the person who answers; empty for the owner of a local hub."`
	Roles     []string        `json:"roles" nullable:"false" enum:"asker,answerer,observer,admin" doc:"What it may do."`
	Assurance sayso.Assurance `json:"assurance" doc:"How sure the hub is of who it is: 0 the same user on the same machine, 1 a key, 2 a login, 3 a passkey."`
}

// ToolResult is a [sayso.Result].
type ToolResult struct {
	Text       string          `json:"text" doc:"What the model reads."`
	Structured json.RawMessage `json:"structured,omitempty" doc:"The dialect's structured form, where it has one. It is the authority."`
	IsError    bool            `json:"isError,omitempty" doc:"Mark the tool result as an error."`
	StopTurn   bool            `json:"stopTurn,omitempty" doc:"End the turn instead of calling the model again."`
}

// Dialect says how an agent spells the tool.
type Dialect struct {
	Dialect     string          `json:"dialect" doc:"The name of the dialect."`
	Name        string          `json:"name" doc:"The name of the tool."`
	Description string          `json:"description" doc:"When and how to use the tool, for the model."`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema 2020-12 of the arguments."`
}

// DialectList has every way to spell the tool.
type DialectList struct {
	Dialects []Dialect `json:"dialects" nullable:"false" doc:"Every dialect that this hub knows."`
}

// RespondRequest answers an ask of a conversation by the texts of its questions.
type RespondRequest struct {
	Ask     string            `json:"ask,omitempty" maxLength:"1400" doc:"The ask that was shown, as the state_change event named it. Needed unless digest is sent."`
	Digest  string            `json:"digest,omitempty" maxLength:"64" doc:"The digest of the questions that were shown, as the state_change event named it. Needed unless ask is sent. If two asks of the conversation have it, the answer is refused."`
	Answers map[string]string `json:"answers" doc:"The answer to each question, by the question's text: an option's label, several joined by a comma and a space, or own words."`
}

// CancelRequest calls off an ask of a conversation.
type CancelRequest struct {
	Ask string `json:"ask,omitempty" maxLength:"1400" doc:"The ask that was shown. Default: the one that waits in the conversation; if several do, nothing is cancelled."`
}

// StateChange is the data of a state_change event.
type StateChange struct {
	Type         string          `json:"type" enum:"awaiting_user_response,user_response_received" doc:"What the conversation came to."`
	Conversation string          `json:"conversation" doc:"The conversation."`
	Ask          string          `json:"ask" doc:"The ask it is about."`
	Digest       string          `json:"digest" doc:"The digest of the questions."`
	ToolUseID    string          `json:"tool_use_id,omitempty" doc:"The tool call that asks."`
	Asker        string          `json:"asker,omitempty" doc:"Whose credential the ask came with; absent: it is not verified. Show it apart from what the asker says of itself."`
	Questions    []StateQuestion `json:"questions,omitempty" doc:"The questions, while they await an answer."`
	Status       sayso.Status    `json:"status,omitempty" doc:"What became of the ask, once it is closed."`
}

// StateQuestion is a question as a [StateChange] tells it.
type StateQuestion struct {
	Question    string        `json:"question" doc:"The question. Answers are given by it."`
	Header      string        `json:"header,omitempty" doc:"A short name."`
	Body        string        `json:"body,omitempty" doc:"Markdown that belongs to the question: show it."`
	Options     []StateOption `json:"options,omitempty" doc:"The choices; own words are always allowed."`
	MultiSelect bool          `json:"multiSelect" doc:"Whether several may be chosen."`
	Secret      bool          `json:"secret,omitempty" doc:"Do not show or keep what is typed."`
}

// StateOption is an option as a [StateChange] tells it.
type StateOption struct {
	Label       string `json:"label" doc:"The choice."`
	Description string `json:"description,omitempty" doc:"What it means."`
	Preview     string `json:"preview,omitempty" doc:"Markdown or code that belongs to the choice: show it."`
	Recommended bool   `json:"recommended,omitempty" doc:"The asker recommends it."`
	Danger      bool   `json:"danger,omitempty" doc:"Choosing it is dangerous: ask once more."`
}

// StateQuestions returns the questions of an ask as a [StateChange] tells them.
func StateQuestions(a *sayso.Ask) []StateQuestion {
	list := make([]StateQuestion, len(a.Questions))
	for i := range a.Questions {
		q := &a.Questions[i]
		list[i] = StateQuestion{Question: q.Text, Header: q.Header, Body: q.Body, MultiSelect: q.Several(), Secret: q.Secret}
		for _, o := range q.Options {
			list[i].Options = append(list[i].Options, StateOption{
				Label: o.Label, Description: o.Description, Preview: o.Preview, Recommended: o.Recommended, Danger: o.Danger,
			})
		}
	}
	return list
}

// Ready is the data of a ready event.
type Ready struct {
	Open int `json:"open" doc:"How many asks were told since the reset."`
}

// Session is a device on which a person is signed in to the web inbox.
type Session struct {
	ID        string          `json:"id" doc:"Names the session. It is no secret."`
	Device    string          `json:"device" doc:"The browser and the system, as in Firefox on Linux."`
	Assurance sayso.Assurance `json:"assurance" doc:"How sure the hub is of the person."`
	Created   time.Time       `json:"created" doc:"When the person signed in."`
	Used      time.Time       `json:"used" doc:"The last use, to within some minutes."`
	Until     time.Time       `json:"until" doc:"When it ends if it is not used."`
}

// SessionList has the sessions of a person, the last used first.
type SessionList struct {
	Sessions []Session `json:"sessions" nullable:"false" doc:"None if the person is signed in nowhere."`
}
