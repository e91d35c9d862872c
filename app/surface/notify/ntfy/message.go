package ntfy

import (
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso/app/surface/notify"
)

// The limits of the server.
const (
	maxMessage = 4096 // bytes
	maxActions = 3
)

// message is what is published, as JSON: in headers, commas and semicolons of a label
// would end an action.
type message struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message"`
	Priority int      `json:"priority,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []action `json:"actions,omitempty"`
	Sequence string   `json:"sequence_id,omitempty"`
}

type action struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
	Method string `json:"method,omitempty"`
	Body   string `json:"body,omitempty"`
	Clear  bool   `json:"clear,omitempty"`
}

// The priorities that are used. Those above break through the phone's own quiet hours.
const (
	quietly = 2 // neither sound nor vibration
	usual   = 3
	urgent  = 4
)

// draw makes a message of a note. answers says that buttons may post to the topic for
// answers.
func draw(a *Address, n *notify.Note, answers bool) *message {
	m := &message{Topic: a.Topic, Title: n.Title, Message: n.Body, Priority: usual, Click: n.URL, Sequence: n.Key}
	if n.Text != "" {
		m.Message = n.Text
	}
	m.Message = fit(m.Message, maxMessage)
	switch {
	case !n.Alert:
		m.Priority = quietly
	case n.Urgent:
		m.Priority = urgent
	}
	// The app clears a message, if told to, once the server has what was posted. That is
	// not yet the hub: a question goes away when its answer is stored.
	//
	// What a button reveals would be on the lock screen, like everything here. So a note
	// that does not show the ask has no buttons that post.
	if answers && (n.Text != "" || n.Test) {
		for _, b := range n.Buttons {
			if b.Data != "" && len(m.Actions) < maxActions {
				m.Actions = append(m.Actions, action{Action: "http", Label: b.Label, URL: a.Server + "/" + a.Answers, Method: "POST", Body: b.Data, Clear: n.Test})
			}
		}
	}
	for _, b := range n.Buttons {
		if b.URL != "" && len(m.Actions) < maxActions && !b.Danger { // which is the same page
			m.Actions = append(m.Actions, action{Action: "view", Label: b.Label, URL: b.URL})
		}
	}
	return m
}

// fit cuts a text to so many bytes.
func fit(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most - len("…")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " \n") + "…"
}
