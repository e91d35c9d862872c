package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// whole is all of an approval, for somebody who opened it.
type whole struct {
	pages  [][]part
	proofs []string // after each page: that it and those before were opened
	hashes []string // of what is stored beside the ask
}

// whole reads what is stored beside an approval. It returns nil if nothing is.
func (s *Site) whole(r *http.Request, who *auth.Principal, t *hub.Ticket) (*whole, error) {
	if t.Ask.Approval == nil {
		return nil, nil
	}
	hashes, n := t.Ask.Approval.Unseen()
	if n == 0 {
		return nil, nil
	}
	texts, err := hub.Texts(r.Context(), s.inboxOf(who), t)
	if err != nil {
		return nil, err
	}
	w := &whole{hashes: hashes}
	var shown []string
	w.pages, shown = s.reader(r.Context()).paged(t.Ask.Approval, texts)
	// A proof can only come from the text itself: every hub over the storage makes the
	// same, and none has to remember who opened what.
	sum := sha256.Sum256([]byte("opened " + t.Digest))
	for _, text := range shown {
		sum = sha256.Sum256(append(sum[:], text...))
		w.proofs = append(w.proofs, hex.EncodeToString(sum[:16]))
	}
	return w, nil
}

// proven returns all of the approval if the form shows that every page of it was
// opened, and nil otherwise.
func (s *Site) proven(r *http.Request, who *auth.Principal, t *hub.Ticket) *whole {
	proof := r.PostForm.Get("opened")
	if proof == "" {
		return nil
	}
	w, err := s.whole(r, who, t)
	if err != nil || w == nil || w.proofs[len(w.proofs)-1] != proof {
		return nil
	}
	return w
}

// wholePage shows everything that an approval would do, page by page. Each leads to the
// next, and on the last one it can be allowed.
func (s *Site) wholePage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err != nil {
		s.missing(w, r, who, err)
		return
	}
	rd := s.reader(r.Context())
	all, err := s.whole(r, who, t)
	switch {
	case errors.Is(err, hub.ErrNotFound):
		v := s.view(r.Context(), rd, t)
		if v.Closed == nil {
			v.Problems = []string{rd.Web.NotStored}
		}
		s.show(w, r, http.StatusNotFound, t, v)
		return
	case err != nil:
		s.broken(w, r, err)
		return
	case all == nil:
		http.Redirect(w, r, "/ask/"+url.PathEscape(s.hub.Handle(t.Address)), http.StatusSeeOther)
		return
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if page < 1 || page > len(all.pages) || page > 1 && all.proofs[page-2] != r.URL.Query().Get("after") {
		page = 1
	}
	v := s.view(r.Context(), rd, t)
	v.opened(rd, t, all, page)
	s.show(w, r, http.StatusOK, t, v)
}

// opened makes the view one of a page of everything.
func (v *ask) opened(rd *reader, t *hub.Ticket, w *whole, page int) {
	a := v.Approval
	a.Parts, a.Page, a.Pages, a.Files = w.pages[page-1], page, len(w.pages), nil
	if page < a.Pages {
		a.Next = fmt.Sprintf("%s?page=%d&after=%s", a.All, page+1, w.proofs[page-1])
		a.All = ""
		return
	}
	a.All, a.Hidden, a.Locked, a.Proof = "", "", false, w.proofs[page-1]
	for i := range v.Questions {
		cards := v.Questions[i].Cards
		for j := range cards {
			cards[j].Locked = false
		}
		v.Questions[i].Cards = a.offers(rd, t.Ask.Approval, slices.Clone(cards))
	}
}
