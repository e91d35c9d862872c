package words

// Inbox is what both inboxes say: lists, searches, and what can be done with a
// question besides answering it.
type Inbox struct {
	// Lists and searches.
	Waiting, Later, History, All                        string // the views
	Search, SearchHint, NothingFound, NothingHere, More string
	Filter, ClearFilters, Any                           string
	Agent, Asker, Workspace, Branch, Conversation       string // what can be filtered by
	Person, Kind, Age, Blocking                         string
	Questions, Approvals                                string // kinds
	OldestFirst, BlockingFirst                          string
	GroupByConversation, NoConversation                 string

	// Held answers, undo and amend.
	Undo, UndoHint, Undone        string
	Amend, AmendHint, Amended     string // in the history
	NotAmended                    string // %s
	AskAgain, AgainHint           string
	AgainBy, AgainByYou           string // %s: a person
	NotAgain                      string // %s
	Delivered, Late, NotDelivered string // marks in the history

	// Later, delegate and decline.
	LaterTitle, LaterHour, LaterTomorrow string
	LaterMonday, LaterBack               string
	LaterUntil                           string // %s
	LaterUntilBack                       string
	Unsnoozed                            string // it was done
	Delegate, DelegateTo, Comment        string
	DelegatedTo, DelegatedBy             string // %s: a person
	Decline, DeclineReason, DeclineHint  string

	// What was answered before.
	AnsweredBefore, SameQuestion, LikeQuestion string
	CannotReuse                                string

	// Several at once.
	SameOthers             Plural // %d other questions are identical
	Together, TogetherHint string
	SendAll, AllowAll      Plural
	DenyAll                Plural
	EachRecorded           string

	// What became of an ask: [Catalogue.Closed]. It stands alone, or begins a sentence
	// ("Answered in the browser by ann"). The heads of columns in [Stats] are words of
	// their own: they name a number of asks.
	WasAnswered, WasDeclined, WasCancelled  string
	WasWithdrawn, WasExpired, WasSuperseded string
	WasUnanswered, LeftForLater             string
	NotYet                                  string // of an open one that the person has looked at
	WasUndone, WasAmended, WasLate          string // why an answer does not count: [Catalogue.Why]
}
