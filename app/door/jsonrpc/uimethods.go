package jsonrpc

// closedFields say what became of an ask that was closed elsewhere.
func closedFields(status bool) []field {
	return []field{
		{"status", "string", status, "What became of the ask: answered, declined, cancelled, expired, superseded, pending if it stays open, or unreachable."},
		{"by", "string", false, "Who closed it."},
		{"surface", "string", false, "Where."},
		{"answer", "string", false, "What was answered, as plain text with a line for each question."},
		{"reason", "string", false, "Why, in words."},
	}
}

// askerFields say who asks, and what there is to know before answering. They are
// spelled as in each of the two protocols.
func askerFields(heldUp string) []field {
	return []field{
		{"agents", "array", false, "Who asks, as the asker says itself, top agent first."},
		{"asker", "string", true, "Who asks as far as the hub knows, or unverified. Show it apart from the claim."},
		{"claim", "string", false, "Who asks, and where, as the asker says itself. Anybody can claim anything."},
		{"deadline", "string", false, "Until when an answer counts, as in RFC 3339."},
		{heldUp, "string", false, "What waits for the answer."},
		{"needs", "string", false, "What an answer needs, in words."},
		{"notice", "string", false, "Show it: the answer is final."},
		{"warning", "string", false, "Show it: a question asks for a secret and does not say so."},
		{"error", "string", false, "Why the answer before this one was not taken. Show it."},
	}
}

// uiMethods are what a user interface is sent.
func uiMethods() []method {
	return []method{
		{
			Name: string(ClientAskUser), Direction: toClient,
			Description: "Ask the user a question with optional multiple-choice answers. A form of several questions is sent one by one, and a dangerous choice is followed by the question whether it is meant.",
			Params: append([]field{
				{"session_id", "string", true, "Session this question belongs to."},
				{"question", "string", true, "The question to display. It holds everything that the user must see but the choices and the header: the text and, where there is more, the body and what each choice means."},
				{"choices", "array", false, "Optional multiple-choice options. Own words are always allowed. Select none of them beforehand."},
				{"request_id", "string", true, "Names the dialog, for client/ask_user_withdrawn."},
				{"header", "string", false, "A short title."},
				{"kind", "string", true, "What is asked for: text, choice or choices."},
				{"text", "string", false, "The text of the question alone, where question has more."},
				{"body", "string", false, "Markdown that belongs to the question."},
				{"descriptions", "array", false, "What each choice means, in the same order."},
				{"previews", "array", false, "Markdown or code that belongs to each choice, in the same order."},
				{"recommended", "array", false, "Whether the asker recommends each choice, in the same order."},
				{"danger", "array", false, "Whether each choice is dangerous, in the same order."},
				{"multiple", "boolean", false, "Several choices may be given: answer with an array."},
				{"secret", "boolean", false, "Do not show or keep what is typed."},
			}, askerFields("held_up")...),
			Result: []field{
				{"answer", "string", false, "The user's response text: a choice, own words, or an array where several may be given. Blank is no answer, and asked again."},
				{"declined", "boolean", false, "The user does not want to answer."},
				{"cancelled", "boolean", false, "The user called it off."},
			},
		},
		{
			Name: "client/ask_user_withdrawn", Direction: toClient, Notification: true,
			Description: "Close the dialog: its ask is closed, or no longer asked here. An answer to it is not taken; answer the request all the same.",
			Params:      append([]field{{"request_id", "string", true, "The dialog."}}, closedFields(true)...),
		},
		{
			Name: string(AskUserRequest), Direction: toClient, Notification: true,
			Description: "Ask the user a form. Answer with ask_user_response. The same requestId again takes the place of the form before: its answer was not taken, or it asks whether a dangerous choice is meant.",
			Params: append([]field{
				{"requestId", "string", true, "Names the dialog."},
				{"questions", "array", true, "Each with question, header, options [{label, description}] and multiSelect, which hold everything that the user must see. The same in parts: text and body of a question, preview, recommended and danger of an option."},
				{"metadata", "object", false, "What the asker added."},
				{"digest", "string", true, "Of the questions."},
				{"sessionId", "string", false, "The conversation."},
			}, askerFields("heldUp")...),
		},
		{
			Name: "ask_user_withdrawn", Direction: toClient, Notification: true,
			Description: "Close the dialog: its ask is closed, or no longer asked here. An ask_user_response that comes later is answered with it.",
			Params:      append([]field{{"requestId", "string", true, "The dialog."}}, closedFields(true)...),
		},
		{
			Name: "ui/elsewhere", Direction: toClient, Notification: true,
			Description: "A question waits that cannot be answered here: it needs a sign-in, or is for named people.",
			Params: []field{
				{"request_id", "string", true, "The ask."},
				{"title", "string", true, "What it is about."},
				{"reason", "string", true, "Why, and where it can be answered, in words."},
			},
		},
		{
			Name: "ui/detached", Direction: toClient, Notification: true,
			Description: "The hub no longer tells what waits: it does not take the key any more, say.",
			Params:      []field{{"reason", "string", true, "Why, in words."}},
		},
	}
}
