package web

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// precedentsMost is how many answers of before a page shows.
const precedentsMost = 3

// precedent is an answer that was given before.
type precedent struct {
	Question, Said string
	By             string // who gave it, where and when
	Alike          string // whether the questions are identical
	Handle         string
	Value          string // what the button sends that uses it; empty: it does not fit
}

// precedents puts what was answered before into the view of an open ask.
func (s *Site) precedents(ctx context.Context, rd *reader, t *hub.Ticket, v *ask) {
	if v.Closed != nil || t.Ask.Approval != nil {
		return
	}
	all, err := s.deskOf(rd.who).Precedents(ctx, t)
	if err != nil { // it can be answered without
		return
	}
	for i := range all[:min(len(all), precedentsMost)] {
		p := &all[i]
		if p.Ticket == nil || p.Ticket.Outcome == nil {
			continue
		}
		view := precedent{
			Question: title(p.Ticket.Ask), Said: rd.inShort(p.Ticket), By: rd.whoClosed(p.Ticket.Outcome),
			Alike: rd.Inbox.LikeQuestion, Handle: s.hub.Handle(p.Ticket.Address),
		}
		if p.Same {
			view.Alike = rd.Inbox.SameQuestion
		}
		if len(p.Answers) > 0 && !v.TooWeak {
			view.Value = "reuse " + s.naming(p)
		}
		if !slices.ContainsFunc(v.Precedents, func(p precedent) bool {
			return p.Question == view.Question && p.Said == view.Said && p.Value != "" == (view.Value != "")
		}) {
			v.Precedents = append(v.Precedents, view) // the newest of those that say the same
		}
	}
}

// naming names a precedent and the answer that it has: one that was amended since the
// page was made says something else than what the person saw.
func (s *Site) naming(p *hub.Precedent) string {
	return s.hub.Handle(p.Ticket.Address) + " " + strconv.FormatInt(p.Ticket.Outcome.At.UnixNano(), 36)
}

// reuse puts the answers of a precedent into the form, as if the person had given them.
// It reports whether the precedent is still the one that the page showed.
func (s *Site) reuse(ctx context.Context, rd *reader, f *filled, named string) bool {
	all, err := s.deskOf(rd.who).Precedents(ctx, f.t)
	if err != nil {
		return false
	}
	for i := range all {
		p := &all[i]
		if len(p.Answers) == 0 || p.Ticket == nil || p.Ticket.Outcome == nil || s.naming(p) != named {
			continue
		}
		reused := again(f.t.Ask, p.Answers)
		for j := range reused {
			q := &f.t.Ask.Questions[j]
			reused[j].QuestionID = q.ID
			reused[j].own = q.Chooses() && reused[j].Other != ""
			if note := f.all[j].Note; !sayso.Blank(note) && !strings.Contains(reused[j].Note, note) { // what was typed here stays
				reused[j].Note = strings.TrimSpace(reused[j].Note + "\n" + note)
			}
		}
		f.all = reused
		return true
	}
	return false
}
