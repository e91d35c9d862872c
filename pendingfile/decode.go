package pendingfile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// decode reads a file. It takes the plain form of the pi agent too, which has
// only sessionId, timestamp and questions; the ask is then made of these.
func decode(data []byte) (*Pending, error) {
	v, err := strictjson.ParseWith(data, &strictjson.Limits{MaxBytes: maxBytes})
	if err != nil {
		return nil, malformed("", "cannot be read: "+err.Error())
	}
	if v.Kind() != strictjson.Object {
		return nil, malformed("", "is not a JSON object")
	}
	questions, _ := v.Get("questions")
	if questions.Kind() != strictjson.Array {
		return nil, malformed("questions", "is not a list")
	}
	for i := range questions.Len() {
		if questions.Index(i).Kind() != strictjson.Object {
			return nil, malformed(at(i, ""), "is not an object")
		}
	}
	stored, ok := v.Get("ask")
	if !ok {
		return decodePlain(v, questions)
	}
	p := &Pending{}
	if p.Ask, err = decodeAsk(v, stored); err != nil {
		return nil, err
	}
	if p.given, err = match(p.Ask, questions); err != nil {
		return nil, err
	}
	if o, ok := v.Get("outcome"); ok {
		if err := json.Unmarshal([]byte(o.Raw()), &p.Outcome); err != nil {
			return nil, malformed("outcome", "cannot be read: "+err.Error())
		}
		if p.Outcome == nil || !p.Outcome.Status.Final() {
			return nil, malformed("outcome", "closes nothing")
		}
		if err := p.Ask.Check(p.Outcome); err != nil {
			return nil, fmt.Errorf("the outcome does not fit the ask: %w", err)
		}
	}
	return p, nil
}

func decodeAsk(v, stored strictjson.Value) (*sayso.Ask, error) {
	if n, _ := v.Get("sayso"); n.Num() != fmt.Sprint(version) {
		return nil, malformed("sayso", fmt.Sprintf("is not %d, the only version this program reads", version))
	}
	var a *sayso.Ask
	if err := json.Unmarshal([]byte(stored.Raw()), &a); err != nil {
		return nil, malformed("ask", "cannot be read: "+err.Error())
	}
	if a == nil || a.ID == "" {
		return nil, malformed("ask.id", "is missing")
	}
	if err := a.Validate(sayso.Limits{}); err != nil {
		return nil, fmt.Errorf("the ask is not valid: %w", err)
	}
	if digest, _ := v.Get("digest"); digest.Str() != a.Digest() {
		return nil, malformed("digest", "does not belong to the ask; edit only the answers")
	}
	return a, nil
}

// match finds the answer to each question, by id, or by place where the ids are
// gone. An answer to a question that was changed is not an answer to ours.
func match(a *sayso.Ask, questions strictjson.Value) ([]strictjson.Value, error) {
	given := make([]strictjson.Value, len(a.Questions))
	seen := make([]bool, len(a.Questions))
	for i := range questions.Len() {
		v := questions.Index(i)
		n := i
		if id, ok := v.Get("id"); ok {
			n = slices.IndexFunc(a.Questions, func(q sayso.Question) bool { return q.ID == id.Str() })
		} else if questions.Len() != len(a.Questions) {
			n = -1
		}
		switch {
		case n < 0:
			return nil, malformed(at(i, "id"), "is none of this ask's; edit only the answers")
		case seen[n]:
			return nil, malformed(at(i, "id"), "is there twice")
		}
		if name := changed(&a.Questions[n], v); name != "" {
			return nil, malformed(at(i, name), "was changed; edit only the answers")
		}
		seen[n] = true
		given[n], _ = v.Get("answer")
	}
	return given, nil
}

// changed returns the name of a member that does not show what the question says, or
// "". A member that is missing, as in an older file, shows nothing.
func changed(q *sayso.Question, v strictjson.Value) string {
	shown, err := strictjson.ParseWith(append(appendQuestion([]byte("{\n"), q, nil), '}'), &strictjson.Limits{MaxBytes: maxBytes})
	for _, name := range []string{"header", "question", "body", "details"} {
		now, ok := v.Get(name)
		should, _ := shown.Get(name)
		if err != nil || ok && !reflect.DeepEqual(now.Any(), should.Any()) {
			return name
		}
	}
	return ""
}

// decodePlain makes an ask of what the file shows.
func decodePlain(v, questions strictjson.Value) (*Pending, error) {
	p := &Pending{Ask: &sayso.Ask{}}
	session, _ := v.Get("sessionId")
	p.Ask.Origin.Conversation = session.Str()
	asked, _ := v.Get("timestamp")
	p.Ask.AskedAt, _ = time.Parse(time.RFC3339, asked.Str()) // a date for sorting; its lack is no harm
	for i := range questions.Len() {
		entry := questions.Index(i)
		text, _ := entry.Get("question")
		header, _ := entry.Get("header")
		multi, _ := entry.Get("multiSelect")
		answer, _ := entry.Get("answer")
		q := sayso.Question{Text: text.Str(), Header: header.Str(), Multi: multi.Bool() || answer.Kind() == strictjson.Array}
		options, _ := entry.Get("options")
		for j := range options.Len() {
			label := options.Index(j)
			if label.Kind() == strictjson.Object {
				label, _ = label.Get("label")
			}
			q.Options = append(q.Options, sayso.Option{Label: label.Str()})
		}
		p.Ask.Questions = append(p.Ask.Questions, q)
		p.given = append(p.given, answer)
	}
	p.Ask.Normalize()
	if err := p.Ask.Validate(sayso.Limits{}); err != nil {
		return nil, err
	}
	p.Ask.ID = contentID(p.Ask)
	return p, nil
}

func at(i int, field string) string { return sayso.QuestionPath(i, -1, field) }

func malformed(path, message string) error {
	e := &sayso.InvalidError{}
	e.Add(sayso.ErrMalformed, path, message)
	return e
}
