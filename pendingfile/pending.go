package pendingfile

import (
	"path"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// Pending is an ask in a file, as it was when it was read.
type Pending struct {
	File    string         // as a person in the workspace would name it: .sayso/pending-questions.json
	Ask     *sayso.Ask     // always with an id
	Outcome *sayso.Outcome // what Close has recorded; nil while the ask is open

	given    []strictjson.Value // the answers in the file, one for each question
	modified time.Time          // when the file was last written
	readAt   time.Time
}

// Surface is the By.Surface of the outcomes of this package.
const Surface = "file"

// FromFile returns what the edited file says: StatusPending as long as it has no
// answer, StatusAnswered from the first one on, with the other questions marked as
// skipped. A recorded outcome comes before both. Answers that do not fit are an
// [*sayso.InvalidError].
//
// The time of the answer is that of the file: one that was written in time counts,
// whenever it is read.
func (p *Pending) FromFile() (*sayso.Outcome, error) {
	if p.Outcome != nil {
		return p.Outcome, nil
	}
	o, err := p.outcome(p.given, p.modified)
	switch {
	case err != nil:
		return nil, err
	case o.HasAnswer():
		return p.inTime(o), nil
	case p.overdue(p.readAt):
		return p.expired(), nil
	}
	return p.pending(""), nil
}

// FromList returns what a JSON list says, one value for each question in order:
// a string, a list of strings, or null. Values that are left out at the end are
// no answers. A list without an answer is StatusUnanswered.
func (p *Pending) FromList(list []byte) (*sayso.Outcome, error) {
	v, err := strictjson.Parse(list)
	var invalid sayso.InvalidError
	switch {
	case err != nil:
		invalid.Add(sayso.ErrMalformed, "answers", "cannot be read: "+err.Error())
	case v.Kind() != strictjson.Array:
		invalid.Add(sayso.ErrMalformed, "answers", "is not a list; write [\"first\", \"second\"]")
	case v.Len() > len(p.Ask.Questions):
		invalid.Add(sayso.ErrUnknownQuestion, "answers", "has more values than there are questions")
	}
	if err := invalid.OrNil(); err != nil {
		return nil, err
	}
	values := make([]strictjson.Value, len(p.Ask.Questions))
	for i := range v.Len() {
		values[i] = v.Index(i)
	}
	o, err := p.outcome(values, p.readAt)
	if err != nil {
		return nil, err
	}
	return p.inTime(o.Settled()), nil
}

// FromWords returns the words as the reply to the whole form, untouched: it is the
// asking model that understands them. Blank words are StatusUnanswered.
func (p *Pending) FromWords(words string) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Reply: words, By: byHand, At: p.readAt}
	return p.inTime(o.Settled())
}

var byHand = sayso.Responder{Kind: sayso.ByPerson, Surface: Surface, Assurance: sayso.AssuranceLocal}

// pending says how to wait, and what is wrong, if something is.
func (p *Pending) pending(wrong string) *sayso.Outcome {
	reason := p.wait()
	if wrong != "" {
		reason += "\n\n" + wrong
	}
	return &sayso.Outcome{Status: sayso.StatusPending, Reason: reason}
}

// inTime returns o, or, where it came too late, that the ask has expired.
func (p *Pending) inTime(o *sayso.Outcome) *sayso.Outcome {
	if p.overdue(o.At) {
		return p.expired()
	}
	return o
}

func (p *Pending) overdue(at time.Time) bool {
	return !p.Ask.Deadline.IsZero() && at.After(p.Ask.Deadline)
}

func (p *Pending) expired() *sayso.Outcome {
	return &sayso.Outcome{
		Status:  sayso.StatusExpired,
		Answers: slices.Clone(p.Ask.OnExpiry.Default),
		By:      sayso.Responder{Kind: sayso.ByPolicy},
		At:      p.Ask.Deadline,
	}
}

func (p *Pending) holds(a *sayso.Ask) bool { return p.Ask.ID == a.ID && p.Ask.Digest() == a.Digest() }

func (p *Pending) isDefault() bool { return path.Base(p.File) == DefaultFile }
