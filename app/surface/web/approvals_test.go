package web_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

// together is the form that decides about several approvals.
func (w *world) together(do string, all ...*hub.Ticket) url.Values {
	v := url.Values{"do": {do}}
	for _, t := range all {
		v.Add("ask", w.hub.Handle(t.Address))
		v.Add("digest", t.Digest)
	}
	return v
}

// TestApprovalsTogether: several approvals of one kind are each shown whole, and decided
// by one action with a record each. One undo undoes all of them.
func TestApprovalsTogether(t *testing.T) {
	t.Parallel()
	for do, offer := range map[string]string{"allow": "once", "deny": "deny"} {
		w := newWorldWith(t, &web.Options{Grace: 30 * time.Second})
		commands := []string{"npm test", "npm run lint -- --fix <all>", strings.Repeat("echo a long line; ", 400) + "rm -rf LAST"}
		var all []*hub.Ticket
		for _, c := range commands {
			a := command(c)
			a.Approval.Reason = "because of " + c[:8]
			ticket, _ := w.ask(a)
			all = append(all, ticket)
		}
		b := w.browse("ann")
		b.open("/batch?" + url.Values{"ask": w.together(do, all...)["ask"]}.Encode())
		page := b.main(true)
		for _, c := range commands {
			if !strings.Contains(page, c) || !strings.Contains(page, "because of "+c[:8]) {
				t.Errorf("the page does not show %.40q whole:\n%s", c, page)
			}
		}
		b.press(find(b.doc, byID("batch")), button(do))
		nonces := map[string]bool{}
		for _, ticket := range all {
			now := w.now(ticket)
			if now.Held == nil || !now.Open() {
				t.Fatalf("%s: %+v, the page says\n%s", do, now, b.main(true))
			}
			if v := now.Ask.Verdict(now.Held.Outcome); v == nil || v.Offer.ID != offer || now.Held.Outcome.By.ID != "ann" {
				t.Errorf("%s: held %+v", do, now.Held.Outcome)
			}
			nonces[now.Held.Nonce] = true
		}
		if len(nonces) != len(all) {
			t.Errorf("%s: %d records, want %d", do, len(nonces), len(all))
		}
		b.press(find(b.doc, byID("batch-done")), button("undo"))
		for _, ticket := range all {
			if now := w.now(ticket); now.Held != nil || !now.Open() || len(now.History) != 1 || now.History[0].Why != hub.Undone {
				t.Errorf("%s: after undo %+v", do, now)
			}
		}
	}
}

// TestApprovalsLeftOut: of several, what was not shown whole, is of another kind, was
// changed or was decided meanwhile is not decided, and the page says so. The others are.
func TestApprovalsLeftOut(t *testing.T) {
	t.Parallel()
	danger := command("rm -rf /")
	danger.Approval.Offers = danger.Approval.Offers[1:] // what allows it always, and what denies
	strong := command("deploy")
	strong.MinAssurance = sayso.AssurancePasskey
	toBob := command("for bob")
	toBob.To = []string{"bob"}
	for name, c := range map[string]struct {
		odd  *sayso.Ask
		says string
		spy  func(w *world, odd *hub.Ticket, form url.Values)
		by   string // who decided it: "" nobody
	}{
		"not shown whole":     {odd: newFile(9000), says: "of another kind"},
		"of another kind":     {odd: newFile(3), says: "of another kind"},
		"a question":          {odd: choose("Which?", "a", "b"), says: "of another kind"},
		"not allowed once":    {odd: danger, says: "It offers other choices"},
		"needs a passkey":     {odd: strong, says: "passkey"},
		"somebody else's":     {odd: toBob},
		"not on the page":     {odd: command("ls"), spy: func(_ *world, _ *hub.Ticket, form url.Values) { form["digest"] = form["digest"][:1] }, says: "it was answered or changed meanwhile"},
		"changed":             {odd: command("ls"), spy: func(_ *world, _ *hub.Ticket, form url.Values) { form["digest"][1] = form["digest"][0] }, says: "it was answered or changed meanwhile"},
		"answered meanwhile":  {odd: command("ls"), spy: bobDenies, says: "no longer open", by: "bob"},
		"the only one, whole": {odd: command("ls"), by: "ann"},
	} {
		for _, do := range []string{"allow", "deny"} {
			w := newWorld(t)
			good, _ := w.ask(command("npm test"))
			odd, _ := w.ask(c.odd)
			form := w.together(do, good, odd)
			if c.spy != nil {
				c.spy(w, odd, form)
			}
			r := w.post(w.c, "/batch", form)
			if r.code != http.StatusOK || !strings.Contains(html.UnescapeString(r.body), c.says) {
				t.Errorf("%s, %s: %d, want %q:\n%s", name, do, r.code, c.says, r.body)
			}
			if v := w.verdict(good); v == nil || v.Allowed() != (do == "allow") {
				t.Errorf("%s, %s: the other one is %+v", name, do, v)
			}
			by := ""
			if o := w.outcome(odd); o != nil {
				by = o.By.ID
			}
			if by != c.by {
				t.Errorf("%s, %s: decided by %q, want %q", name, do, by, c.by)
			}
		}
	}
}

func bobDenies(w *world, t *hub.Ticket, _ url.Values) {
	w.t.Helper()
	if _, err := w.hub.Close(w.t.Context(), t, &sayso.Outcome{
		Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Selected: []string{"deny"}}},
		By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "terminal"},
	}, nil); err != nil {
		w.t.Fatal(err)
	}
}

// TestApprovalsUnseen: what is not whole on the page cannot be decided there, not even
// among its own kind, and nothing is decided by another word than allow or deny.
func TestApprovalsUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	small, _ := w.ask(newFile(3))
	large, _ := w.ask(newFile(9000))
	body := w.get(w.c, "/batch?"+url.Values{"ask": w.together("", large, small)["ask"]}.Encode()).body
	if strings.Count(body, `name="digest"`) != 1 || !strings.Contains(body, "Open all of it first.") {
		t.Errorf("the page offers both:\n%s", body)
	}
	for _, do := range []string{"send", "once", "allow_unseen", "local", "decline"} {
		if r := w.post(w.c, "/batch", w.together(do, small, large)); r.code != http.StatusUnprocessableEntity || w.outcome(small) != nil || w.outcome(large) != nil {
			t.Errorf("%s: %d, %+v %+v", do, r.code, w.outcome(small), w.outcome(large))
		}
	}
	r := w.post(w.c, "/batch", w.together("allow", large, small))
	if w.outcome(large) != nil || w.outcome(small) == nil || !strings.Contains(r.body, "Open all of it first.") {
		t.Errorf("large %+v, small %+v:\n%s", w.outcome(large), w.outcome(small), r.body)
	}
	if r := w.post(w.c, "/batch", w.together("allow", large)); r.code != http.StatusUnprocessableEntity || w.outcome(large) != nil {
		t.Errorf("alone: %d %+v", r.code, w.outcome(large))
	}
}

// TestTogetherSays: what the page of one ask says before it is answered, the page of
// several says too.
func TestTogetherSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	final := command("deploy")
	final.Final = true
	ticket, page := w.ask(final)
	one := w.get(w.c, page).body
	_, after, ok := strings.Cut(one, `id="final">`)
	says, _, _ := strings.Cut(after, "<")
	if body := w.get(w.c, "/batch?ask="+w.hub.Handle(ticket.Address)).body; !ok || !strings.Contains(body, says) {
		t.Errorf("the page does not say %q:\n%s", says, body)
	}
	toBob := choose("Which region?", "North", "South")
	toBob.To = []string{"bob"}
	_, page = w.ask(toBob)
	if r := w.get(w.c, "/batch?same="+strings.TrimPrefix(page, "/ask/")); r.code != http.StatusNotFound {
		t.Errorf("an ask to bob: %d", r.code)
	}
}
