package claudecall

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
)

// Decision is a decision as Claude Code takes it.
type Decision struct {
	Behavior  string            `json:"behavior"` // allow, deny
	Message   string            `json:"message,omitempty"`
	Interrupt bool              `json:"interrupt,omitempty"` // the turn ends
	Input     json.RawMessage   `json:"updatedInput,omitempty"`
	Adds      []json.RawMessage `json:"updatedPermissions,omitempty"`
}

// Denied is what the model is told of a denial without words.
const Denied = "The user denied this request."

// Deny returns a denial with a message for the model.
func Deny(message string) *Decision { return &Decision{Behavior: "deny", Message: message} }

// Decide spells a verdict. What would run is the call's own input, or what the person
// made of it. A verdict that this call cannot carry out denies it.
func (c *Call) Decide(v *sayso.Verdict) *Decision {
	for _, o := range c.offers() {
		if v == nil || v.Offer == nil || o.ID != v.Offer.ID {
			continue
		}
		if o.Act != sayso.ActAllow {
			d := Deny(v.Message)
			if sayso.Blank(d.Message) {
				d.Message = Denied
			}
			d.Interrupt = o.Stops
			return d
		}
		d := &Decision{Behavior: "allow"}
		if c.Tool == toolPlan {
			d.Input = c.Input // without it Claude Code takes no notice of the decision
		}
		if v.Input != "" {
			if !o.Edit || !isObject(v.Input) {
				return Deny("The user allowed this with a changed input that cannot be used, so it did not run.")
			}
			d.Input = json.RawMessage(v.Input)
		}
		if o.adds != nil {
			d.Adds = []json.RawMessage{o.adds}
		}
		return d
	}
	return Deny("The user's decision does not fit this request, so it did not run.")
}

// Changed is the denial of a call that would do something else than what was shown.
func (c *Call) Changed() *Decision {
	what := "What this would do"
	if path := c.member("file_path"); path != "" {
		what = sayso.SafeLine(path)
	}
	return Deny(what + " changed after it was shown to the user, so their decision was not used and nothing ran. Read it again and, if it is still needed, try again.")
}

func isObject(s string) bool {
	var o map[string]json.RawMessage
	return strings.HasPrefix(strings.TrimSpace(s), "{") && json.Unmarshal([]byte(s), &o) == nil
}

// spell spells a value on one line.
func spell(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts can be spelled
	}
	return bytes.TrimSpace(b.Bytes())
}
