package sayso

import (
	"errors"
	"strconv"
	"strings"
)

// The kinds of problems that Parse, Validate and Check report. Test for them
// with errors.Is; the sentences for the model are in [Problem].
var (
	ErrMalformed         = errors.New("sayso: the call cannot be read")
	ErrNoQuestions       = errors.New("sayso: no questions")
	ErrTooManyQuestions  = errors.New("sayso: too many questions")
	ErrEmptyQuestion     = errors.New("sayso: empty question")
	ErrDuplicateQuestion = errors.New("sayso: duplicate question")
	ErrEmptyHeader       = errors.New("sayso: empty header")
	ErrDuplicateHeader   = errors.New("sayso: duplicate header")
	ErrOptionCount       = errors.New("sayso: wrong number of options")
	ErrEmptyLabel        = errors.New("sayso: empty label")
	ErrDuplicateLabel    = errors.New("sayso: duplicate label")
	ErrEmptyDescription  = errors.New("sayso: empty description")
	ErrTooLong           = errors.New("sayso: text too long")
	ErrBadID             = errors.New("sayso: bad id")
	ErrDuplicateID       = errors.New("sayso: duplicate id")
	ErrKind              = errors.New("sayso: wrong kind")

	ErrUnknownStatus   = errors.New("sayso: unknown status")
	ErrNoAnswer        = errors.New("sayso: no answer")
	ErrUnknownQuestion = errors.New("sayso: unknown question")
	ErrRepeatedAnswer  = errors.New("sayso: question answered twice")
	ErrUnknownOption   = errors.New("sayso: unknown option")
	ErrAmbiguous       = errors.New("sayso: two options could be meant")
	ErrTooManySelected = errors.New("sayso: too many options selected")
	ErrContradiction   = errors.New("sayso: answered and unanswered at once")

	ErrApproval    = errors.New("sayso: wrong approval")
	ErrUnseen      = errors.New("sayso: allowed without being shown")
	ErrNoMessage   = errors.New("sayso: words that cannot be passed on")
	ErrNotEditable = errors.New("sayso: the input cannot be changed")
	ErrContent     = errors.New("sayso: content that is missing or not what its hash says")
)

// Problem is one thing that is wrong, where, and what to do about it.
type Problem struct {
	Path    string // questions[0].options[1].label; empty for the whole
	Message string // a sentence without its subject, which is the path: "is empty; …"
	Err     error  // the kind of problem, for errors.Is
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + " " + p.Message
}

// InvalidError lists everything that is wrong with a call or an answer.
// It matches, with errors.Is, each kind of problem it holds.
type InvalidError struct {
	Problems []Problem
}

const invalidPrefix = "sayso: invalid: "

// RenderError is what an error says, for the person whose answer it is about: without
// the name of this package.
func RenderError(err error) string { return strings.TrimPrefix(err.Error(), invalidPrefix) }

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return invalidPrefix + strings.Join(lines, "; ")
}

// Unwrap returns the kinds of the problems.
func (e *InvalidError) Unwrap() []error {
	errs := make([]error, 0, len(e.Problems))
	for _, p := range e.Problems {
		if p.Err != nil {
			errs = append(errs, p.Err)
		}
	}
	return errs
}

// Add notes a problem.
func (e *InvalidError) Add(err error, path, message string) {
	e.Problems = append(e.Problems, Problem{Path: path, Message: message, Err: err})
}

// OrNil returns e, or nil when it holds no problem.
func (e *InvalidError) OrNil() error {
	if e == nil || len(e.Problems) == 0 {
		return nil
	}
	return e
}

// QuestionPath names a place in an ask: QuestionPath(0, 1, "label") is
// questions[0].options[1].label. A negative option means the question itself, a
// negative question the ask; an empty field means the thing as a whole.
func QuestionPath(question, option int, field string) string {
	if question < 0 {
		return field
	}
	at := indexed("questions", question)
	if option >= 0 {
		at += "." + indexed("options", option)
	}
	if field != "" {
		at += "." + field
	}
	return at
}

func indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }
