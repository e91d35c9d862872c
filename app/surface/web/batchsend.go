package web

import (
	"net/http"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// sendBatch gives one answer to several asks.
func (s *Site) sendBatch(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	s.together(w, r, who, func(rd *reader, all []*hub.Ticket) { s.sendTogether(w, r, rd, all) })
}

func (s *Site) sendTogether(w http.ResponseWriter, r *http.Request, rd *reader, all []*hub.Ticket) {
	do, sure, _ := cutDo(r)
	v := s.batch(rd, all, nil)
	var outcome func(t *hub.Ticket) *sayso.Outcome
	switch {
	case len(v.Items) == 0:
		v.Problems = []string{rd.Web.NothingSelected}
	case v.Ask == nil && (do == "allow" || do == "deny"):
		act := map[string]sayso.Act{"allow": sayso.ActAllow, "deny": sayso.ActDeny}[do]
		outcome = func(t *hub.Ticket) *sayso.Outcome {
			return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Selected: []string{offerOf(t.Ask, act).ID}}}}
		}
	case v.Ask != nil && do == "send":
		f := &filled{t: all[0], draft: &hub.Draft{}}
		for _, t := range all {
			if s.hub.Handle(t.Address) == v.Items[0].Handle {
				f.t = t
			}
		}
		f.all = rd.readForm(f.t.Ask, r.PostForm)
		if words, _ := rd.problems(f.t.Ask, f.all); len(words) > 0 {
			v = s.batch(rd, all, f.all)
			v.Problems = words
			break
		}
		if dangerous, value := danger(f); len(dangerous) > 0 && sure != value {
			v = s.batch(rd, all, f.all)
			v.Ask.Confirm = &confirm{Options: dangerous, Words: rd.confirmWords(dangerous), Value: "send " + value}
			break
		}
		outcome = func(*hub.Ticket) *sayso.Outcome {
			return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers(f.all)}
		}
	}
	if outcome == nil {
		s.showBatch(w, r, http.StatusUnprocessableEntity, v)
		return
	}
	s.showBatch(w, r, http.StatusOK, s.closeAll(r, rd, all, v, outcome))
}

// closeAll closes each ask of a batch, if it is still as the page showed it.
func (s *Site) closeAll(r *http.Request, rd *reader, all []*hub.Ticket, v *batch, outcome func(*hub.Ticket) *sayso.Outcome) *batch {
	shown := map[string]string{} // what the page showed, by handle
	for i, handle := range r.PostForm["ask"] {
		if i < len(r.PostForm["digest"]) {
			shown[handle] = r.PostForm["digest"][i]
		}
	}
	out := &batch{Left: v.Left}
	for _, t := range all {
		i := slices.IndexFunc(v.Items, func(it batchItem) bool { return it.Handle == s.hub.Handle(t.Address) })
		if i < 0 {
			continue
		}
		item := v.Items[i]
		closed, err := s.close(r.Context(), rd, &hub.Ticket{Address: t.Address, Digest: shown[item.Handle]}, outcome(t))
		if err != nil {
			s.opts.Log.Warn("answering one of several", "err", err)
			item.Why = rd.Web.NotTaken
			out.Done = append(out.Done, item)
			continue
		}
		s.held.add(rd.who, closed)
		now := decided(closed)
		item.OK, item.Nonce, item.Why = true, now.Nonce, rd.headline(now)+": "+rd.inShort(now)
		if closed.Held != nil {
			out.Held++
		}
		out.Done = append(out.Done, item)
	}
	return out
}
