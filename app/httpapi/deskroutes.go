package httpapi

import (
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// deskRoutes are those of what people do beside answering.
func deskRoutes() []route {
	ticket := []reply{{200, "The ticket as it is now.", api.Ticket{}, ""}}
	return []route{
		searchRoute(),
		{
			method: "POST", path: "/v1/asks/{id}/snooze", rule: may(auth.Answerer), id: "snoozeAsk", serve: (*Server).snooze,
			summary: "Put an ask off",
			about: "The person does not want to see or be notified of the ask until a time, or until they are back. Nobody else is affected, and the asker does not know. " +
				"It ends by itself 10 minutes before the deadline of the ask, and when the ask is delegated to the person.",
			params: []param{pathID}, body: hub.Snooze{}, ok: []reply{{204, "It is put off.", nil, ""}},
			problems: []kind{badJSON, notFound, alreadyClosed, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "DELETE", path: "/v1/asks/{id}/snooze", rule: may(auth.Answerer), id: "endSnooze", serve: (*Server).unsnooze,
			summary: "Show an ask again that was put off",
			params:  []param{pathID}, ok: []reply{{204, "It is not put off, or no longer.", nil, ""}}, problems: []kind{notFound, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/delegate", rule: may(auth.Answerer), id: "delegateAsk", serve: (*Server).delegate,
			summary: "Delegate an ask",
			about: "Another person that the hub knows may answer it from then on, sees it in their inbox and is notified. Who delegated it may still answer. " +
				"An approval to people by name cannot be delegated.",
			params: []param{pathID}, body: api.DelegateRequest{}, ok: ticket,
			problems: []kind{badJSON, lowAssurance, notFound, alreadyClosed, tooLarge, badMediaType, invalid, unavailable},
		},
		{
			method: "POST", path: "/v1/asks/{id}/again", rule: may(auth.Answerer), id: "repeatAsk", serve: (*Server).askAgain,
			summary: "Ask a closed ask again",
			about: "Makes an ask of the same questions: by the same asker, in the same conversation, of the same people, and without a deadline. " +
				"The agent gets the answer as a late one. While it is open, doing it again returns it. An approval cannot be asked again: it was about a call that has ended.",
			params: []param{pathID}, ok: []reply{{200, "The new ask.", api.Ticket{}, ""}},
			problems: []kind{notAllowed, lowAssurance, notFound, stillOpen, invalid, unavailable},
		},
		{
			method: "GET", path: "/v1/people", rule: may(auth.Answerer), id: "listPeople", serve: (*Server).people,
			summary: "List whom an ask can be delegated to",
			about:   "Everybody else in the tenant who has an answerer key, is signed in, or gets notifications.",
			ok:      []reply{{200, "Their names, in order.", api.People{}, ""}}, problems: []kind{unavailable},
		},
		{
			method: "POST", path: "/v1/active", rule: may(auth.Answerer), id: "noteActivity", serve: (*Server).noteActive,
			summary: "Say that the person is there",
			about: "The person has opened an inbox, or does something in it. After 30 minutes without, this ends what they put off until they are back. " +
				"Answers, drafts and the like say so by themselves.",
			ok: []reply{{204, "It is noted.", nil, ""}}, problems: []kind{unavailable},
		},
		{
			method: "GET", path: "/v1/preferences", rule: may(auth.Answerer), id: "getPreferences", serve: (*Server).preferences,
			summary: "Read the person's preferences",
			about:   "What the person has chosen for all surfaces. What is not chosen is absent.",
			ok:      []reply{{200, "The preferences.", hub.Preferences{}, ""}}, problems: []kind{unavailable},
		},
		{
			method: "PUT", path: "/v1/preferences", rule: may(auth.Answerer), id: "savePreferences", serve: (*Server).savePreferences,
			summary: "Keep the person's preferences",
			about:   "They take the place of all that was chosen before.",
			body:    hub.Preferences{}, ok: []reply{{204, "They are stored.", nil, ""}},
			problems: []kind{badJSON, tooLarge, badMediaType, invalid, unavailable},
		},
	}
}
