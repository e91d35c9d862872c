package hub

import "github.com/saysohq/sayso"

func (sp *speller) ask(a *sayso.Ask) {
	sp.object(func() {
		sp.text("id", a.ID)
		sp.name("questions")
		sp.items(len(a.Questions), func(i int) { sp.question(&a.Questions[i]) })
		if !a.Origin.IsZero() {
			sp.name("origin")
			sp.origin(&a.Origin)
		}
		sp.texts("to", a.To)
		sp.optional("dialect", a.Dialect)
		if len(a.Metadata) > 0 {
			sp.any("metadata", a.Metadata)
		}
		sp.time("askedAt", a.AskedAt)
		sp.time("deadline", a.Deadline)
		if !a.OnExpiry.IsZero() {
			sp.name("onExpiry")
			sp.object(func() { sp.answers("default", a.OnExpiry.Default) })
		}
		sp.int("minAssurance", int(a.MinAssurance))
	})
}

func (sp *speller) question(q *sayso.Question) {
	sp.object(func() {
		sp.text("id", q.ID)
		sp.optional("header", q.Header)
		sp.text("text", q.Text)
		sp.optional("body", q.Body)
		sp.list("options", len(q.Options), func(i int) { sp.option(&q.Options[i]) })
		sp.bool("multi", q.Multi)
		sp.bool("secret", q.Secret)
		sp.optional("rawHeader", q.RawHeader)
		sp.optional("rawText", q.RawText)
	})
}

func (sp *speller) option(o *sayso.Option) {
	sp.object(func() {
		sp.text("id", o.ID)
		sp.text("label", o.Label)
		sp.optional("description", o.Description)
		sp.optional("preview", o.Preview)
		sp.bool("recommended", o.Recommended)
		sp.bool("danger", o.Danger)
		sp.optional("rawLabel", o.RawLabel)
	})
}

func (sp *speller) origin(o *sayso.Origin) {
	sp.object(func() {
		sp.optional("conversation", o.Conversation)
		sp.optional("toolCall", o.ToolCall)
		sp.texts("agents", o.Agents)
		sp.optional("host", o.Host)
		sp.optional("workspace", o.Workspace)
		sp.optional("branch", o.Branch)
	})
}

func (sp *speller) answers(name string, all []sayso.Answer) {
	sp.list(name, len(all), func(i int) {
		a := &all[i]
		sp.object(func() {
			sp.text("questionId", a.QuestionID)
			sp.texts("selected", a.Selected)
			sp.optional("other", a.Other)
			sp.optional("note", a.Note)
			sp.optional("unanswered", string(a.Unanswered))
		})
	})
}

func (sp *speller) outcome(o *sayso.Outcome) {
	sp.name("outcome")
	sp.object(func() {
		sp.text("status", string(o.Status))
		sp.answers("answers", o.Answers)
		sp.optional("reply", o.Reply)
		if o.By != (sayso.Responder{}) {
			sp.name("by")
			sp.responder(&o.By)
		}
		sp.time("at", o.At)
		sp.optional("reason", o.Reason)
	})
}

func (sp *speller) responder(r *sayso.Responder) {
	sp.object(func() {
		sp.optional("kind", string(r.Kind))
		sp.optional("id", r.ID)
		sp.optional("surface", r.Surface)
		sp.int("assurance", int(r.Assurance))
	})
}

func (sp *speller) state(s *state) {
	sp.object(func() {
		sp.text("digest", s.Digest)
		if s.Outcome != nil {
			sp.outcome(s.Outcome)
		}
		sp.optional("nonce", s.Nonce)
		sp.time("consumed", s.Consumed)
		sp.list("history", len(s.History), func(i int) { sp.entry(&s.History[i]) })
	})
}

func (sp *speller) entry(e *Entry) {
	sp.object(func() {
		if e.Outcome != nil {
			sp.outcome(e.Outcome)
		}
		sp.text("why", string(e.Why))
		sp.name("at")
		sp.instant(e.At)
		sp.optional("nonce", e.Nonce)
	})
}
