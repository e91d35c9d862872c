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
	Asks, SomeAgent, OneOf                 string
	JustNow, MinutesAgo, HoursAgo, DaysAgo string
	TimeLeft, Hours, Days, Overdue         string
	DefaultThen, DefaultStopped            string
	QuestionN, ReviewTab                   string
	Recommended, Dangerous, Preview        string
	TickAll, OwnWords                      string
	TypeAnswer, TypeSecret, TypeNote       string
	ReviewTitle, NotYet                    string
	Folded, MoreRows, MoreLines            Plural
	Matches, ImageRemoved, Sending         string
	LeaveTitle, Later, Decline, Back       string
	DeclineYes                             string
	Discard                                Plural

	// What a key came to.
	ChooseFirst, TickFirst, TypeFirst, TypeOrBack string
	NoteAlone, NoSuchOption, DangerByHand         string
	ChosenNow, ChosenWords                        string
	StillOpen, NothingToSend, NotSent             string
	DraftIsBack, DraftNotLoaded, DraftNotKept     string
	LongAnswer, NoSuchPath                        string
	OpenFirst                                     string

	// What became of an ask.
	WasAnswered, WasDeclined, WasCancelled   string
	WasExpired, WasSuperseded, WasUnanswered string
	LeftForLater, Withdrawn                  string
	InBrowser, InTerminal, InOther, ByWhom   string
	DraftKept, SecretGiven                   string

	// The keys and what they do.
	KeyEnter, KeyEsc, KeyTab, KeyShiftTab, KeySpace  string
	KeyNewLine, KeyOpen, KeyAny, PageUp, PageDown    string
	DoesMove, DoesChoose, DoesTick, DoesConfirm      string
	DoesNote, DoesFilter, DoesNext, DoesBack         string
	DoesLeave, DoesNewLine, DoesRecall, DoesComplete string
	DoesToList, DoesShowAll, DoesKeepNote            string
	DoesSend, DoesSendPart, DoesOpenOnes, DoesChange string
	DoesGoOn                                         string

	// The inbox.
	InboxTitle, Waiting, CaughtUp, Live, Offline string
	MoreQuestions, MoreWait, Damaged             Plural
	DoesOpen, DoesQuit, LeftMark                 string
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
