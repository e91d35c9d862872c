package sayso

import "encoding/json"

// Dialect is how one agent spells the tool. Package dialect has those of the
// known agents; a host adds its own by implementing these three methods.
//
// A Dialect is immutable and may be used from several goroutines.
type Dialect interface {
	// Spec returns what the model is told about the tool.
	Spec() ToolSpec

	// Parse reads a call. It is liberal in what it takes, leaves ids empty where
	// the dialect has none, and does not clean or limit: Normalize and Validate
	// do that. An error is the model's mistake, an [*InvalidError] where
	// possible; a partial ask may come with it so that the rest of it is
	// validated too, and every problem goes back at once.
	Parse(arguments json.RawMessage) (*Ask, error)

	// Format words an outcome for the model, for every status, canonically: the
	// same ask and outcome give the same bytes.
	Format(a *Ask, o *Outcome) (*Result, error)
}

// Refuser is implemented by dialects that word the refusal of an invalid call
// in their own way. Others get the one of [Tool].
type Refuser interface {
	Refuse(*InvalidError) *Result
}

// ToolSpec is what the model is told about the tool.
type ToolSpec struct {
	Dialect     string          // the dialect's own name: "claude"
	Name        string          // the tool's name: "AskUserQuestion"
	Description string          // when and how to use it
	Schema      json.RawMessage // JSON Schema 2020-12 of the arguments; do not modify
	Limits      Limits          // what Validate enforces, the same numbers that the schema states
}

// Result is what goes back to the model.
type Result struct {
	Text       string          // what the model reads
	Structured json.RawMessage // the dialect's structured form, where it has one; it is the authority
	IsError    bool            // the host should mark the tool result as an error
	StopTurn   bool            // the host should end the turn instead of calling the model again
}
