package notify

import (
	"encoding/json"
	"time"

	"github.com/saysohq/sayso"
)

// Kind says which channel a contact belongs to.
type Kind string

// The kinds of contacts.
const (
	Desktop  Kind = "desktop"  // the notifications of this machine's desktop
	Terminal Kind = "terminal" // a terminal of this machine
	Command  Kind = "command"  // a program of the person's own
	Push     Kind = "push"     // a browser, on the phone too
	Telegram Kind = "telegram"
	Slack    Kind = "slack"
	Webhook  Kind = "webhook"
	Ntfy     Kind = "ntfy"
	Mail     Kind = "mail"
)

// Detail is how much of an ask may be seen without unlocking the device.
type Detail int

// The levels of detail.
const (
	DetailCount  Detail = iota // that questions wait
	DetailSender               // who asks; the default
	DetailText                 // the question
)

// Contact is one way to reach one person: a device, or an account somewhere.
type Contact struct {
	Tenant string `json:"tenant"`
	Person string `json:"person"` // empty: the owner of the hub
	ID     string `json:"id"`     // short, such as telegram-1

	Kind    Kind            `json:"kind"`
	Name    string          `json:"name"`              // for the person: "Firefox on Android"
	Account string          `json:"account,omitempty"` // who it is at the service, as [Desk] wants it; empty: it takes no replies
	Address json.RawMessage `json:"address,omitempty"` // what the channel needs to reach it; nobody else reads it

	Detail    Detail          `json:"detail"`
	After     time.Duration   `json:"after"`               // how long an ask has waited when this contact is told
	Assurance sayso.Assurance `json:"assurance,omitempty"` // of an answer that comes from there
	Session   string          `json:"session,omitempty"`   // the contact ends with this session; empty: with none

	Created   time.Time `json:"created"`
	Confirmed time.Time `json:"confirmed,omitzero"` // when the person last said, or did something that shows, that notes arrive
	Failing   time.Time `json:"failing,omitzero"`   // since when notes do not get through
	Error     string    `json:"error,omitempty"`    // why not
	Off       bool      `json:"off,omitempty"`      // it is gone, and not used any more
}
