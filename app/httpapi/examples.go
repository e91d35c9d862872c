package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

const (
	exampleHandle = "AgRhY21lAA12aHVndjNxa291Y2NpBnJ1bi00MgZkZXBsb3k94zkalhUfJ4GuoaStCdaN"
	exampleInput  = `{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}`
)

// example returns a body of the type of v: what a client sends, or what it gets
// with the status. They are made of the types themselves, so they fit them.
func example(v any, status int) any {
	asked, said := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 15, 9, 0, 42, 0, time.UTC)
	by := sayso.Responder{Kind: sayso.ByPerson, ID: "ada", Surface: "web", Assurance: sayso.AssuranceKey}
	ask := sayso.Ask{
		ID: "deploy", Origin: sayso.Origin{Conversation: "run-42", Agents: []string{"planner"}, Host: "ci"},
		Questions: []sayso.Question{{
			ID: "db", Header: "Database", Text: "Which database?",
			Options: []sayso.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite"}},
		}},
	}
	answers := []sayso.Answer{{QuestionID: "db", Selected: []string{"pg"}}}
	stored := ask
	stored.Questions = slices.Clone(ask.Questions)
	stored.Normalize()
	digest := stored.Digest()
	stored.AskedAt, stored.Origin.Asker, stored.Origin.Via = asked, "ci-bot", "http"
	ticket := api.Ticket{ID: exampleHandle, Status: sayso.StatusPending, Ticket: hub.Ticket{
		Address: hub.AddressOf("acme", &stored), Ask: &stored, Digest: digest, Revision: 17,
	}}
	if status == 200 {
		ticket.Status, ticket.Revision, ticket.Nonce = sayso.StatusAnswered, 19, "q3Jx0nW1y0m6cW9mVbWw5A"
		ticket.Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers, By: by, At: said}
	}
	call := api.CallResult{Ask: exampleHandle, Status: sayso.StatusPending, ToolCall: "toolu_1", Metadata: map[string]any{"run": "42"}}
	call.Result.Text = "The question is still open (" + exampleHandle + "): nobody has responded yet. Do not assume an answer; it may still come."
	if status == 200 {
		call.Status, call.By, call.At = sayso.StatusAnswered, &by, said
		call.Result.Text = `Your questions have been answered: "Which database?"="PostgreSQL". You can now continue with these answers in mind.`
	}
	all := []any{
		ask, ticket, call,
		api.TicketPage{Tickets: []api.Ticket{ticket}},
		api.SearchPage{Items: []api.SearchItem{{Ticket: ticket, Same: 1}}, Total: 2, Waiting: 2, Facets: []api.FilterFacet{{Filter: "agent", Values: []api.Facet{{Value: "planner", Count: 2}}}}},
		api.PrecedentList{Precedents: []api.Precedent{{Ticket: ticket, Same: true, Score: 1, Answers: answers}}},
		api.AnswerRequest{Digest: digest, Answers: answers, Surface: "dashboard"},
		api.ContentPage{Text: "the first 64 KiB of what will run"},
		api.DeclineRequest{Digest: digest, Reason: "not now"},
		api.RelayRequest{Digest: digest, Answers: answers, Surface: "editor"},
		api.WithdrawRequest{Reason: "solved without it"},
		api.UndoRequest{},
		api.AmendRequest{Digest: digest, Answers: []sayso.Answer{{QuestionID: "db", Selected: []string{"lite"}}}, Surface: "dashboard"},
		api.DraftRequest{Answers: []sayso.Answer{{QuestionID: "db", Other: "Postgr"}}},
		hub.Draft{Answers: []sayso.Answer{{QuestionID: "db", Other: "Postgr"}}, SavedAt: said},
		api.CallRequest{
			ID: "toolu_1", Conversation: "run-42", Host: "ci", Metadata: map[string]any{"run": "42"}, Arguments: json.RawMessage(exampleInput),
		},
		api.LateResults{Late: []api.CallResult{call}},
		dialectOf(dialect.JSON),
		api.DialectList{Dialects: []api.Dialect{dialectOf(dialect.JSON)}},
		api.RespondRequest{Digest: digest, Answers: map[string]string{"Which database?": "PostgreSQL"}},
		api.CancelRequest{Ask: exampleHandle},
		api.StateChange{
			Type: "awaiting_user_response", Conversation: "run-42", Ask: exampleHandle, Digest: digest, Asker: "ci-bot", Questions: api.StateQuestions(&stored),
		},
		api.SessionList{Sessions: []api.Session{{
			ID: "s7k2", Device: "Firefox on Linux", Assurance: sayso.AssuranceKey, Created: asked, Used: said, Until: said.Add(30 * 24 * time.Hour),
		}}},
		api.RuleRequest{Act: hub.RuleDeny, Pattern: hub.RulePattern{Tool: "Bash", Contains: "rm -rf"}, Message: "Move it to ./trash instead."},
		exampleRule,
		api.RuleList{Rules: []hub.Rule{exampleRule}},
		api.Rehearsal{
			Text: "It would have denied 2 of your last 40 approvals. You allowed one of them: Run: rm -rf build", Of: 40, Would: 2, Match: 2,
			Other: []api.Differ{{Ask: "ask_7f3", At: said, Summary: "Run: rm -rf build", Allowed: true}},
		},
		api.Explanation{Text: "No rule decided about it.", Near: []api.Miss{{Rule: exampleRule.ID, Why: []string{`it does not contain "rm -rf"`}}}},
		hub.Preferences{Language: "de", Zone: "Europe/Berlin"},
		hub.Snooze{Until: said.Add(time.Hour)},
		api.DelegateRequest{To: "bob", Comment: "You know this database better than I do."},
		api.People{People: []string{"bob", "eve"}},
		api.Me{Tenant: "acme", ID: "ci-bot", Roles: []string{"asker"}, Assurance: sayso.AssuranceKey},
	}
	for _, e := range all {
		if reflect.TypeOf(e) == reflect.TypeOf(v) {
			return e
		}
	}
	return nil
}

var exampleRule = hub.Rule{
	ID: "rule_7f3kq2v5xjd3ta2b", Act: hub.RuleDeny, By: "ada", Made: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC),
	Pattern: &hub.RulePattern{Tool: "Bash", Contains: "rm -rf"}, Message: "Move it to ./trash instead.",
}

// exampleStream is what a stream with one open ask begins with.
func exampleStream(v any) string {
	name := api.EventAsk
	if _, ok := v.(api.StateChange); ok {
		name = api.EventState
	}
	data, err := json.Marshal(example(v, 0))
	if err != nil {
		return ""
	}
	return "event: reset\ndata: {}\n\nevent: " + name + "\ndata: " + string(data) + "\n\nevent: ready\ndata: {\"open\":1}\n\n"
}

// exampleTexts are the replies that are no JSON.
var exampleTexts = map[string]string{
	"getMetrics":   "sayso_requests_total{route=\"/v1/asks\",status=\"201\"} 42\n",
	"getHealth":    "ok\n",
	"getReadiness": "ok\n",
}
