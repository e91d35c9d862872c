package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// ticket returns the ask that the address names, if the person may see it.
func (s *Site) ticket(r *http.Request, who *auth.Principal) (*hub.Ticket, error) {
	addr, err := s.hub.Address(r.PathValue("handle"))
	if err != nil || addr.Tenant != who.Tenant {
		return nil, hub.ErrNotFound
	}
	t, err := s.hub.Get(r.Context(), addr)
	if err != nil {
		return nil, err
	}
	if !mayAnswer(t.Ask, who) {
		return nil, hub.ErrNotFound
	}
	return t, nil
}

// mayAnswer reports whether the ask is to the person: to everybody, to this one
// by name, or to the only person there is.
func mayAnswer(a *sayso.Ask, who *auth.Principal) bool {
	if len(a.To) == 0 || who.ID == "" {
		return true
	}
	for _, to := range a.To {
		if to == who.ID {
			return true
		}
	}
	return false
}

func (s *Site) askPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err != nil {
		s.missing(w, r, who, err)
		return
	}
	s.show(w, r, http.StatusOK, who, t, s.fill(t, s.draft(r.Context(), who, t)))
}

// show renders an ask beside the list.
func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, who *auth.Principal, t *hub.Ticket, v *ask) {
	l, err := s.list(r.Context(), who, r.URL.Query(), v.Handle)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.render(w, r, status, "page", page{Title: sayso.Title(t.Ask), Who: who, List: l, Ask: v})
}

func (s *Site) missing(w http.ResponseWriter, r *http.Request, who *auth.Principal, err error) {
	if !errors.Is(err, hub.ErrNotFound) {
		s.broken(w, r, err)
		return
	}
	l, listErr := s.list(r.Context(), who, r.URL.Query(), "")
	if listErr != nil {
		s.broken(w, r, listErr)
		return
	}
	s.render(w, r, http.StatusNotFound, "page", page{Title: "No such question", Who: who, List: l, Error: "There is no such question, or no longer."})
}

// draft returns what the person typed earlier, on any device.
func (s *Site) draft(ctx context.Context, who *auth.Principal, t *hub.Ticket) []said {
	d, err := s.inboxOf(who).Draft(ctx, t)
	if err != nil {
		return nil // a draft may be lost, and must not keep the form away
	}
	all := make([]said, len(t.Ask.Questions))
	for i := range t.Ask.Questions {
		for _, a := range d.Answers {
			if a.QuestionID == t.Ask.Questions[i].ID {
				all[i].Answer = a
			}
		}
	}
	return all
}

func (s *Site) saveDraft(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err == nil {
		err = r.ParseForm()
	}
	if err != nil {
		http.Error(w, "Not saved.", http.StatusNotFound)
		return
	}
	d := &hub.Draft{}
	for _, got := range readForm(t.Ask, r.PostForm) {
		if got.Answered() {
			d.Answers = append(d.Answers, got.Answer)
		}
	}
	if err := s.inboxOf(who).SaveDraft(r.Context(), t, d); err != nil {
		http.Error(w, "Not saved.", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// answer takes the form: it sends, skips, declines or takes back.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err == nil {
		err = r.ParseForm()
	}
	if err != nil {
		s.missing(w, r, who, err)
		return
	}
	do := r.PostForm.Get("do")
	if do == "undo" {
		_, err := s.inboxOf(who).Undo(r.Context(), t)
		s.after(w, r, who, t, nil, err)
		return
	}
	shown := &hub.Ticket{Address: t.Address, Digest: r.PostForm.Get("digest")}
	all := readForm(t.Ask, r.PostForm)
	o := &sayso.Outcome{Status: sayso.StatusDeclined, Reason: strings.TrimSpace(r.PostForm.Get("reason"))}
	if do != "decline" {
		if v := s.refuse(t, all, do == "partial"); v != nil && t.Open() {
			s.show(w, r, http.StatusUnprocessableEntity, who, t, v)
			return
		}
		o = outcome(all)
	}
	_, err = s.inboxOf(who).Close(r.Context(), shown, o)
	s.after(w, r, who, t, all, err)
}

// refuse returns the form with what keeps it from being sent, or nil.
func (s *Site) refuse(t *hub.Ticket, all []said, partial bool) *ask {
	words, missing := problems(t.Ask, all)
	answered := len(all) - missing
	if len(words) == 0 || partial && answered > 0 && len(words) == missing {
		return nil
	}
	v := s.fill(t, all)
	v.Problems, v.Answered = words, answered
	v.Partial = answered > 0 && len(words) == missing
	for i := range v.Questions {
		v.Questions[i].Missing = !all[i].Answered()
	}
	return v
}

// after shows what became of the form.
func (s *Site) after(w http.ResponseWriter, r *http.Request, who *auth.Principal, t *hub.Ticket, all []said, err error) {
	var taken *hub.ClosedError
	var changed *hub.ChangedError
	switch {
	case err == nil:
		http.Redirect(w, r, "/ask/"+s.hub.Handle(t.Address), http.StatusSeeOther)
	case errors.As(err, &taken):
		v := s.fill(taken.Ticket, all)
		v.Unsent = unsent(all)
		s.show(w, r, http.StatusConflict, who, taken.Ticket, v)
	case errors.As(err, &changed):
		v := s.fill(t, all)
		v.Problems = []string{"The question has changed since this page was opened. Read it again before you answer."}
		s.show(w, r, http.StatusConflict, who, t, v)
	case errors.Is(err, hub.ErrConsumed):
		v := s.fill(t, nil)
		v.Problems = []string{"The agent has the answer already; it can no longer be taken back."}
		s.show(w, r, http.StatusConflict, who, t, v)
	case errors.Is(err, hub.ErrAssurance):
		v := s.fill(t, all)
		v.Problems = []string{"This question wants to be surer who answers than this login can say."}
		s.show(w, r, http.StatusForbidden, who, t, v)
	case errors.Is(err, hub.ErrNotAllowed):
		s.missing(w, r, who, hub.ErrNotFound)
	default:
		s.broken(w, r, err)
	}
}

// unsent is what the person typed, to be copied.
func unsent(all []said) []string {
	var words []string
	for _, s := range all {
		for _, w := range []string{s.Other, s.Note} {
			if w != "" {
				words = append(words, w)
			}
		}
	}
	return words
}

// closing words what became of the ask, or returns nil while it is open.
func closing(t *hub.Ticket) *closed {
	if t.Open() {
		return nil
	}
	o := t.Outcome
	c := &closed{Told: !t.Consumed.IsZero()}
	by := sayso.SafeLine(cmp.Or(o.By.ID, "you"))
	switch o.Status {
	case sayso.StatusAnswered:
		c.Headline = "Answered"
	case sayso.StatusDeclined:
		c.Headline = "Declined"
	case sayso.StatusExpired:
		c.Headline, by = "The deadline passed without an answer", ""
	case sayso.StatusCancelled:
		c.Headline, by = "Withdrawn by the agent", ""
	default:
		c.Headline, by = "Closed: "+statusWord(o.Status), ""
	}
	if by != "" {
		c.By = "by " + by
		if o.By.Surface != "" {
			c.By += " (" + sayso.SafeLine(o.By.Surface) + ")"
		}
	}
	c.By = strings.TrimSpace(c.By + " " + o.At.UTC().Format("2 Jan 2006, 15:04 UTC"))
	c.Undo = !c.Told && o.By.Kind == sayso.ByPerson
	c.Reply = sayso.SafeText(o.Reply)
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		a, _ := o.Answer(q.ID)
		c.Rows = append(c.Rows, closedRow{Question: q.Text, Said: saidWords(q, a)})
	}
	return c
}

func saidWords(q *sayso.Question, a sayso.Answer) string {
	if !a.Answered() {
		return "no answer"
	}
	if q.Secret {
		return "a secret, which is not shown"
	}
	var parts []string
	for _, id := range a.Selected {
		if o := q.Option(id); o != nil {
			parts = append(parts, o.Label)
		}
	}
	if a.Other != "" {
		parts = append(parts, "“"+sayso.SafeText(a.Other)+"”")
	}
	words := strings.Join(parts, ", ")
	if a.Note != "" {
		words += " — note: “" + sayso.SafeText(a.Note) + "”"
	}
	return words
}
