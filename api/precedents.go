package api

import "github.com/saysohq/sayso"

// PrecedentList is what was answered before.
type PrecedentList struct {
	Precedents []Precedent `json:"precedents" nullable:"false" doc:"The best first: identical questions, then the most alike, then the newest; at most 3."`
}

// Precedent is an answer that was given before.
type Precedent struct {
	Ticket  Ticket         `json:"ticket" doc:"The earlier ask, with its outcome."`
	Same    bool           `json:"same" doc:"The questions are identical."`
	Score   float64        `json:"score" doc:"How alike the questions are, from 0.5 to 1."`
	Answers []sayso.Answer `json:"answers,omitempty" doc:"The earlier answers as answers to the ask at hand, by its ids; absent if something differs that could change them, or if the ask is of another workspace: then they can be read and not reused."`
}
