package httpapi

import (
	"encoding/json"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// The bodies of requests and responses. An ask goes in as a [sayso.Ask] and an
// outcome comes out as a [sayso.Outcome], spelled as those types are; the doc tags
// are what docs/openapi.json says about a field.

// Ticket is an ask in the waiting room, as it was at one revision.
type Ticket struct {
	ID     string       `json:"id" doc:"Names the ask in URLs. Opaque, URL-safe, up to 1400 characters."`
	Status sayso.Status `json:"status" doc:"What became of the ask; pending while it is open."`
	hub.Ticket
}

// TicketPage is a part of a list.
type TicketPage struct {
	Tickets []Ticket `json:"tickets" nullable:"false" doc:"May be fewer than asked for, even none, although there is a next page."`
	Next    string   `json:"next,omitempty" doc:"The cursor of the next page; absent at the end."`
	Damaged int      `json:"damaged,omitempty" doc:"How many stored asks could not be read."`
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
}

// DeclineRequest says that a person will not answer.
type DeclineRequest struct {
	Digest  string `json:"digest" maxLength:"64" doc:"The digest of the ticket that the person was shown."`
	Reason  string `json:"reason,omitempty" maxLength:"4096" doc:"In the person's words."`
	Surface string `json:"surface,omitempty" maxLength:"64" doc:"Where the person was. Default: api."`
}

// WithdrawRequest says that the asker no longer wants to know.
type WithdrawRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"4096" doc:"In words, for the person."`
}

// UndoRequest takes an answer back.
type UndoRequest struct {
	Nonce string `json:"nonce,omitempty" maxLength:"128" doc:"The nonce of the ticket whose outcome is meant. Default: whatever the person said last."`
}

// DraftRequest is what a person has typed and not sent.
type DraftRequest struct {
	Answers []sayso.Answer `json:"answers,omitempty" maxItems:"20" doc:"What the person has chosen and typed. Answers to secret questions are not kept."`
	Reply   string         `json:"reply,omitempty" maxLength:"65536" doc:"What the person has typed as a reply to the whole form."`
}

// CallRequest is one call of the tool, as a model made it.
type CallRequest struct {
	Ask          string          `json:"ask,omitempty" maxLength:"1400" doc:"The ask of an earlier call, to wait for it again. Nothing else is needed then."`
	ID           string          `json:"id,omitempty" maxLength:"128" doc:"The tool call's id, unique in the conversation. The same call again is the same ask."`
	Conversation string          `json:"conversation,omitempty" maxLength:"128" doc:"The conversation, session or thread."`
	Agents       []string        `json:"agents,omitempty" maxItems:"16" doc:"Who calls, top agent first."`
	Host         string          `json:"host,omitempty" maxLength:"128" doc:"The program."`
	Workspace    string          `json:"workspace,omitempty" maxLength:"1024" doc:"Where it works."`
	Branch       string          `json:"branch,omitempty" maxLength:"256" doc:"What it works on."`
	To           []string        `json:"to,omitempty" maxItems:"32" doc:"Who may answer. Default: everybody who may answer in this tenant."`
	Deadline     time.Time       `json:"deadline,omitzero" doc:"When the ask expires. Default: never."`
	MinAssurance sayso.Assurance `json:"minAssurance,omitempty" minimum:"0" maximum:"3" doc:"How sure the hub must be of who answers."`
	Arguments    json.RawMessage `json:"arguments,omitempty" doc:"The arguments of the call, as the model wrote them: an object, or JSON in a string."`
}

// CallResult is what the model is told.
type CallResult struct {
	Ask    string       `json:"ask,omitempty" doc:"The ask, to wait for it again; absent if the call was refused."`
	Status sayso.Status `json:"status,omitempty" doc:"What became of it: pending with 202; absent if the call was refused."`
	Result ToolResult   `json:"result" doc:"The tool's result, spelled as the dialect wants it."`
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

// RespondRequest answers the one ask that waits in a conversation.
type RespondRequest struct {
	Answers map[string]string `json:"answers" doc:"The answer to each question, by the question's text: an option's label, several joined by a comma and a space, or own words."`
	Digest  string            `json:"digest,omitempty" maxLength:"64" doc:"The digest of the ticket that the person was shown. If it is sent and the ticket has another, the answer is refused."`
}

// StateChange is the data of a state_change event.
type StateChange struct {
	Type         string          `json:"type" enum:"awaiting_user_response,user_response_received" doc:"What the conversation came to."`
	Conversation string          `json:"conversation" doc:"The conversation."`
	Ask          string          `json:"ask" doc:"The ask it is about."`
	Digest       string          `json:"digest" doc:"The digest of the questions."`
	ToolUseID    string          `json:"tool_use_id,omitempty" doc:"The tool call that asks."`
	Questions    []StateQuestion `json:"questions,omitempty" doc:"The questions, while they await an answer."`
	Status       sayso.Status    `json:"status,omitempty" doc:"What became of the ask, once it is closed."`
}

// StateQuestion is a question as a [StateChange] tells it.
type StateQuestion struct {
	Question    string        `json:"question" doc:"The question. Answers are given by it."`
	Header      string        `json:"header,omitempty" doc:"A short name."`
	Options     []StateOption `json:"options,omitempty" doc:"The choices; own words are always allowed."`
	MultiSelect bool          `json:"multiSelect" doc:"Whether several may be chosen."`
}

// StateOption is an option as a [StateChange] tells it.
type StateOption struct {
	Label       string `json:"label" doc:"The choice."`
	Description string `json:"description,omitempty" doc:"What it means."`
}

// Ready is the data of a ready event.
type Ready struct {
	Open int `json:"open" doc:"How many asks were told since the reset."`
}

// Problem is what an error says: a problem detail (RFC 9457).
type Problem struct {
	Type    string         `json:"type" doc:"Which kind of problem; docs/api.md lists them."`
	Title   string         `json:"title" doc:"The kind of problem, in words."`
	Status  int            `json:"status" doc:"The HTTP status."`
	Detail  string         `json:"detail,omitempty" doc:"This occurrence, in words."`
	Errors  []FieldProblem `json:"errors,omitempty" doc:"Everything that is wrong with the request."`
	Ticket  *Ticket        `json:"ticket,omitempty" doc:"The ask as it is now: who closed it, where, when and how."`
	Late    bool           `json:"late,omitempty" doc:"The refused answer came too late, and was kept as such."`
	Waiting []Ticket       `json:"waiting,omitempty" doc:"The asks of which one must be named."`
	Result  *ToolResult    `json:"result,omitempty" doc:"What to tell the model about a call that was refused."`
}

// FieldProblem is one thing that is wrong with a request.
type FieldProblem struct {
	Path    string `json:"path,omitempty" doc:"Where: questions[0].text; empty for the whole."`
	Message string `json:"message" doc:"What, and what to do about it."`
}
