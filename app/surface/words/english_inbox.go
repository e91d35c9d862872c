package words

func englishInbox() Inbox {
	return Inbox{
		Waiting: "Waiting", Later: "Later", History: "History", All: "All",
		Search: "Search", SearchHint: "Search questions and answers", NothingFound: "Nothing found", NothingHere: "Nothing here", More: "More",
		Filter: "Filter", ClearFilters: "Clear filters", Any: "any",
		Agent: "Agent", Asker: "Asker", Workspace: "Workspace", Branch: "Branch", Conversation: "Conversation",
		Person: "Person", Kind: "Kind", Age: "Age", Blocking: "Blocking",
		Questions: "Questions", Approvals: "Approvals",
		OldestFirst: "Oldest first", BlockingFirst: "Blocking most work",
		GroupByConversation: "Group by conversation", NoConversation: "No conversation",

		Undo: "Undo", UndoHint: "You can undo until the agent receives it.", Undone: "Undone. The question is open again.",
		Amend: "Amend the answer", AmendHint: "The agent has the earlier answer. It gets this one as a late message.", Amended: "Amended. The agent is told.",
		NotAmended: "Not amended: %s",
		AskAgain:   "Ask again", AgainHint: "It is a new question with the same text. The agent gets the answer with its next prompt.",
		AgainBy: "%s asked this again", AgainByYou: "You asked this again", NotAgain: "Not asked again: %s",
		Delivered: "delivered", Late: "late", NotDelivered: "not delivered yet",

		LaterTitle: "Show this question again", LaterHour: "in 1 hour", LaterTomorrow: "tomorrow 8:00",
		LaterMonday: "Monday 8:00", LaterBack: "when I am back",
		LaterUntil: "later: %s", LaterUntilBack: "later: when you are back",
		Unsnoozed: "It waits for you again.",
		Delegate:  "Delegate", DelegateTo: "To", Comment: "Comment",
		DelegatedTo: "Delegated to %s", DelegatedBy: "%s delegated this to you",
		Decline: "Decline to answer", DeclineReason: "Reason", DeclineHint: "Optional. The agent reads it.",

		AnsweredBefore: "Answered before", SameQuestion: "the same question", LikeQuestion: "a similar question",
		CannotReuse: "It does not fit here: read it, then answer.",

		SameOthers: Plural{One: "%d other question is identical", Other: "%d other questions are identical"},
		Together:   "Answer them together", TogetherHint: "Each is shown below. Your answer is recorded for each of them.",
		SendAll:      Plural{One: "Send %d answer", Other: "Send %d answers"},
		AllowAll:     Plural{One: "Allow %d", Other: "Allow all %d"},
		DenyAll:      Plural{One: "Deny %d", Other: "Deny all %d"},
		EachRecorded: "Each is recorded on its own.",

		WasAnswered: "Answered", WasDeclined: "Declined", WasCancelled: "Cancelled", WasWithdrawn: "The agent no longer needs this answer",
		WasExpired: "The deadline passed", WasSuperseded: "Replaced by a newer request", WasUnanswered: "Closed without an answer", LeftForLater: "left for later", NotYet: "not answered yet",
		WasUndone: "undone", WasAmended: "amended", WasLate: "came too late",
	}
}
