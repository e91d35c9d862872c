package jsonrpc

import (
	"context"

	"github.com/creachadair/jrpc2"
)

// askMethods are those of an agent that asks us.
func (s *session) askMethods() []method {
	return []method{
		{
			Name: "ask_user", Direction: toServer,
			Description: "Ask in any dialect, and wait. The same call_id in the same session is the same ask, also after a restart; without one, the same questions are the same ask until their answer was had.",
			Params: []field{
				{"arguments", "object", true, "The arguments of the tool call, as the model sent them."},
				{"dialect", "string", false, "How they are spelled, as \"claude\". Default: found out from tool and arguments."},
				{"tool", "string", false, "The tool's name."},
				{"call_id", "string", false, "The tool call's id."},
				sessionField,
				{"agents", "array", false, "Who asks, top agent first."},
				{"to", "array", false, "Who may answer. Default: whoever may answer at the hub."},
				waitField,
				{"late", "boolean", false, "Tell in the result, once, what came too late for earlier calls of this session."},
				{"final", "boolean", false, "The answer is final while this call waits: the person is told so, and cannot undo it."},
			},
			Result: append(resultFields[:len(resultFields):len(resultFields)], lateField),
			handle: handle(true, s.askUser),
		},
		{
			Name: string(ClientAskUser), Direction: toServer,
			Description: "Ask one question. No answer is an error: its code is 3 (nobody could be asked), 4 (declined) or 5 (expired), its data has id and status.",
			Params: []field{
				{"session_id", "string", true, "Session this question belongs to."},
				{"question", "string", true, "The question to display."},
				{"choices", "array", false, "Optional multiple-choice options."},
			},
			Result: []field{{"answer", "string", true, "The user's response text."}},
			handle: handle(false, s.clientAskUser),
		},
		{
			Name: string(AskUserRequest), Direction: toServer,
			Description: "Ask a form. As a notification, the answer is the notification ask_user_response with the same requestId; as a request, the result has the same members.",
			Params: []field{
				{"requestId", "string", true, "The same one in the same session is the same ask, also after a restart."},
				{"questions", "array", true, "Each with question, header, options [{label, description}] and multiSelect."},
				{"metadata", "object", false, "For the record; not shown."},
				{"sessionId", "string", false, "The conversation. Default: one for the folder."},
			},
			Result: []field{
				{"requestId", "string", true, "That of the request."},
				{"answered", "boolean", true, "Whether there are answers."},
				{"answers", "array", false, "Each with question, answer, selectedOption and wasCustom, in the order of the questions."},
				{"error", "string", false, "What is wrong with the request; nobody was asked."},
			},
			handle: handle(false, s.askUserRequest),
		},
		{
			Name: "check_answer", Direction: toServer,
			Description: "Read what became of an earlier ask.",
			Params:      []field{idField, waitField},
			Result:      resultFields,
			handle:      handle(true, s.checkAnswer),
		},
		{
			Name: "late_answers", Direction: toServer,
			Description: "Read what came too late for the calls of a session, for an agent that begins again. Each is told once.",
			Params:      []field{sessionField},
			Result:      []field{lateField, {"open", "number", true, "How many asks of the session may still be answered."}},
			handle:      handle(true, s.lateAnswers),
		},
		{
			Name: "withdraw", Direction: toServer,
			Description: "Take an ask back; nobody is to answer it any more.",
			Params:      []field{idField, {"reason", "string", false, "Why, for the person."}},
			Result:      resultFields[:2],
			handle:      handle(true, s.withdraw),
		},
		{
			Name: "$/cancelRequest", Direction: toServer, Notification: true,
			Description: "End the wait of a request. The ask stays open; withdraw ends that.",
			Params:      []field{{"id", "string or number", true, "The request's id."}},
			handle: handle(false, func(ctx context.Context, _ *jrpc2.Request, p *struct{ ID raw }) (any, error) {
				jrpc2.ServerFromContext(ctx).CancelRequest(string(p.ID))
				return nil, nil
			}),
		},
	}
}
