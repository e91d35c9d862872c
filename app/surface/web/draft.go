package web

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// locks keep the forms of one ask from being taken at the same time, so that what
// is looked at is still so when something is stored.
type locks [64]sync.Mutex

func (l *locks) lock(handle string) (unlock func()) {
	h := fnv.New32a()
	h.Write([]byte(handle))
	m := &l[h.Sum32()%uint32(len(l))]
	m.Lock()
	return m.Unlock
}

// undone are the answers to the ask that the responder took back, newest first.
func undone(t *hub.Ticket, by sayso.Responder) iter.Seq[hub.Entry] {
	return func(yield func(hub.Entry) bool) {
		for _, e := range slices.Backward(t.History) {
			if e.Why == hub.Undone && hub.SameResponder(e.Outcome.By, by) && !yield(e) {
				return
			}
		}
	}
}

// life names the time since the person last took back an answer to the ask; it is
// empty if they never did. A form or a draft of an earlier life is not taken, however
// late it comes: the person has sent and taken back something else since.
func life(t *hub.Ticket, by sayso.Responder) string {
	for e := range undone(t, by) {
		return strconv.FormatInt(e.At.UnixNano(), 36)
	}
	return ""
}

// begun is what the form of an open ask begins with: the person's draft, or, where
// that is older, the answer that they took back last. Behind a declined ask is the
// form as it was before.
func begun(t *hub.Ticket, by sayso.Responder, d *hub.Draft) []sayso.Answer {
	for e := range undone(t, by) {
		if d.SavedAt.After(e.At) {
			break
		}
		if len(e.Outcome.Answers) > 0 {
			return e.Outcome.Answers
		}
	}
	return d.Answers
}

// version names a draft; it is empty if there is none.
func version(d *hub.Draft) string {
	if d.SavedAt.IsZero() {
		return ""
	}
	return strconv.FormatInt(d.SavedAt.UnixNano(), 36)
}

// draft returns what the person typed earlier, on any device. A draft that cannot be
// read does not keep the form away.
func (s *Site) draft(ctx context.Context, who *auth.Principal, t *hub.Ticket) *hub.Draft {
	d, err := s.inboxOf(who).Draft(ctx, t)
	if err != nil {
		return &hub.Draft{}
	}
	return d
}

// keep stores what is in the form as the person's draft, over the draft that the
// form was made with. It stores nothing over words that the form does not know,
// typed in another tab or on another device, and returns those.
func (s *Site) keep(ctx context.Context, who *auth.Principal, t *hub.Ticket, form url.Values, all []said) (now *hub.Draft, unknown []string, err error) {
	now = s.draft(ctx, who, t)
	if version(now) != form.Get("base") {
		if unknown = unseen(now.Answers, all); len(unknown) > 0 {
			return now, unknown, nil
		}
	}
	d := &hub.Draft{}
	for i := range all {
		if a := all[i].Answer; len(a.Selected) > 0 || a.Other != "" || a.Note != "" || a.Input != "" {
			d.Answers = append(d.Answers, a)
		}
	}
	if len(d.Answers) == 0 && len(now.Answers) == 0 {
		return now, nil, nil
	}
	if err := s.inboxOf(who).SaveDraft(ctx, t, d); err != nil {
		return now, nil, err
	}
	return s.draft(ctx, who, t), nil, nil
}

// unseen are the words of a draft that the form does not have in the same place.
func unseen(draft []sayso.Answer, all []said) (words []string) {
	for _, a := range draft {
		i := slices.IndexFunc(all, func(s said) bool { return s.QuestionID == a.QuestionID })
		if i < 0 {
			continue
		}
		for _, w := range [][2]string{{a.Other, all[i].Other}, {a.Note, all[i].Note}} {
			if !sayso.Blank(w[0]) && !strings.Contains(w[1], w[0]) {
				words = append(words, w[0])
			}
		}
	}
	return words
}

// texts are the words and notes of answers, each to be copied, and the chosen
// labels if they are wanted too.
func texts(a *sayso.Ask, answers []sayso.Answer, labels bool) (all []string) {
	for _, ans := range answers {
		q := a.Question(ans.QuestionID)
		if q == nil {
			continue
		}
		var chosen []string
		for _, id := range ans.Selected {
			if o := q.Option(id); o != nil && labels {
				chosen = append(chosen, o.Label)
			}
		}
		changed := ""
		if a.Approval != nil {
			changed = editedText(a.Approval, ans.Input)
		}
		for _, text := range []string{strings.Join(chosen, ", "), ans.Other, ans.Note, changed} {
			if !sayso.Blank(text) {
				all = append(all, text)
			}
		}
	}
	return all
}

// leave adds to the view what the person has typed and the view does not show. Of a
// closed ask that is also what they chose.
func (v *ask) leave(a *sayso.Ask, typed []sayso.Answer) {
	for _, text := range texts(a, typed, v.Closed != nil) {
		if !slices.ContainsFunc(slices.Concat(v.shown, v.Unsent), func(s string) bool { return strings.Contains(s, text) }) {
			v.Unsent = append(v.Unsent, text)
		}
	}
}

// draftReply tells the script what became of a draft.
type draftReply struct {
	Version string   `json:"version"`         // of the draft that is stored now
	Stale   bool     `json:"stale,omitempty"` // not stored: the ask is closed, or was opened again since
	Unknown []string `json:"unknown,omitempty"`
	Named   []named  `json:"named,omitempty"`
}

// named says that own words are an option.
type named struct {
	Question int    `json:"question"`
	Value    string `json:"value"`
	Words    string `json:"words"`
}

func (s *Site) saveDraft(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	defer s.forms.lock(r.PathValue("handle"))()
	rd := s.reader(r.Context())
	t, err := s.ticket(r, who)
	if err == nil {
		err = r.ParseForm()
	}
	switch {
	case errors.Is(err, hub.ErrNotFound):
		http.Error(w, rd.Web.UnsavedGone, http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, rd.Web.Unsaved, statusOf(err))
		return
	}
	reply, status := draftReply{}, http.StatusConflict
	if t.Open() && r.PostForm.Get("life") == life(t, responder(who)) && t.Held == nil {
		all := rd.readForm(t.Ask, r.PostForm)
		d, unknown, err := s.keep(r.Context(), who, t, r.PostForm, all)
		if err != nil {
			http.Error(w, rd.Web.Unsaved, http.StatusServiceUnavailable)
			return
		}
		reply.Version, reply.Unknown = version(d), unknown
		if len(unknown) == 0 {
			status = http.StatusOK
		}
		for i := range all {
			if all[i].named != nil {
				reply.Named = append(reply.Named, named{i, optionValue + all[i].named.ID, rd.namedWords(&all[i])})
			}
		}
	} else {
		reply.Stale = true
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(reply)
}
