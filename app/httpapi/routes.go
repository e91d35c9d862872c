package httpapi

import (
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"

	"github.com/saysohq/sayso"
)

// route is one method of one path: who may use it, what it takes and gives, and
// who serves it. The router, the rules, docs/openapi.json and the test of every
// route against every credential are all made of this table.
type route struct {
	method, path string
	rule         rule
	id           string // of the operation
	summary      string
	about        string
	params       []param
	body         any // of the type that the body is decoded into; nil: there is none
	bodyOptional bool
	ok           []reply
	problems     []kind // beside those that every route has
	serve        func(*Server, *call) error
}

// rule says who may use a route. The zero rule is none, and a route without one
// is not built.
type rule struct {
	public bool
	roles  auth.Role
}

func may(roles auth.Role) rule { return rule{roles: roles} }

// param is a parameter in the path, the query or a header.
type param struct {
	in, name, about string
	list            bool // may be given several times
	values          []string
	number          bool
}

// reply is a success.
type reply struct {
	status int
	about  string
	body   any    // of the type of the body; nil: there is none
	media  string // default: application/json
}

// unchanged is the reply to somebody who has the document.
var unchanged = reply{304, "It has not changed.", nil, ""}

const reader = auth.Asker | auth.Answerer | auth.Observer

var (
	flags            = []string{"0", "1", "false", "true"}
	pathID           = param{in: "path", name: "id", about: "The id of the ticket."}
	pathHash         = param{in: "path", name: "hash", about: "The SHA-256 of the content, in hex."}
	pathPage         = param{in: "path", name: "page", about: "The number of the page, from 0."}
	pathRule         = param{in: "path", name: "id", about: "The id of the rule, or all."}
	pathSession      = param{in: "path", name: "id", about: "The id of the session."}
	pathConversation = param{in: "path", name: "id", about: "The conversation, at most 256 bytes."}
	pathDialect      = param{in: "path", name: "name", about: "The dialect: claude, codex, gemini …"}
	headerKey        = param{in: "header", name: "Idempotency-Key", about: "Names this request, at most 256 printable ASCII characters: sent again, it has no second effect."}
	headerMatch      = param{in: "header", name: "If-None-Match", about: "The ETag of an earlier reply. If the document is still the same, the reply is 304."}
	headerLast       = param{in: "header", name: "Last-Event-ID", about: "The id of the last event seen, to go on behind it."}
	queryLast        = param{in: "query", name: "lastEventId", about: "The same, where a header cannot be set."}
	queryWait        = param{in: "query", name: "wait", about: "How long to wait for the ask to be closed, as in 60s, 5m or, in seconds, 30; at most 1h."}
	queryConsume     = param{in: "query", name: "consume", about: "Whether the asker takes the outcome with the reply, as with POST consumed: 1 or 0. Default: 0.", values: flags}
	originParams     = []param{
		{in: "query", name: "dialect", about: "The body is the raw tool input in this dialect, and the origin is in the query."},
		{in: "query", name: "conversation", about: "With dialect: the conversation."},
		{in: "query", name: "toolCall", about: "With dialect: the tool call's id, unique in the conversation. The same call again is the same ask."},
		{in: "query", name: "agent", about: "With dialect: who asks, top agent first.", list: true},
		{in: "query", name: "host", about: "With dialect: the program."},
		{in: "query", name: "workspace", about: "With dialect: where it works."},
		{in: "query", name: "branch", about: "With dialect: what it works on."},
		{in: "query", name: "to", about: "With dialect: who may answer.", list: true},
	}
)

// routes is the table.
func routes() []route {
	ticket := []reply{{200, "The ticket as it is now.", api.Ticket{}, ""}}
	return append([]route{
		{
			method: "POST", path: "/v1/asks", rule: may(auth.Asker), id: "submitAsk", serve: (*Server).submit,
			summary: "Ask",
			about: "The body is an ask, or, with `?dialect=`, the raw input of a tool call. An ask with an `id`, with an `origin.toolCall` or with an " +
				"`Idempotency-Key` may be sent again: it is the same ask. The key is looked up together with the conversation and with whom the ask is to. " +
				"With `?wait=60s&consume=1` one request asks, waits for the outcome and takes it. If the time is over first, the reply is 202 with the open " +
				"ticket: send the same request again, or wait with its `id`. Without `wait`, or with `wait=0`, the reply comes at once.",
			params: append([]param{headerKey, queryWait, queryConsume}, originParams...), body: sayso.Ask{},
			ok: []reply{
				{201, "The ask is stored; `Location` is its URL. Without `wait`.", api.Ticket{}, ""},
				{200, "The ask is closed; or, without `wait`, it was stored before.", api.Ticket{}, ""},
				{202, "The ask is stored, and nobody has answered it within `wait`.", api.Ticket{}, ""},
			},
			problems: []kind{badJSON, badRequest, notFound, tooLarge, badMediaType, changed, invalid, keyReused, unavailable},
		},
		{
			method: "GET", path: "/v1/asks", rule: may(reader), id: "listAsks", serve: (*Server).list,
			summary: "List asks",
			about:   "An asker sees what it asked, an answerer what its person may answer, an observer everything but questions and answers. The order is the store's own.",
			params: []param{
				{in: "query", name: "status", about: "Default: pending.", values: statuses()},
				{in: "query", name: "consumed", about: "With false, only asks whose outcome the asker has not had: open ones, and closed ones that nobody has taken. With true, only the others. status is then any by default.", values: flags},
				{in: "query", name: "conversation", about: "Only of this conversation."},
				{in: "query", name: "agent", about: "Only where this agent is in the chain."},
				{in: "query", name: "to", about: "Only those that are to this person by name."},
				{in: "query", name: "limit", about: "At most so many; default 100, at most 1000.", number: true},
				{in: "query", name: "cursor", about: "`next` of the page before, of the same list."},
			},
			ok:       []reply{{200, "A page.", api.TicketPage{}, ""}},
			problems: []kind{badRequest, unavailable},
		},
		{
			method: "GET", path: "/v1/asks/{id}", rule: may(reader), id: "getAsk", serve: (*Server).get,
			summary: "Read an ask, or wait for it",
			about:   "With `?wait=`, returns as soon as the ask is closed, and otherwise, still pending, when the time is over.",
			params:  []param{pathID, queryWait}, ok: ticket, problems: []kind{badRequest, notFound, unavailable},
		},
		{
			method: "PUT", path: "/v1/asks/{id}/answer", rule: may(auth.Answerer), id: "answerAsk", serve: (*Server).answer,
			summary: "Answer",
			about: "The first answer wins. The same answer again is a success, and `replayed` says so; another one is a problem that names the winner. " +
				"With `hold` it counts only after so many seconds; the asker does not get it before, and `undo` takes it back.",
			params: []param{pathID, headerKey}, body: api.AnswerRequest{}, ok: ticket,
			problems: []kind{badJSON, lowAssurance, notFound, alreadyClosed, changed, undone, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/decline", rule: may(auth.Answerer), id: "declineAsk", serve: (*Server).decline,
			summary: "Decline to answer",
			params:  []param{pathID, headerKey}, body: api.DeclineRequest{}, ok: ticket,
			problems: []kind{badJSON, lowAssurance, notFound, alreadyClosed, changed, undone, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/relay", rule: may(auth.Asker | auth.Answerer), id: "relayAnswer", serve: (*Server).relay,
			summary: "Hand on what a program says",
			about: "For a program that showed the ask itself: the asker's own client with a form, an editor, a user interface. It closes the ask as `PUT answer` does, " +
				"and is kept as that program's reply, by nobody in particular. An ask to named people, or one that wants assurance, does not take it.",
			params: []param{pathID, headerKey}, body: api.RelayRequest{}, ok: ticket,
			problems: []kind{badJSON, lowAssurance, notFound, alreadyClosed, changed, undone, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/withdraw", rule: may(auth.Asker), id: "withdrawAsk", serve: (*Server).withdraw,
			summary: "Withdraw an ask",
			about:   "The asker no longer wants to know. What is answered is not withdrawn.",
			params:  []param{pathID}, body: api.WithdrawRequest{}, bodyOptional: true, ok: ticket,
			problems: []kind{badJSON, notFound, alreadyClosed, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "PUT", path: "/v1/content/{hash}/{page}", rule: may(auth.Asker), id: "putContent", serve: (*Server).putContent,
			summary: "Store a page of what an approval shows",
			about: "What an approval shows may be too large for the ask. Send its pages first, then the ask, with `stored` and without `text`. " +
				"The same content again, of the same credential in the same conversation, is stored once. It is kept for 90 days.",
			params: []param{pathHash, pathPage, {in: "query", name: "conversation", about: "The conversation of the ask; default: none."}}, body: api.ContentPage{}, ok: []reply{{204, "It is stored.", nil, ""}},
			problems: []kind{badJSON, badRequest, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "GET", path: "/v1/asks/{id}/content/{hash}/{page}", rule: may(auth.Asker | auth.Answerer), id: "getContent", serve: (*Server).getContent,
			summary: "Read a page of what an approval shows",
			about:   "Of a content of this ask that has `stored`. Compare the SHA-256 of all pages together with `sha256` before you show them.",
			params:  []param{pathID, pathHash, pathPage}, ok: []reply{{200, "The page; an empty one is behind the last.", api.ContentPage{}, ""}},
			problems: []kind{badRequest, notFound, unavailable},
		},
		{
			method: "GET", path: "/v1/asks/{id}/draft", rule: may(auth.Answerer), id: "getDraft", serve: (*Server).draft,
			summary: "Read the person's draft",
			about:   "What the person typed earlier and did not send. Nobody else sees it.",
			params:  []param{pathID}, ok: []reply{{200, "The draft.", hub.Draft{}, ""}}, problems: []kind{notFound, unavailable},
		},
		{
			method: "PUT", path: "/v1/asks/{id}/draft", rule: may(auth.Answerer), id: "saveDraft", serve: (*Server).saveDraft,
			summary: "Keep what the person has typed",
			params:  []param{pathID}, body: api.DraftRequest{}, ok: []reply{{204, "It is kept.", nil, ""}},
			problems: []kind{badJSON, notFound, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/attend", rule: may(auth.Answerer), id: "attendAsk", serve: (*Server).attend,
			summary: "Say that the person is at the ask",
			about: "The person has the ask in front of them and has just pressed a key or moved the pointer. Notifications of this ask come later then; they are never left out. " +
				"It counts for a minute and is not stored.",
			params: []param{pathID}, ok: []reply{{204, "It is noted.", nil, ""}}, problems: []kind{notFound, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/consumed", rule: may(auth.Asker), id: "consumeAsk", serve: (*Server).consume,
			summary: "Say that the asker has the outcome",
			about: "From then on it cannot be undone. An asker calls this before it acts on an outcome, and acts on the one that comes back. " +
				"With `?wait=`, it first waits for an outcome, and replies 202 with the open ticket when the time is over.",
			params: []param{pathID, queryWait}, ok: append(ticket, reply{202, "Nobody has answered within `wait`.", api.Ticket{}, ""}),
			problems: []kind{badRequest, notFound, stillOpen, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/undo", rule: may(auth.Answerer), id: "undoAnswer", serve: (*Server).undo,
			summary: "Take an answer back",
			about:   "Only who gave it may, and only until the asker has it.",
			params:  []param{pathID}, body: api.UndoRequest{}, bodyOptional: true, ok: ticket,
			problems: []kind{badJSON, notFound, alreadyClosed, stillOpen, consumed, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/amend", rule: may(auth.Answerer), id: "amendAnswer", serve: (*Server).amend,
			summary: "Change an answer",
			about: "Replaces what the person said, also after the asker has it: then the asker is told as of a late answer, and that it replaces an earlier one. Only who gave the answer may. " +
				"The decision about an approval cannot be changed once the agent went by it.",
			params: []param{pathID, headerKey}, body: api.AmendRequest{}, ok: ticket,
			problems: []kind{badJSON, lowAssurance, notFound, alreadyClosed, changed, stillOpen, consumed, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "GET", path: "/v1/events", rule: may(reader), id: "watchEvents", serve: (*Server).events,
			summary: "Follow what happens",
			about: "Server-sent events. `reset`: forget everything; the open asks follow. `ask`: a ticket that is new or has changed. `ready`: the open asks " +
				"have all been told. Comments keep the stream alive. A stream that is resumed behind its last event has no reset.",
			params: []param{headerLast, queryLast}, ok: []reply{{200, "The stream.", api.Ticket{}, "text/event-stream"}}, problems: []kind{unavailable},
		},
		{
			method: "GET", path: "/v1/conversations/{id}/events", rule: may(reader), id: "watchConversation", serve: (*Server).conversationEvents,
			summary: "Follow what happens in a conversation",
			about:   "As `/v1/events`, of one conversation.",
			params:  []param{pathConversation, headerLast, queryLast}, ok: []reply{{200, "The stream.", api.Ticket{}, "text/event-stream"}}, problems: []kind{unavailable},
		},
		{
			method: "POST", path: "/v1/dialects/{name}/call", rule: may(auth.Asker), id: "callTool", serve: (*Server).call,
			summary: "Call the tool",
			about: "The whole tool for an agent in any language: a raw tool call in, a raw tool result out. Waits for the answer, or says 202 when `wait` " +
				"(default 55s) is over. The same call again waits for the same ask; so does a call with its `ask`.",
			params: []param{pathDialect, queryWait, headerKey}, body: api.CallRequest{},
			ok: []reply{
				{200, "The tool's result. A call that is not valid has one, too, for the model.", api.CallResult{}, ""},
				{202, "Nobody has answered yet.", api.CallResult{}, ""},
			},
			problems: []kind{badJSON, badRequest, notFound, tooLarge, badMediaType, invalid, keyReused, unavailable},
		},
		{
			method: "POST", path: "/v1/conversations/{id}/late", rule: may(auth.Asker), id: "takeLateResults", serve: (*Server).late,
			summary: "Take what was answered too late",
			about: "What people said in the conversation after the call that asked had ended, in the words for the model. Each outcome is handed out once, " +
				"and is taken with that. One that is younger than 2 s is left to the call that may still wait for it. A call with its `ask` tells it again.",
			params: []param{
				pathConversation,
				{in: "query", name: "dialect", about: "The dialect of the results. Default: that of each ask."},
			},
			ok: []reply{{200, "What was said.", api.LateResults{}, ""}}, problems: []kind{badRequest, notFound, unavailable},
		},
		{
			method: "GET", path: "/v1/dialects", rule: may(auth.Everything), id: "listTools", serve: (*Server).dialects,
			summary: "List how agents define the tool",
			params:  []param{headerMatch}, ok: []reply{{200, "Every dialect.", api.DialectList{}, ""}, unchanged},
		},
		{
			method: "GET", path: "/v1/dialects/{name}", rule: may(auth.Everything), id: "getTool", serve: (*Server).dialect,
			summary: "Read how an agent defines the tool",
			params:  []param{pathDialect, headerMatch}, ok: []reply{{200, "Name, description and schema of the tool.", api.Dialect{}, ""}, unchanged}, problems: []kind{notFound},
		},
		{
			method: "POST", path: "/conversations/{id}/respond", rule: may(auth.Answerer), id: "respondInConversation", serve: (*Server).respond,
			summary: "Answer what waits in a conversation",
			about:   "For hosts that have one question open at a time: answers go by the text of the question. The request names what was shown by `ask`, or by `digest` if no other asker has asked the same in this conversation.",
			params:  []param{pathConversation}, body: api.RespondRequest{}, ok: ticket,
			problems: []kind{badJSON, badRequest, nothingWaits, lowAssurance, alreadyClosed, changed, severalWait, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/conversations/{id}/cancel", rule: may(auth.Answerer), id: "cancelInConversation", serve: (*Server).cancel,
			summary: "Cancel what waits in a conversation",
			params:  []param{pathConversation}, body: api.CancelRequest{}, bodyOptional: true, ok: ticket,
			problems: []kind{badJSON, badRequest, nothingWaits, lowAssurance, alreadyClosed, severalWait, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "GET", path: "/conversations/{id}/events", rule: may(auth.Answerer), id: "watchConversationState", serve: (*Server).stateEvents,
			summary: "Follow the state of a conversation",
			about:   "Server-sent events named `state_change`, of type `awaiting_user_response` when an ask begins to wait and `user_response_received` when it no longer does. `reset` and `ready` as in `/v1/events`.",
			params:  []param{pathConversation, headerLast, queryLast}, ok: []reply{{200, "The stream.", api.StateChange{}, "text/event-stream"}}, problems: []kind{unavailable},
		},
		{
			method: "GET", path: "/v1/rules", rule: may(auth.Answerer | auth.Admin), id: "listRules", serve: (*Server).rules,
			summary: "List rules",
			about: "Rules decide about approvals in the place of a person. Everybody who answers sees those that deny or require, and their own that allow. " +
				"An admin sees all, without what is allowed.",
			ok: []reply{{200, "The rules.", api.RuleList{}, ""}}, problems: []kind{unavailable},
		},
		{
			method: "POST", path: "/v1/rules", rule: may(auth.Answerer), id: "addRule", serve: (*Server).addRule,
			summary: "Make a rule that allows or denies",
			about: "A rule that allows is made from one approval that the person has allowed, matches exactly that call again, and ends. " +
				"A pattern can only deny. The rule decides only what the person could answer. When the reply comes, it holds on every node.",
			params: []param{headerKey}, body: api.RuleRequest{}, ok: []reply{{201, "The rule.", hub.Rule{}, ""}},
			problems: []kind{badJSON, badRequest, notFound, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/rules/require", rule: may(auth.Admin), id: "addRequirement", serve: (*Server).addRequirement,
			summary: "Make a rule about who has to answer",
			about: "Approvals that match the pattern can be answered only by the named people, or only with the given assurance. It holds for everybody in the tenant. " +
				"An approval that the asker sends to other people is denied.",
			params: []param{headerKey}, body: api.RuleRequest{}, ok: []reply{{201, "The rule.", hub.Rule{}, ""}},
			problems: []kind{badJSON, badRequest, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/rules/rehearse", rule: may(auth.Answerer), id: "rehearseRule", serve: (*Server).rehearseRule,
			summary: "Rehearse a rule",
			about:   "What the rule would have done to the last approvals that the person decided, if it had held all the time. Nothing is stored.",
			body:    api.RuleRequest{}, ok: []reply{{200, "What it would have done.", api.Rehearsal{}, ""}},
			problems: []kind{badJSON, notFound, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/rules/{id}/revoke", rule: may(auth.Answerer | auth.Admin), id: "revokeRule", serve: (*Server).revokeRule,
			summary: "Revoke a rule",
			about: "The person's own, or any with an admin key; `all` ends every rule that the caller may end. When the reply comes, the rule decides nothing any more, " +
				"on any node. An approval that it decided just before may still be on its way to the agent.",
			params: []param{pathRule}, ok: []reply{{200, "The rules that are ended.", api.RuleList{}, ""}}, problems: []kind{notFound, invalid, unavailable},
		},
		{
			method: "GET", path: "/v1/asks/{id}/rules", rule: may(auth.Answerer), id: "explainRules", serve: (*Server).explainRules,
			summary: "Explain which rule decided",
			about:   "The rule that decided about an approval, or, if none did, the nearest ones and what is different.",
			params:  []param{pathID}, ok: []reply{{200, "The explanation.", api.Explanation{}, ""}}, problems: []kind{notFound, unavailable},
		},
		{
			method: "GET", path: "/v1/sessions", rule: may(auth.Answerer), id: "listSessions", serve: (*Server).sessions,
			summary: "List the person's sessions",
			about:   "Where the person is signed in to the web inbox. Nobody else sees it.",
			ok:      []reply{{200, "The sessions, the last used first.", api.SessionList{}, ""}}, problems: []kind{unavailable},
		},
		{
			method: "POST", path: "/v1/sessions/{id}/end", rule: may(auth.Answerer), id: "endSession", serve: (*Server).endSession,
			summary: "End a session of the person",
			about:   "Its cookie is refused at once, and its open pages are told within a second.",
			params:  []param{pathSession}, ok: []reply{{204, "It is ended.", nil, ""}}, problems: []kind{notFound, unavailable},
		},
		{
			method: "GET", path: "/v1/me", rule: may(auth.Everything), id: "getMe", serve: (*Server).me,
			summary: "Ask who you are",
			about:   "Whose credential the request came with, and what it may do: the check of a key.",
			ok:      []reply{{200, "The credential.", api.Me{}, ""}},
		},
		{
			method: "GET", path: "/openapi.json", rule: rule{public: true}, id: "getDescription", serve: (*Server).openapi,
			summary: "Read this description", params: []param{headerMatch}, ok: []reply{{200, "OpenAPI 3.1.", nil, ""}, unchanged},
		},
		{
			method: "GET", path: "/metrics", rule: may(auth.Observer | auth.Admin), id: "getMetrics", serve: (*Server).metrics,
			summary: "Read the metrics", ok: []reply{{200, "Prometheus text format.", nil, "text/plain"}},
		},
		{
			method: "GET", path: "/healthz", rule: rule{public: true}, id: "getHealth", serve: (*Server).healthz,
			summary: "Ask whether the process lives", ok: []reply{{200, "It does.", nil, "text/plain"}},
		},
		{
			method: "GET", path: "/readyz", rule: rule{public: true}, id: "getReadiness", serve: (*Server).readyz,
			summary: "Ask whether the hub can be used", ok: []reply{{200, "It can.", nil, "text/plain"}}, problems: []kind{unavailable},
		},
	}, append(deskRoutes(), precedentRoutes()...)...)
}

func statuses() []string {
	return append([]string{string(hub.AnyStatus)}, namesOf(sayso.Statuses())...)
}

// namesOf are the values that a parameter takes.
func namesOf[T ~string](all []T) (names []string) {
	for _, one := range all {
		names = append(names, string(one))
	}
	return names
}
