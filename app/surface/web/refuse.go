package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// refuse returns the form with what keeps it from being sent, or nil. A form that
// must be confirmed is one of those; sure is what was confirmed.
func (s *Site) refuse(ctx context.Context, rd *reader, f *filled, do, sure string) *ask {
	words, missing := sayso.ByAskKind(f.t.Ask, rd.problems, rd.undecided)(f.t.Ask, f.all)
	answered := len(f.all) - missing
	if len(words) == 0 || do == "partial" && answered > 0 && len(words) == missing {
		dangerous, value := danger(f)
		if len(dangerous) == 0 || sure == value || !f.t.Open() {
			return nil
		}
		v := s.refill(ctx, rd, f)
		v.Confirm = &confirm{Options: dangerous, Words: rd.confirmWords(dangerous), Value: do + " " + value}
		return v
	}
	for i := range f.all {
		if f.all[i].named != nil && !f.all[i].both {
			f.all[i].take(&f.t.Ask.Questions[i])
		}
	}
	v := s.refill(ctx, rd, f)
	if v.Closed != nil {
		return v
	}
	v.Problems = words
	if answered > 0 && len(words) == missing {
		v.Partial = rd.Say(rd.Web.SendPart, answered, len(f.all), missing)
	}
	for i := range v.Questions {
		v.Questions[i].Missing = !f.all[i].Answered()
	}
	return v
}

// danger returns the dangerous options that the form chooses, and what names exactly
// these: a confirmation of others is none.
func danger(f *filled) (options []*sayso.Option, value string) {
	var names []string
	for _, a := range answers(f.all) {
		for _, o := range f.t.Ask.Dangerous([]sayso.Answer{a}) {
			options, names = append(options, o), append(names, a.QuestionID, o.ID)
		}
	}
	return options, fmt.Sprintf("%q", names)
}

// confirmWords is what the button says that confirms a dangerous answer.
func (rd *reader) confirmWords(dangerous []*sayso.Option) string {
	names := make([]string, len(dangerous))
	for i, o := range dangerous {
		names[i] = o.Label
	}
	return rd.Say(rd.Web.ConfirmSend, rd.list(rd.quoted(names)))
}

// outdated shows the ask as it is now to who sent a form of before an undo.
func (s *Site) outdated(w http.ResponseWriter, r *http.Request, rd *reader, f *filled) {
	v := s.view(r.Context(), rd, f.t)
	if v.leave(f.t.Ask, f.typed()); v.Closed == nil {
		v.Problems = []string{rd.Web.Outdated}
	}
	s.show(w, r, http.StatusConflict, f.t, v)
}

// unsent shows why a form was not taken.
func (s *Site) unsent(w http.ResponseWriter, r *http.Request, rd *reader, f *filled, err error) {
	status, problem := http.StatusConflict, ""
	var taken *hub.ClosedError
	var changed *hub.ChangedError
	switch {
	case errors.As(err, &taken):
		f.t = taken.Ticket
	case errors.As(err, &changed):
		problem = rd.Web.Changed
	default:
		status, problem = s.refusal(rd, "sending an answer", err)
	}
	v := s.refill(r.Context(), rd, f)
	if problem != "" {
		v.Problems = []string{problem}
	}
	s.show(w, r, status, f.t, v)
}

// refusal says why the hub did not do what it was asked for, whatever that was.
func (s *Site) refusal(rd *reader, doing string, err error) (status int, problem string) {
	switch {
	case errors.Is(err, hub.ErrAssurance):
		return http.StatusForbidden, rd.Web.NeedsStronger
	case errors.Is(err, hub.ErrNotAllowed):
		return http.StatusForbidden, rd.Web.NotToYou
	case unsupported(err):
		return http.StatusNotImplemented, rd.Web.Unsupported
	}
	s.opts.Log.Error(doing, "err", err)
	return http.StatusServiceUnavailable, rd.Web.MaybeUnsent
}
