package api

// DelegateRequest hands an ask to another person.
type DelegateRequest struct {
	To      string `json:"to" maxLength:"256" doc:"The person, as GET /v1/people has them."`
	Comment string `json:"comment,omitempty" maxLength:"1000" doc:"For that person, in your words."`
	Surface string `json:"surface,omitempty" maxLength:"64" doc:"Where the person was. Default: api."`
}

// People are whom an ask can be delegated to.
type People struct {
	People []string `json:"people" nullable:"false" doc:"None on a hub that only one person uses."`
}
