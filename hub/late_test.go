package hub_test

import (
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// The words for late outcomes: one, several, one that declines, and a secret, which the
// call would have had too.
func TestLateText(t *testing.T) {
	t.Parallel()
	ticket := func(q sayso.Question, o *sayso.Outcome) *hub.Ticket {
		return &hub.Ticket{Ask: &sayso.Ask{Questions: []sayso.Question{q}}, Outcome: o}
	}
	database := sayso.Question{ID: "q1", Text: "Which database?", Options: []sayso.Option{{ID: "o1", Label: "SQLite"}}}
	chose := ticket(database, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}})
	declined := ticket(database, &sayso.Outcome{Status: sayso.StatusDeclined})
	secret := ticket(sayso.Question{ID: "q1", Text: "Which password?", Secret: true},
		&sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "hunter2"}}})
	const one = "The user has responded to a question that you asked earlier, after the call had ended:\n\n"
	for _, tc := range []struct {
		name string
		late []*hub.Ticket
		want string
	}{
		{"chosen", []*hub.Ticket{chose}, one + "User was asked \"Which database?\" and chose SQLite.\n"},
		{"declined", []*hub.Ticket{declined}, one + "User was asked \"Which database?\"; the person declined to answer.\n"},
		{"secret", []*hub.Ticket{secret}, one + "User was asked \"Which password?\" and answered \"hunter2\".\n"},
		{"several", []*hub.Ticket{chose, secret}, "The user has responded to questions that you asked earlier, after the calls had ended:\n\n" +
			"User was asked \"Which database?\" and chose SQLite.\n\nUser was asked \"Which password?\" and answered \"hunter2\".\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := hub.LateText(tc.late); got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
	if !secret.Ask.Questions[0].Secret {
		t.Error("the ask was changed")
	}
}
