package hub

import "github.com/saysohq/sayso"

func (sc *scanner) ask(a *sayso.Ask) {
	sc.object(func(name string) {
		switch name {
		case "id":
			a.ID = sc.text()
		case "kind":
			a.Kind = sayso.AskKind(sc.text())
		case "questions":
			sc.list(func() {
				a.Questions = append(a.Questions, sayso.Question{})
				sc.question(&a.Questions[len(a.Questions)-1])
			})
		case "origin":
			sc.origin(&a.Origin)
		case "to":
			a.To = sc.texts()
		case "dialect":
			a.Dialect = sc.text()
		case "askedAt":
			a.AskedAt = sc.time()
		case "deadline":
			a.Deadline = sc.time()
		case "onExpiry":
			sc.object(func(name string) {
				if name != "default" {
					sc.fail()
				}
				a.OnExpiry.Default = sc.answers()
			})
		case "minAssurance":
			a.MinAssurance = sayso.Assurance(sc.int())
		case "final":
			a.Final = sc.bool()
		default: // metadata too: it may hold anything; and approvals, which are few
			sc.fail()
		}
	})
}

func (sc *scanner) question(q *sayso.Question) {
	sc.object(func(name string) {
		switch name {
		case "id":
			q.ID = sc.text()
		case "header":
			q.Header = sc.text()
		case "text":
			q.Text = sc.text()
		case "body":
			q.Body = sc.text()
		case "options":
			q.Options = make([]sayso.Option, 0, 4)
			sc.list(func() {
				q.Options = append(q.Options, sayso.Option{})
				sc.option(&q.Options[len(q.Options)-1])
			})
		case "kind":
			q.Kind = sayso.Kind(sc.text())
		case "multi":
			q.Multi = sc.bool()
		case "secret":
			q.Secret = sc.bool()
		case "rawHeader":
			q.RawHeader = sc.text()
		case "rawText":
			q.RawText = sc.text()
		default:
			sc.fail()
		}
	})
}

func (sc *scanner) option(o *sayso.Option) {
	sc.object(func(name string) {
		switch name {
		case "id":
			o.ID = sc.text()
		case "label":
			o.Label = sc.text()
		case "description":
			o.Description = sc.text()
		case "preview":
			o.Preview = sc.text()
		case "recommended":
			o.Recommended = sc.bool()
		case "danger":
			o.Danger = sc.bool()
		case "rawLabel":
			o.RawLabel = sc.text()
		default:
			sc.fail()
		}
	})
}

func (sc *scanner) origin(o *sayso.Origin) {
	sc.object(func(name string) {
		switch name {
		case "conversation":
			o.Conversation = sc.text()
		case "toolCall":
			o.ToolCall = sc.text()
		case "agents":
			o.Agents = sc.texts()
		case "host":
			o.Host = sc.text()
		case "workspace":
			o.Workspace = sc.text()
		case "branch":
			o.Branch = sc.text()
		case "traceparent":
			o.Traceparent = sc.text()
		case "asker":
			o.Asker = sc.text()
		case "via":
			o.Via = sc.text()
		default:
			sc.fail()
		}
	})
}

func (sc *scanner) answers() (all []sayso.Answer) {
	sc.list(func() {
		var a sayso.Answer
		sc.object(func(name string) {
			switch name {
			case "questionId":
				a.QuestionID = sc.text()
			case "selected":
				a.Selected = sc.texts()
			case "other":
				a.Other = sc.text()
			case "note":
				a.Note = sc.text()
			case "opened":
				a.Opened = sc.texts()
			case "input":
				a.Input = sc.text()
			case "unanswered":
				a.Unanswered = sayso.Reason(sc.text())
			default:
				sc.fail()
			}
		})
		all = append(all, a)
	})
	return all
}

func (sc *scanner) outcome() *sayso.Outcome {
	o := &sayso.Outcome{}
	sc.object(func(name string) {
		switch name {
		case "status":
			o.Status = sayso.Status(sc.text())
		case "answers":
			o.Answers = sc.answers()
		case "reply":
			o.Reply = sc.text()
		case "by":
			sc.responder(&o.By)
		case "at":
			o.At = sc.time()
		case "reason":
			o.Reason = sc.text()
		default:
			sc.fail()
		}
	})
	return o
}

func (sc *scanner) responder(r *sayso.Responder) {
	sc.object(func(name string) {
		switch name {
		case "kind":
			r.Kind = sayso.ResponderKind(sc.text())
		case "id":
			r.ID = sc.text()
		case "surface":
			r.Surface = sc.text()
		case "assurance":
			r.Assurance = sayso.Assurance(sc.int())
		default:
			sc.fail()
		}
	})
}

func (sc *scanner) state(s *state) {
	sc.object(func(name string) {
		switch name {
		case "digest":
			s.Digest = sc.text()
		case "outcome":
			s.Outcome = sc.outcome()
		case "nonce":
			s.Nonce = sc.text()
		case "consumed":
			s.Consumed = sc.time()
		case "touched":
			s.Touched = sc.time()
		case "held":
			s.Held = sc.held()
		case "passed":
			sc.list(func() {
				s.Passed = append(s.Passed, Passed{})
				sc.passed(&s.Passed[len(s.Passed)-1])
			})
		case "again":
			s.Again = sc.again()
		case "history":
			sc.list(func() {
				s.History = append(s.History, Entry{})
				sc.entry(&s.History[len(s.History)-1])
			})
		default:
			sc.fail()
		}
	})
}

func (sc *scanner) held() *Held {
	h := &Held{}
	sc.object(func(name string) {
		switch name {
		case "outcome":
			h.Outcome = sc.outcome()
		case "nonce":
			h.Nonce = sc.text()
		case "until":
			h.Until = sc.time()
		default:
			sc.fail()
		}
	})
	return h
}

func (sc *scanner) passed(p *Passed) {
	sc.object(func(name string) {
		switch name {
		case "from":
			p.From = sc.text()
		case "to":
			p.To = sc.text()
		case "comment":
			p.Comment = sc.text()
		case "at":
			p.At = sc.time()
		default:
			sc.fail()
		}
	})
}

func (sc *scanner) again() *Again {
	a := &Again{}
	sc.object(func(name string) {
		switch name {
		case "of":
			a.Of = sc.text()
		case "by":
			a.By = sc.text()
		default:
			sc.fail()
		}
	})
	return a
}

func (sc *scanner) entry(e *Entry) {
	sc.object(func(name string) {
		switch name {
		case "outcome":
			e.Outcome = sc.outcome()
		case "why":
			e.Why = Why(sc.text())
		case "at":
			e.At = sc.time()
		case "nonce":
			e.Nonce = sc.text()
		default:
			sc.fail()
		}
	})
}
