package hub

import "github.com/saysohq/sayso"

func (w *speller) ask(a *sayso.Ask) {
	w.begin('{')
	w.text("id", a.ID)
	w.name("questions")
	if a.Questions == nil {
		w.null()
	} else {
		w.begin('[')
		for i := range a.Questions {
			w.item()
			w.question(&a.Questions[i])
		}
		w.end(']')
	}
	w.origin(&a.Origin)
	w.words("to", a.To)
	w.word("dialect", a.Dialect)
	if len(a.Metadata) > 0 {
		w.name("metadata")
		w.other(a.Metadata)
	}
	w.time("askedAt", a.AskedAt)
	w.time("deadline", a.Deadline)
	if !a.OnExpiry.IsZero() {
		w.name("onExpiry")
		w.begin('{')
		w.answers("default", a.OnExpiry.Default)
		w.end('}')
	}
	w.number("minAssurance", int(a.MinAssurance))
	w.end('}')
}

func (w *speller) question(q *sayso.Question) {
	w.begin('{')
	w.text("id", q.ID)
	w.word("header", q.Header)
	w.text("text", q.Text)
	w.word("body", q.Body)
	if len(q.Options) > 0 {
		w.name("options")
		w.begin('[')
		for i := range q.Options {
			w.item()
			w.option(&q.Options[i])
		}
		w.end(']')
	}
	w.flag("multi", q.Multi)
	w.flag("secret", q.Secret)
	w.word("rawHeader", q.RawHeader)
	w.word("rawText", q.RawText)
	w.end('}')
}

func (w *speller) option(o *sayso.Option) {
	w.begin('{')
	w.text("id", o.ID)
	w.text("label", o.Label)
	w.word("description", o.Description)
	w.word("preview", o.Preview)
	w.flag("recommended", o.Recommended)
	w.flag("danger", o.Danger)
	w.word("rawLabel", o.RawLabel)
	w.end('}')
}

func (w *speller) origin(o *sayso.Origin) {
	if o.IsZero() {
		return
	}
	w.name("origin")
	w.begin('{')
	w.word("conversation", o.Conversation)
	w.word("toolCall", o.ToolCall)
	w.words("agents", o.Agents)
	w.word("host", o.Host)
	w.word("workspace", o.Workspace)
	w.word("branch", o.Branch)
	w.word("asker", o.Asker)
	w.end('}')
}

func (w *speller) answers(name string, all []sayso.Answer) {
	if len(all) == 0 {
		return
	}
	w.name(name)
	w.begin('[')
	for i := range all {
		a := &all[i]
		w.item()
		w.begin('{')
		w.text("questionId", a.QuestionID)
		w.words("selected", a.Selected)
		w.word("other", a.Other)
		w.word("note", a.Note)
		w.word("unanswered", string(a.Unanswered))
		w.end('}')
	}
	w.end(']')
}

func (w *speller) outcome(o *sayso.Outcome) {
	w.begin('{')
	w.text("status", string(o.Status))
	w.answers("answers", o.Answers)
	w.word("reply", o.Reply)
	if o.By != (sayso.Responder{}) {
		w.name("by")
		w.begin('{')
		w.word("kind", string(o.By.Kind))
		w.word("id", o.By.ID)
		w.word("surface", o.By.Surface)
		w.number("assurance", int(o.By.Assurance))
		w.end('}')
	}
	w.time("at", o.At)
	w.word("reason", o.Reason)
	w.end('}')
}

func (w *speller) state(s *state) {
	w.begin('{')
	w.text("digest", s.Digest)
	if s.Outcome != nil {
		w.name("outcome")
		w.outcome(s.Outcome)
	}
	w.word("nonce", s.Nonce)
	w.time("consumed", s.Consumed)
	w.time("touched", s.Touched)
	if len(s.History) > 0 {
		w.name("history")
		w.begin('[')
		for i := range s.History {
			w.item()
			w.entry(&s.History[i])
		}
		w.end(']')
	}
	w.end('}')
}

func (w *speller) entry(e *Entry) {
	w.begin('{')
	w.name("outcome")
	if e.Outcome == nil {
		w.null()
	} else {
		w.outcome(e.Outcome)
	}
	w.text("why", string(e.Why))
	w.moment("at", e.At)
	w.word("nonce", e.Nonce)
	w.end('}')
}
