package words

// Terminal is what the dialog and the inbox of the terminal say; the web says the
// same where it says something of the kind.
type Terminal struct {
	// Who asks, where and when.
	AskedBy, SaysItIs, AskerInShort    string
	Unverified, OnThisMachine, Over    string
	NeedsKey, NeedsLogin, NeedsPasskey string
	Final                              string // the answer cannot be undone
	AsksForSecret                      string // the warning, on the question
	WantsSecret                        string // and in a list
	NotHere, CannotAnswer              string
	OneOf                              string
	TimeLeft, Overdue                  string
	DefaultThen, DefaultStopped        string
	HeldUp, NextTools, WaitingAgents   string
	AndMore, HoldsUp, HoldsUpMany      string

	// The question.
	QuestionN, ReviewTab                    string
	Recommended, Dangerous, Secret, Preview string
	TickAll, OwnWords                       string
	TypeAnswer, TypeSecret, TypeNote        string
	ReviewTitle, NotYet                     string
	MoreToOpen, MoreRows, MoreLines         Plural
	Matches, ImageRemoved                   string
	Sending, Saving, TooSmall               string

	// What is asked before something happens.
	Discard                           Plural
	LeaveYes, CancelYes, DeclineYes   string
	LongAnswer, LongYes               string
	DangerTitle, DangerAsk, DangerYes string
	Back                              string

	// What a key came to.
	ChooseFirst, TickFirst, TypeFirst, TypeOrBack string
	NoteAlone, NoSuchOption, DangerByHand         string
	OutOfSight, CameIntoView, PasteAgain          string
	ChosenNow, ChosenWords                        string
	TakenAsOption, Ambiguous                      string
	ReadFirst, LookFirst, MoreToSee               string
	StillOpen, NothingToSend, NotSent             string
	DraftIsBack, DraftNotLoaded, DraftNotKept     string
	NoSuchPath                                    string

	// Approvals.
	DenyWords, NoWords                              string // in the place of own words
	Opening, StillOpening, NotOpened, NotInput      string
	WantsPermission                                 string // in a list: for what kind
	ApprovalKinds                                   string // in the order of sayso.ApprovalKinds
	DoesEdit, DoesKeepEdit, DoesRestore, KeyRestore string

	// Where an ask was closed, and by whom. How is in [Inbox].
	InBrowser, InTerminal, InOther, ByWhom string
	DraftKept, YouTyped, SecretGiven       string

	// The keys and what they do.
	KeyEnter, KeyEsc, KeyTab, KeyShiftTab, KeySpace  string
	KeyNewLine, KeyOpen, KeyEnd, KeyAny              string
	KeyCancel, KeyDecline, PageUp, PageDown          string
	DoesMove, DoesChoose, DoesTick, DoesConfirm      string
	DoesNote, DoesFilter, DoesNext, DoesBack         string
	DoesLater, DoesCancel, DoesDecline               string
	DoesScroll, DoesToEnd, DoesShorten               string
	DoesNewLine, DoesRecall, DoesComplete            string
	DoesToList, DoesShowAll, DoesKeepNote            string
	DoesSend, DoesSendPart, DoesOpenOnes, DoesChange string
	DoesGoOn                                         string

	// The inbox.
	InboxTitle, Waiting, CaughtUp, Live, Offline string
	WindowTitle                                  string
	MoreQuestions, MoreWait, Damaged             Plural
	DoesOpen, DoesQuit, DoesUndo                 string
	Sent, Undone, AgentHasIt, NotUndone          string

	// What more the inbox does.
	AtTerminal                                     string // where an answer was given
	SendsIn                                        string // %d seconds
	NotHeld, TooLate, HeldElsewhere                string
	Searching, ViewTitle, BeforeTime, AfterTime    string
	OlderDay, YoungerDay, ToWhom                   string
	NotSupported, NotDone, NotAll, NoHub           string
	DoesShowNow                                    string
	CannotAmend, Copied                            string
	NothingSame, OtherKind, NotOverYours, Reused   string
	AnswersAlso, AllowedN, DeniedN                 Plural
	DoesDecide                                     string // %d
	DoesViews, DoesAmend, DoesKeys, DoesCopy       string
	DoesAgain                                      string
	DoesReuse, DoesTogether, DoesAlone, DoesAnswer string
	DoesToInbox, DoesPick                          string
	KeyUndo, HelpUndo, HelpOpen, HelpCopy          string
}
