package api

import (
	"github.com/saysohq/sayso/hub"
)

// SearchPage is a page of what a search found.
type SearchPage struct {
	Items   []SearchItem  `json:"items" nullable:"false" doc:"In the order of the search. May be fewer than asked for although there is a next page."`
	Next    string        `json:"next,omitempty" doc:"The cursor of the next page; absent at the end."`
	Total   int           `json:"total" doc:"How many asks match in all."`
	Waiting int           `json:"waiting" doc:"How many asks wait for the person now, whatever the search is."`
	Facets  []FilterFacet `json:"facets,omitempty" doc:"With facets=true: which values filters can have."`
}

// SearchItem is an ask as an inbox lists it.
type SearchItem struct {
	Ticket  Ticket      `json:"ticket" doc:"The ask as it is now."`
	Snoozed *hub.Snooze `json:"snoozed,omitempty" doc:"The person does not want to see it now."`
	Same    int         `json:"same,omitempty" doc:"How many other open asks are identical and can be answered by the person."`
}

// FilterFacet is the values that a filter can have.
type FilterFacet struct {
	Filter string  `json:"filter" doc:"The name of the filter: agent, asker, workspace, branch, conversation, person or kind."`
	Values []Facet `json:"values" nullable:"false" doc:"The most frequent first, at most 100."`
}

// Facet is a value of a filter.
type Facet struct {
	Value string `json:"value" doc:"The value."`
	Count int    `json:"count" doc:"How many asks of the view have it."`
}
