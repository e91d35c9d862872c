package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// batchMost is how many asks can be answered together.
const batchMost = 50

// batch is the page on which several asks are answered together: identical questions,
// or approvals of one kind. Every one of them is shown, and each has its own record.
type batch struct {
	Ask      *ask // the questions, which all of them have; nil: they are approvals
	Items    []batchItem
	Left     []batchItem // those that cannot be decided here, and why
	Allow    string      // what the buttons say
	Deny     string
	Send     string
	Back     string
	Query    string
	Problems []string
	Done     []batchItem // what became of them
	Held     int         // how many can be undone
}

// batchItem is one ask of a batch.
type batchItem struct {
	Handle, Digest, Nonce string
	Mark                  mark
	Verified, Claim       string
	Title, Ago            string
	Notes                 []string // what the page of the ask says before it is answered
	Approval              *approval
	Why                   string // it is left out, or what became of it
	OK                    bool
}

// identical finds the open asks with the same questions, the one that is given among
// them.
func (s *Site) identical(ctx context.Context, rd *reader, t *hub.Ticket) (*hub.Found, error) {
	return s.deskOf(rd.who).Search(ctx, &hub.Search{View: hub.ViewOpen, Digest: t.Digest, Limit: batchMost})
}

// same says how many other asks are identical, and where they can be answered together.
func (s *Site) same(ctx context.Context, rd *reader, t *hub.Ticket, v *ask) {
	if t.Ask.Approval != nil {
		return
	}
	found, err := s.identical(ctx, rd, t)
	if err != nil || found.Total < 2 {
		return
	}
	v.Same = found.Total - 1
	v.Together = "/batch?same=" + url.QueryEscape(v.Handle)
}

// batchTickets returns the asks that an address or a form names.
func (s *Site) batchTickets(r *http.Request, rd *reader) (all []*hub.Ticket, err error) {
	if same := r.Form.Get("same"); same != "" && len(r.Form["ask"]) == 0 {
		t, err := s.named(r.Context(), same, rd.who)
		if err != nil {
			return nil, err
		}
		found, err := s.identical(r.Context(), rd, t)
		if err != nil {
			return nil, err
		}
		for i := range found.Items {
			all = append(all, found.Items[i].Ticket)
		}
		return all, nil
	}
	for _, handle := range r.Form["ask"] {
		if len(all) == batchMost {
			break
		}
		t, err := s.named(r.Context(), handle, rd.who) // one that is gone is not on the page
		if err == nil && !slices.ContainsFunc(all, func(o *hub.Ticket) bool { return o.Address == t.Address }) {
			all = append(all, t)
		}
	}
	return all, nil
}

// together calls do with the asks that a request names.
func (s *Site) together(w http.ResponseWriter, r *http.Request, who *auth.Principal, do func(rd *reader, all []*hub.Ticket)) {
	rd := s.reader(r.Context())
	if err := r.ParseForm(); err != nil {
		http.Error(w, rd.Web.Unreadable, statusOf(err))
		return
	}
	all, err := s.batchTickets(r, rd)
	if err != nil {
		s.missing(w, r, who, err)
		return
	}
	do(rd, all)
}

// batchPage shows the asks that are to be answered together.
func (s *Site) batchPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	s.together(w, r, who, func(rd *reader, all []*hub.Ticket) { s.showBatch(w, r, http.StatusOK, s.batch(rd, all, nil)) })
}

func (s *Site) showBatch(w http.ResponseWriter, r *http.Request, status int, v *batch) {
	rd := s.reader(r.Context())
	from := newList(r.URL.Query())
	v.Back, v.Query = from.address("/", "select", ""), from.address("", "select", "")
	l, err := s.list(r.Context(), rd.who, r.URL.Query(), "")
	if err != nil {
		l = brokenList()
	}
	s.render(w, r, status, "page", page{Title: rd.Inbox.Together, Who: rd.who, List: l, Batch: v})
}

// batch makes the page: the first ask says what the batch is of, and what differs from
// it is left out, and said to be.
func (s *Site) batch(rd *reader, all []*hub.Ticket, so []said) *batch {
	v := &batch{}
	var first *hub.Ticket
	for _, t := range all {
		item := s.batchItem(rd, t)
		switch {
		case !t.Open() || t.Held != nil:
			item.Why = rd.Web.NotOpen
		case rd.who.Assurance < t.Ask.MinAssurance:
			item.Why = rd.Needs(t.Ask)
		case first != nil && !decidedAlike(first, t):
			item.Why = rd.Web.OtherKind
		case t.Ask.Approval != nil && item.Approval.Locked:
			item.Why = rd.Web.OpenAllFirst
		case t.Ask.Approval != nil && (offerOf(t.Ask, sayso.ActAllow) == nil || offerOf(t.Ask, sayso.ActDeny) == nil):
			item.Why = rd.Web.OwnChoices
		default:
			if first == nil {
				first = t
			}
			v.Items = append(v.Items, item)
			continue
		}
		v.Left = append(v.Left, item)
	}
	if n := len(v.Items); n > 0 {
		v.Send = rd.Count(rd.Inbox.SendAll, n)
		v.Allow, v.Deny = rd.Count(rd.Inbox.AllowAll, n), rd.Count(rd.Inbox.DenyAll, n)
		if first.Ask.Approval == nil {
			v.Ask = s.fill(rd, first, so)
			v.Ask.Tap = false
		}
	}
	return v
}

func (s *Site) batchItem(rd *reader, t *hub.Ticket) batchItem {
	item := batchItem{
		Handle: s.hub.Handle(t.Address), Digest: t.Digest, Mark: markOf(t.Ask.Origin), Title: title(t.Ask),
		Verified: rd.Verified(t.Ask.Origin), Claim: t.Ask.Origin.Claim(), Ago: rd.ago(t.Ask.AskedAt),
	}
	for _, note := range []string{rd.warning(t.Ask), rd.final(t.Ask), rd.Needs(t.Ask)} {
		if note != "" {
			item.Notes = append(item.Notes, note)
		}
	}
	if t.Ask.Approval != nil {
		item.Approval = rd.approvalOf(t.Ask, item.Handle, &said{})
		for i := range item.Approval.Parts {
			item.Approval.Parts[i].ID = item.Handle + "-" + item.Approval.Parts[i].ID
		}
	}
	return item
}

// decidedAlike reports whether one action can answer two asks: the questions are
// identical, or both are approvals of one kind.
func decidedAlike(a, b *hub.Ticket) bool {
	if a.Ask.Approval == nil || b.Ask.Approval == nil {
		return a.Digest == b.Digest
	}
	return a.Ask.Approval.Kind == b.Ask.Approval.Kind
}

// offerOf returns the option of an approval that allows it once, or denies it, and does
// nothing else; nil without one, or if allowing is dangerous.
func offerOf(a *sayso.Ask, act sayso.Act) *sayso.Option {
	offer := a.Approval.DenyOnce()
	if act == sayso.ActAllow {
		offer = a.Approval.AllowOnce()
	}
	if offer == nil {
		return nil
	}
	option := a.Questions[0].Option(offer.ID)
	if option != nil && option.Danger && act == sayso.ActAllow {
		return nil
	}
	return option
}
