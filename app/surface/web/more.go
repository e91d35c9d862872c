package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// more is what a person can do with an open ask besides answering it.
type more struct {
	Later  []option // when to see it again
	People []string // whom it can be delegated to
	To     string   // who was chosen, in a form that was refused
	Note   string   // the comment, in a form that was refused
	Reason string   // to decline, in a form that was refused
}

// more returns the choices; whom the ask can be delegated to is filled in by people.
func (rd *reader) more() *more {
	m := &more{}
	for _, c := range rd.LaterChoices(rd.now.In(rd.zone)) {
		m.Later = append(m.Later, option{Value: c.Name, Label: c.Words})
	}
	return m
}

// keep puts what was typed beside the answer into the form again.
func (m *more) keep(form url.Values) {
	m.To, m.Note, m.Reason = form.Get("to"), form.Get("comment"), form.Get("reason")
}

// notDelegated says why an ask cannot be delegated in this way; it is empty where
// something else is wrong.
func (rd *reader) notDelegated(err error, to string) string {
	var invalid *sayso.InvalidError
	switch {
	case !errors.As(err, &invalid) || len(invalid.Problems) == 0:
		return ""
	case invalid.Problems[0].Path == "to":
		return rd.Say(rd.Web.NoSuchPerson, rd.Quote(line(to)))
	}
	p := invalid.Problems[0]
	return rd.Say(rd.Web.NotDelegated, strings.TrimSpace(p.Path+" "+p.Message))
}

// until returns the snooze that a choice of "later" names, nil for one that ends it; ok
// is false if it names none.
func (rd *reader) until(choice string) (z *hub.Snooze, ok bool) {
	if choice == "now" {
		return nil, true
	}
	for _, c := range rd.LaterChoices(rd.now.In(rd.zone)) {
		if c.Name == choice {
			return &hub.Snooze{Until: c.Until, Back: c.Until.IsZero()}, true
		}
	}
	return nil, false
}

// people fills in whom an ask can be delegated to.
func (s *Site) people(ctx context.Context, rd *reader, v *ask) {
	if v.More == nil {
		return
	}
	all, err := s.deskOf(rd.who).People(ctx)
	if err != nil { // it can be answered all the same
		return
	}
	for _, p := range all {
		if p != rd.who.ID {
			v.More.People = append(v.More.People, p)
		}
	}
}

// besides does what a form asks for that is no answer: leave the ask for later, or
// delegate it. It reports whether it was asked for.
func (s *Site) besides(w http.ResponseWriter, r *http.Request, rd *reader, f *filled, do, what string) bool {
	desk, seen := s.deskOf(rd.who), &hub.Ticket{Address: f.t.Address, Digest: f.t.Digest, Revision: f.t.Revision}
	next := "" // who shows an ask again stays there
	goOn := func() { next = s.next(r.Context(), rd, s.hub.Handle(f.t.Address), r.URL.Query()) }
	var err error
	switch do {
	case "later":
		z, ok := rd.until(what)
		if !ok {
			return false
		}
		if z != nil {
			goOn()
		}
		err = desk.Snooze(r.Context(), seen, z)
	case "delegate":
		to := strings.TrimSpace(r.PostForm.Get("to"))
		if to == "" {
			v := s.refill(r.Context(), rd, f)
			v.Problems = []string{rd.Web.ChoosePerson}
			s.show(w, r, http.StatusUnprocessableEntity, f.t, v)
			return true
		}
		goOn()
		_, err = desk.Delegate(r.Context(), seen, to, strings.ReplaceAll(r.PostForm.Get("comment"), "\r\n", "\n"))
	default:
		return false
	}
	if why := rd.notDelegated(err, r.PostForm.Get("to")); why != "" && do == "delegate" {
		v := s.refill(r.Context(), rd, f)
		v.Problems = []string{why}
		s.show(w, r, http.StatusUnprocessableEntity, f.t, v)
		return true
	}
	if err != nil {
		s.unsent(w, r, rd, f, err)
		return true
	}
	t, err := s.hub.Get(r.Context(), f.t.Address)
	if err != nil {
		t = f.t
	}
	s.done(w, r, rd, t, next)
	return true
}

// declined is the outcome of who does not want to answer.
func declined(form url.Values) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusDeclined}
	if reason := strings.ReplaceAll(form.Get("reason"), "\r\n", "\n"); !sayso.Blank(reason) {
		o.Reason = reason
	}
	return o
}

// unsupported reports whether the hub cannot do something at all.
func unsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
