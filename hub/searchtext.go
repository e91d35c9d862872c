package hub

import "github.com/saysohq/sayso"

// searchTexts are the texts of a ticket that a search looks at: what people read, and
// who they are. What somebody typed where a secret was asked for is left out, and so
// is what was taken back, or may still be.
func searchTexts(t *Ticket) (all []string) {
	a := t.Ask
	add := func(texts ...string) {
		for _, s := range texts {
			if s != "" {
				all = append(all, s)
			}
		}
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		add(q.Header, q.Text)
		for j := range q.Options {
			add(q.Options[j].Label)
		}
	}
	if o := t.Outcome; o != nil {
		addOutcome(a, o, add)
	}
	o := &a.Origin
	add(o.Agents...)
	add(o.Host, o.Asker, o.Workspace, o.Branch, o.Conversation)
	add(a.To...)
	for _, p := range t.Passed {
		add(p.To, p.Comment)
	}
	for _, e := range t.History {
		if e.Why == Late {
			addOutcome(a, e.Outcome, add)
		}
	}
	if p := a.Approval; p != nil {
		add(p.Tool, p.Cwd, p.Reason)
		for _, f := range p.Files {
			add(f.Path)
		}
	}
	// The longest last: only so many words count.
	for i := range a.Questions {
		q := &a.Questions[i]
		for j := range q.Options {
			add(q.Options[j].Description, q.Options[j].Preview)
		}
		add(q.Body)
	}
	if p := a.Approval; p != nil {
		for i := range p.Shown {
			c := &p.Shown[i].Content
			add(p.Shown[i].Name)
			if c.Stored {
				add(c.Head, c.Tail)
			} else {
				add(c.Text)
			}
		}
	}
	return all
}

func addOutcome(a *sayso.Ask, o *sayso.Outcome, add func(...string)) {
	for _, one := range o.Answers {
		typed := one.Other + one.Note + one.Input
		if q := a.Question(one.QuestionID); typed != "" && q != nil && !q.WantsSecret() {
			add(one.Other, one.Note, one.Input)
		}
	}
	if o.Reply != "" && !a.WantsSecret() {
		add(o.Reply)
	}
	add(o.Reason)
	if o.By.Kind == sayso.ByPerson {
		add(o.By.ID)
	}
}
