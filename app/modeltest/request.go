package modeltest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// The wires a Request may have come by.
const (
	Messages  = "messages"  // Anthropic Messages
	Chat      = "chat"      // OpenAI Chat Completions
	Responses = "responses" // OpenAI Responses
	Gemini    = "gemini"    // Gemini generateContent
	Other     = "other"     // none of these: counted tokens, listed models, telemetry
)

// Request is what a client sent, read into one form for all wires.
type Request struct {
	Wire   string
	Path   string
	Header http.Header
	Body   json.RawMessage // as sent, decompressed

	Model  string
	Stream bool
	// System is the system prompt or the instructions.
	System string
	// Tools are the names of the tools on offer, in order. A tool inside a
	// namespace of the Responses wire is "namespace::name".
	Tools []string
	// Prompt is the text of the first message of the user.
	Prompt string
	// Last is the text of the last message of the user, without tool results.
	Last string
	// Results are all tool results in the conversation, oldest first.
	Results []Result
	// Turn counts the replies in the conversation that this server gave.
	Turn int

	seen []said // what the conversation shows of the model's own turns
}

// Result is a tool result as the model receives it.
type Result struct {
	ID   string // of the call
	Tool string // the name that the call had, if the call stands in the request
	// Text is what the model reads: a plain string as it is, several blocks
	// of text joined with a line break. A block that is not text appears as
	// its JSON.
	Text string
	// IsError is the mark of the Messages wire; the others have none.
	IsError bool
}

// said is a turn of the model as it stands in a request: the ids of its calls,
// or its text.
type said struct {
	ids  []string
	text string
}

// user notes a message of the user.
func (r *Request) user(text string) {
	if text == "" {
		return
	}
	if r.Prompt == "" {
		r.Prompt = text
	}
	r.Last = text
}

// text flattens content: a string, or a list of blocks that have text.
func text(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil {
		return string(content)
	}
	var parts []string
	for _, b := range blocks {
		var block struct {
			Text *string `json:"text"`
		}
		if json.Unmarshal(b, &block) == nil && block.Text != nil {
			parts = append(parts, *block.Text)
		} else {
			parts = append(parts, string(b))
		}
	}
	return strings.Join(parts, "\n")
}
