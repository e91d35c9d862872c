package slack_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// TestForged sends 10,000 presses and forms that nobody was entitled to: of other people
// and teams, of other apps, from channels, with changed values, with values of notes
// that are over. None is accepted; then the real press is.
func TestForged(t *testing.T) {
	r := newReal(t)
	r.link(slacktest.Ann, "ann")
	r.link(slacktest.Bob, "bob")
	old := r.ask("old", nil)
	stale := r.message(slacktest.Ann, "Which database, old?")
	r.s.Press(slacktest.Ann, stale, "SQLite").Wait()
	r.message(slacktest.Ann, "Answered in Slack by ann.")
	before := r.now(old)

	for _, id := range []string{"plain", "danger", "login"} {
		r.ask(id, func(a *sayso.Ask) {
			a.To = []string{"ann"}
			switch id {
			case "danger":
				a.Questions[0].Options[1].Danger = true
			case "login":
				a.MinAssurance = sayso.AssuranceLogin
			}
		})
	}
	var open []*hub.Ticket
	var messages []slacktest.Message
	tickets, err := r.h.List(t.Context(), "home", &hub.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ticket := range tickets.Tickets {
		if ticket.Open() {
			open = append(open, ticket)
			messages = append(messages, r.message(slacktest.Ann, ticket.Ask.Questions[0].Text))
		}
	}
	if len(open) != 3 {
		t.Fatalf("%d asks are open", len(open))
	}

	const total = 10_000
	rnd := testenv.Rand(t)
	kinds := map[string]int{}
	for sent := 0; sent < total; {
		var batch []*slacktest.Delivery
		for ; len(batch) < 250 && sent < total; sent++ {
			kind, d := r.forge(rnd, messages, stale)
			kinds[kind]++
			batch = append(batch, d)
		}
		for _, d := range batch {
			d.Wait() // refused, and not to come again
		}
	}
	for _, ticket := range open {
		if now := r.now(ticket); !now.Open() || now.Revision != ticket.Revision {
			t.Errorf("%s: a forged press was accepted: %+v", ticket.Ask.ID, now.Outcome)
		}
	}
	if now := r.now(old); now.Revision != before.Revision {
		t.Errorf("a forged press changed what was answered: %+v", now.Outcome)
	}
	if p, err := r.n.Prefs(t.Context(), "home", "ann"); err != nil || len(p.Mutes) > 0 {
		t.Errorf("somebody else muted: %+v, %v", p, err)
	}
	r.s.Press(slacktest.Ann, messages[0], "PostgreSQL").Wait()
	if r.now(open[0]).Open() && r.now(open[1]).Open() && r.now(open[2]).Open() {
		t.Error("the real press was not accepted")
	}
	t.Logf("%d forged, 0 accepted: %v", total, kinds)
}

// forge makes a press or a form that must be refused.
func (r *real) forge(rnd *rand.Rand, messages []slacktest.Message, stale slacktest.Message) (string, *slacktest.Delivery) {
	m := messages[rnd.IntN(len(messages))]
	var b slacktest.Button
	for b.Value == "" || strings.HasSuffix(b.Value, ".w") {
		b = m.Buttons[rnd.IntN(len(m.Buttons))]
	}
	token, _, _ := strings.Cut(b.Value, ".")
	p := slacktest.Press{User: slacktest.Ann, Message: m, Button: b}
	stranger := fmt.Sprintf("U%07d", rnd.IntN(1e7))
	kind := []string{"another person", "a stranger", "another team", "a guest", "another app", "a channel", "a changed token", "a changed choice", "garbage", "an old note", "a form"}[rnd.IntN(11)]
	switch kind {
	case "another person":
		p.User, p.Channel = slacktest.Bob, "D0BOB"
	case "a stranger":
		p.User, p.Channel = stranger, ""
	case "another team":
		p.Team = fmt.Sprintf("T%07d", rnd.IntN(1e7))
	case "a guest":
		p.Home = fmt.Sprintf("T%07d", rnd.IntN(1e7))
	case "another app":
		p.App = "A0OTHER"
	case "a channel":
		p.Channel = "C0GENERAL"
	case "a changed token":
		i := rnd.IntN(len(token))
		p.Value = token[:i] + string("abcdefghjkmnpqrstvwxyz0123456789"[rnd.IntN(32)]) + token[i+1:] + ".0"
		if p.Value == token+".0" {
			p.Value = token[1:] + ".0"
		}
	case "a changed choice":
		p.Value = token + []string{".2", ".-1", ".00", ".999999999999999999999", ".", ".x", ".0.0", "", ".1 ", ". 1", ".y", ".S"}[rnd.IntN(12)]
	case "garbage":
		p.Value = strings.Repeat(string(rune(33+rnd.IntN(900))), 1+rnd.IntN(400))
	case "an old note":
		p.Message, p.Button = stale, stale.Buttons[rnd.IntN(2)]
		p.User = []string{slacktest.Bob, stranger}[rnd.IntN(2)]
		p.Channel = "D0" + strings.TrimPrefix(p.User, "U0")
	case "a form":
		user, team, meta := slacktest.Ann, slacktest.Team, token
		switch rnd.IntN(4) {
		case 0:
			user = slacktest.Bob
		case 1:
			user = stranger
		case 2:
			team = "T0OTHER"
		case 3:
			meta = token[1:] + "x"
		}
		return kind, r.s.SubmitAs(user, team, meta, "SQLite")
	}
	return kind, r.s.PressAs(p)
}

// FuzzEnvelope reads whatever arrives without failing, and takes nothing for ours that
// is not from our team and app.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"type":"hello","connection_info":{"app_id":"A0SAYSO"}}`,
		`{"type":"disconnect","reason":"warning"}`,
		`{"envelope_id":"e","type":"interactive","payload":{"type":"block_actions","api_app_id":"A0SAYSO","team":{"id":"T0WORK"},"user":{"id":"U0ANN","team_id":"T0WORK"},"channel":{"id":"D0ANN"},"actions":[{"type":"button","value":"tok.0"}]}}`,
		`{"envelope_id":"e","type":"interactive","payload":{"type":"view_submission","team":{"id":"T0WORK"},"user":{"id":"U0ANN"},"view":{"callback_id":"words","private_metadata":"tok","state":{"values":{"words":{"words":{"value":"x"}}}}}}}`,
		`{"envelope_id":"e","type":"slash_commands","payload":{"team_id":"T0WORK","user_id":"U0ANN","text":"CODE"}}`,
		`{"envelope_id":"e","type":"interactive","payload":{"team":null,"user":null,"actions":null}}`,
		`[]`, `null`, `{"envelope_id":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		id, kind, account, ours := slack.Parse(data)
		if len(id) > 128 {
			t.Errorf("an id of %d bytes", len(id))
		}
		if ours && !strings.HasPrefix(account, "T0WORK:U") && !strings.HasPrefix(account, "T0WORK:W") {
			t.Errorf("%q is taken for ours", account)
		}
		if ours && kind != "" && !json.Valid(data) {
			t.Error("it is not even JSON")
		}
	})
}
