package tui

import (
	"fmt"
	"strings"
)

// Catalogue is every word that the terminal says of its own accord. %s and %d
// stand for what it speaks of, in the order of the English sentence.
type Catalogue struct {
	Thousands             string // between groups of three digits
	QuoteOpen, QuoteClose string

	// Who asks, where and when.
	AskedBy, SaysItIs, AskerInShort        string
	Unverified, OnThisMachine, Over        string
	NeedsKey, NeedsLogin, NeedsPasskey     string
	Final                                  string // the answer cannot be undone
	AsksForSecret                          string // the warning, on the question
	WantsSecret                            string // and in a list
	NotHere, CannotAnswer                  string
	OneOf                                  string
	JustNow, MinutesAgo, HoursAgo, DaysAgo string
	TimeLeft, Hours, Days, Overdue         string
	DefaultThen, DefaultStopped            string
	HeldUp, NextTools, WaitingAgents       string
	AndMore, HoldsUp, HoldsUpMany          string

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

	// What became of an ask.
	WasAnswered, WasDeclined, WasCancelled   string
	WasExpired, WasSuperseded, WasUnanswered string
	LeftForLater, Withdrawn                  string
	InBrowser, InTerminal, InOther, ByWhom   string
	DraftKept, YouTyped, SecretGiven         string

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
	DoesOpen, DoesQuit, DoesUndo, LeftMark       string
	Sent, Undone, AgentHasIt, NotUndone          string
}

// Plural is a sentence about one and about several things.
type Plural struct{ One, Many string }

func (p Plural) of(n int) string {
	if n == 1 {
		return p.One
	}
	return p.Many
}

// say fills a sentence of the catalogue.
func (w *Catalogue) say(sentence string, args ...any) string {
	return fmt.Sprintf(sentence, args...)
}

// Words returns the catalogue for a language tag such as "de" or "de_DE.UTF-8",
// English where there is none.
func Words(language string) *Catalogue {
	if l := strings.ToLower(language); l == "de" || strings.HasPrefix(l, "de_") || strings.HasPrefix(l, "de-") {
		return German()
	}
	return English()
}
