package words

import (
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// Stats is what the statistics say, and which questions should have been asked
// differently.
type Stats struct {
	Title, Period, Table                        string // %s: since when
	LastDays                                    Plural // %d
	Blocked, BlockedHint                        string
	Hours                                       string // %s
	Asked, Answered, Declined, Expired          string // as the heads of columns
	WaitingNow, Median, P90, Again              string
	ByAgent, ByAsker, ByKind, ByPerson, ByWeek  string
	AgentHead, AskerHead, KindHead, PersonHead  string
	WeekHead, WeekOf                            string // %s: a day
	Unnamed, You                                string
	Repeated, RepeatedHint                      string
	Times                                       Plural // asked %d times
	LastAsked                                   string // %s: when
	LintTitle, LintHint, LintNone, Why, Instead string
	Found                                       Plural // %d questions
	Nothing, OnlyPart                           string
	Damaged                                     Plural // %d

	KindText, KindChoice, KindChoices, KindSeveral string

	NoOptions, TwoQuestions, Continue, Secret, AskedAgain, TooLong RuleWords
	SameOption, OtherOption, BothOption                            RuleWords
}

// RuleWords say what is wrong with a question, why that is so, and what to write
// instead.
type RuleWords struct{ Name, Why, Instead string }

// Rule returns the words for a rule of package stats by its id.
func (s *Stats) Rule(id string) RuleWords {
	switch id {
	case "no-options":
		return s.NoOptions
	case "two-questions":
		return s.TwoQuestions
	case "continue":
		return s.Continue
	case "secret":
		return s.Secret
	case "asked-again":
		return s.AskedAgain
	case "too-long":
		return s.TooLong
	case "same-option":
		return s.SameOption
	case "other-option":
		return s.OtherOption
	case "both-option":
		return s.BothOption
	}
	return RuleWords{Name: id}
}

// KindName names a kind of ask as package stats counts them.
func (w *Catalogue) KindName(kind string) string {
	switch kind {
	case string(sayso.KindText):
		return w.Stats.KindText
	case string(sayso.KindChoice):
		return w.Stats.KindChoice
	case string(sayso.KindChoices):
		return w.Stats.KindChoices
	case "several":
		return w.Stats.KindSeveral
	}
	names := strings.Fields(w.ApprovalKinds)
	if i := slices.Index(sayso.ApprovalKinds(), sayso.ApprovalKind(kind)); i >= 0 && i < len(names) {
		kind = names[i]
	}
	return w.Say(w.WantsPermission, kind)
}
