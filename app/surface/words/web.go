package words

// Web is what only the pages say. What they share with the terminal is in
// [Terminal] and [Inbox].
type Web struct {
	// Every page.
	Skip, Menu, Sound, Notifications, Statistics string
	Settings, Sessions, SignOut, AllQuestions    string
	QuestionList, ChooseQuestion, NothingWaiting string
	SignedOut, SignInAgain, TextStays            string
	NotGetThrough, SeeWhy                        string // %s: names of devices
	ThisDevice, Save, Remove                     string
	SoundOn, SoundOff                            string

	// A question.
	Asked                              string // %s: how long ago
	TooWeak                            string
	AsSent, PreviewAsSent              string
	ChooseAll, InMyWords, OwnAnswerTo  string // %s: the question
	AddNote, NoteOn                    string // %s: the question
	SendAnswer, SendDecision           string
	SendAnswers                        Plural
	SendPart                           string // how many, of how many, left out
	WillNotDecide, SaveDraft           string
	ConfirmLabel, ConfirmTitle, NotYet string
	SaysNothing, ConfirmSend, OrChange string // %s: the labels
	And                                string // between the last two of a list

	// An approval.
	Adds, AddsTo, In, ReadToLast, OpenAllFirst  string // what an option does: %s
	Message, MessageHint, NoMessage             string
	ChangeFirst, ChangeHint                     string
	NotTold, Directory, Tool, Mode, AsksBecause string
	ReasonInAgentsWords, AllOfIt, AllOfItPage   string
	NotOnPage, OpenAll                          string
	Files                                       Plural
	GoesOn, NextPage, WhatWasAsked              string

	// What became of it.
	Reply, UndoAnswer, AgentTold, NoUndo    string
	YouTyped, NotSentWithIt, NotSent        string
	Allowed, Denied                         string // how an approval was closed, besides [Inbox]
	ByYou, ByYouAs, By, Through, AProgram   string
	InTerminal, InBrowser                   string // where, in brackets behind who
	NoAnswer, SecretHidden, WithNote        string
	ChangedBefore, AllowedUnseen, NotOpened string

	// Sessions and sign-in.
	WhereSignedIn, SignedInUsed, EndNamed, End, EndOthers string
	EndHint                                               string
	EndedAlready                                          string
	WereEnded                                             Plural
	SignIn, SignInCode, SignInHint, OpenInbox             string
	LogIn, CodeUnchecked, CodeInvalid, CodeUsed           string
	NoSession                                             string

	// When something is wrong.
	Unreachable, OfflineText, TryAgain           string
	YouAreSignedOut, HubUnreachable, NothingSent string
	TypedBelow, ThenContinue, ContinueSoon       string
	ContinueWith                                 string
	NoSuchQuestion, QuestionGone                 string
	NoSuchPage, NoSuchPageText                   string
	NotNow, NotNowText                           string
	Offline, TooManyBrowsers                     string
	OtherName, OtherSite, Unsaved, UnsavedGone   string

	Language, Zone, Grace, GraceHint, OfBrowser string // settings

	// Lists, triage, batches, history and settings. %s and %d are what English has.
	CaughtUp, WaitingForYou, ToNamed, LastHour                    string
	LastDay, LastWeek, OlderThanDay, OnlyBlocking, Apply          string
	FirstPage, ListBroken, Review, SelectApprovals, StopSelecting string
	SelectThis, UngroupList, KeysTitle, Close                     string
	Earlier, NoAmendApproval, UndoThis, UndoAll                   string
	HeldAnswers, LaterMenu, DelegateMenu, DelegateSend            string
	ChoosePerson, Reused, UseAnswer, Unreadable, DraftSaved       string
	HereIsTyped, Outdated, Changed, NeedsStronger, NotToYou       string
	Unsupported, MaybeUnsent, UndoAnswered, UndoOthers, UndoTold  string
	UndoOpen, MaybeUndone, NamesOption, BothAnswers, ProblemOf    string
	SendAgain, StillNeeds, Denies, Approves, AllowsOnce           string
	AllowsSession, AllowsAlways, ModeBecomes, TurnEnds, Command   string
	Plan, Input                                                   string
	InputJSON, NamesChoice, NothingSentAs, DecideFirst, AnswerIs  string
	NotJSON, NewFile, ChangedFile, DeletedFile, InBetween         string
	NotStored, Picked, Saved, NoGrace, ZoneHint                   string
	NoSuchZone, NoSuchLanguage, NotOpen, OtherKind, OwnChoices    string
	NothingSelected, NotTaken, LeftOut, NextQuestion              string
	ExportMarkdown, ExportJSON, HeldClosed, DeclineSend           string
	SendWords, ChooseAPerson, PreviewTitle                        string
	NotDelegated, NoSuchPerson, NotReused                         string
	SendsIn, Lines, SecondsLong, StillWaiting, TapHint            Plural

	TaskDone, TaskOpen string // the boxes of a task list
}
