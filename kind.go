package sayso

// Kind says what a question asks for, and so which answers it can have. An empty
// kind is one that [Ask.Normalize] has not set yet.
type Kind string

// The kinds of questions. Own words answer every one of them.
const (
	KindText    Kind = "text"    // words; there are no options
	KindChoice  Kind = "choice"  // one of the options
	KindChoices Kind = "choices" // any of the options
)

// ByKind returns the value for the kind of a question. It takes one for every kind
// there is: where kinds are treated differently, a new one does not compile until
// it is decided what becomes of it.
func ByKind[T any](q *Question, text, choice, choices T) T {
	switch q.kind() {
	case KindChoice:
		return choice
	case KindChoices:
		return choices
	}
	return text
}

// Several reports whether more than one option may be chosen.
func (q *Question) Several() bool { return ByKind(q, false, false, true) }

// Chooses reports whether there are options to choose from.
func (q *Question) Chooses() bool { return ByKind(q, false, true, true) }

// knownKind reports whether the kind of the question is one of the kinds.
func (q *Question) knownKind() bool {
	return q.kind() == ByKind(q, KindText, KindChoice, KindChoices)
}

// kind returns the kind of a question that may not be normalized.
func (q *Question) kind() Kind {
	switch {
	case q.Kind != "":
		return q.Kind
	case len(q.Options) == 0:
		return KindText
	case q.Multi:
		return KindChoices
	}
	return KindChoice
}

// setKind makes Kind and Multi say the same.
func (q *Question) setKind() {
	q.Kind = q.kind()
	q.Multi = q.Multi || q.Several()
}

// AskKind says what an ask is about, and so how it is shown.
type AskKind string

// The kinds of asks.
const (
	AskQuestions AskKind = "questions" // questions to be answered; the default
	AskApproval  AskKind = "approval"  // something that an agent wants to do: see [Approval]
)

// ByAskKind returns the value for the kind of an ask, as [ByKind] does for
// questions. Every surface begins with it.
func ByAskKind[T any](a *Ask, questions, approval T) T {
	if a.Kind == AskApproval {
		return approval
	}
	return questions
}

func (a *Ask) knownKind() bool {
	return a.Kind == "" || a.Kind == ByAskKind(a, AskQuestions, AskApproval)
}
