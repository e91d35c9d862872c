package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// export hands out one ask and what became of it, as Markdown or as JSON. Secrets are
// left out: they are for the agent alone.
func (s *Site) export(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err != nil {
		s.missing(w, r, who, err)
		return
	}
	rd := s.reader(r.Context())
	kind, name, text := "text/markdown", "md", rd.markdown(t)
	if r.URL.Query().Get("as") == "json" {
		data, err := json.MarshalIndent(exported(t), "", "  ")
		if err != nil {
			s.broken(w, r, err)
			return
		}
		kind, name, text = "application/json", "json", string(data)+"\n"
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, fileName(t.Address.ID), name))
	w.Write([]byte(text))
}

// fileName is an id as the name of a file.
func fileName(id string) string {
	safe := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
	return safe[:min(len(safe), 64)]
}

// exported is the ticket without what is only for the agent.
func exported(t *hub.Ticket) any {
	o := t.Outcome
	if o != nil {
		c := *o
		c.Answers = nil
		for _, a := range o.Answers {
			if q := t.Ask.Question(a.QuestionID); q != nil && q.Secret {
				a.Other = ""
			}
			c.Answers = append(c.Answers, a)
		}
		o = &c
	}
	return struct {
		Ask     *sayso.Ask     `json:"ask"`
		Outcome *sayso.Outcome `json:"outcome,omitempty"`
	}{t.Ask, o}
}

// fenced is a text as a block of code, in a fence that nothing in it closes.
func fenced(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(s, "\n") + "\n" + fence + "\n\n"
}

// spanned is a line as code.
func spanned(s string) string {
	return "`" + strings.ReplaceAll(sayso.SafeLine(s), "`", "ˋ") + "`"
}

// markdown is an ask and its answers to be read. What others wrote stands as code, where
// it is text and nothing else: no heading, no link, no picture that is loaded.
func (rd *reader) markdown(t *hub.Ticket) string {
	var b strings.Builder
	quote := func(s string) {
		b.WriteString(fenced(sayso.SafeText(s)))
	}
	fmt.Fprintf(&b, "%s %s\n", rd.AskedBy, spanned(rd.Verified(t.Ask.Origin)))
	if c := t.Ask.Origin.Claim(); c != "" {
		fmt.Fprintf(&b, "%s %s\n", rd.SaysItIs, spanned(c))
	}
	fmt.Fprintf(&b, "%s\n\n", rd.Say(rd.Web.Asked, rd.stamp(t.Ask.AskedAt)))
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		quote(q.Text)
		if q.Body != "" {
			quote(q.Body)
		}
		for j := range q.Options {
			o := &q.Options[j]
			fmt.Fprintf(&b, "- %s\n", spanned(strings.TrimSuffix(o.Label+" — "+o.Description, " — ")))
		}
		b.WriteString("\n")
		if t.Outcome != nil {
			a, _ := t.Outcome.Answer(q.ID)
			quote(rd.saidWords(q, a))
		}
	}
	if t.Outcome != nil {
		fmt.Fprintf(&b, "%s %s\n", rd.headline(t), spanned(rd.whoClosed(t.Outcome)))
		if d := rd.delivery(t); d != "" {
			fmt.Fprintf(&b, "%s\n", d)
		}
		if t.Outcome.Reason != "" {
			b.WriteString("\n")
			quote(t.Outcome.Reason)
		}
	}
	return b.String()
}
