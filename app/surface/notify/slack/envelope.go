package slack

import (
	"encoding/json"
	"strings"
)

// envelope is what arrives on the connection.
type envelope struct {
	ID      string          `json:"envelope_id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
	Reason  string          `json:"reason"` // of disconnect
	Info    struct {
		App string `json:"app_id"`
	} `json:"connection_info"` // of hello
}

// act is what a person did, as far as it concerns us.
type act struct {
	kind    string // press, submit, slash; else of no interest
	app     string
	team    string
	home    string // the team of the user
	user    string
	channel string
	message string // the time stamp of the one that was pressed
	value   string // of the button; the own words; the code
	token   string // that the form carried
	trigger string // opens a form
}

// The kinds of acts.
const (
	press  = "press"
	submit = "submit"
	slash  = "slash"
)

// account is who did it, as the desk wants it.
func (a *act) account() string { return a.team + ":" + a.user }

// interactive is the payload of a press, and of a form that was sent.
type interactive struct {
	Type    string     `json:"type"`
	App     string     `json:"api_app_id"`
	Trigger string     `json:"trigger_id"`
	Team    *object    `json:"team"`
	User    *object    `json:"user"`
	Channel *object    `json:"channel"`
	Message *object    `json:"message"`
	Actions []pressed  `json:"actions"`
	View    *submitted `json:"view"`
}

type object struct {
	ID   string `json:"id"`
	Team string `json:"team_id"`
	TS   string `json:"ts"`
}

type pressed struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type submitted struct {
	Callback string `json:"callback_id"`
	Metadata string `json:"private_metadata"`
	State    struct {
		Values map[string]map[string]struct {
			Value string `json:"value"`
		} `json:"values"`
	} `json:"state"`
}

// command is the payload of a slash command.
type command struct {
	App     string `json:"api_app_id"`
	Team    string `json:"team_id"`
	User    string `json:"user_id"`
	Channel string `json:"channel_id"`
	Text    string `json:"text"`
}

// parse reads an envelope. One that is of no interest gives an act without a kind, and
// what is no envelope gives nil.
func parse(data []byte) (*envelope, *act) {
	e := new(envelope)
	if json.Unmarshal(data, e) != nil || len(e.ID) > 128 {
		return nil, nil
	}
	switch e.Type {
	case "interactive":
		var p interactive
		if json.Unmarshal(e.Payload, &p) == nil {
			return e, p.act()
		}
	case "slash_commands":
		var p command
		if json.Unmarshal(e.Payload, &p) == nil {
			return e, &act{kind: slash, app: p.App, team: p.Team, user: p.User, channel: p.Channel, value: strings.TrimSpace(p.Text)}
		}
	}
	return e, new(act)
}

// act is what the person did.
func (p *interactive) act() *act {
	a := &act{app: p.App, trigger: p.Trigger}
	if p.Team != nil {
		a.team = p.Team.ID
	}
	if p.User != nil {
		a.user, a.home = p.User.ID, p.User.Team
	}
	if p.Channel != nil {
		a.channel = p.Channel.ID
	}
	if p.Message != nil {
		a.message = p.Message.TS
	}
	switch {
	case p.Type == "block_actions" && len(p.Actions) == 1 && p.Actions[0].Type == "button" && p.Actions[0].Value != "":
		a.kind, a.value = press, p.Actions[0].Value // without a value it only opened a page
	case p.Type == "view_submission" && p.View != nil && p.View.Callback == field:
		a.kind, a.token = submit, p.View.Metadata
		a.value = p.View.State.Values[field][field].Value
	}
	return a
}

// from reports whether the act comes from a person of the workspace that the app is
// installed in, and a press from a direct message. Who the person is to us the desk
// decides, by the account.
func (a *act) from(team, app string) bool {
	return a.team == team && named(team, "T") && (a.home == "" || a.home == team) && userID(a.user) &&
		(app == "" || a.app == "" || a.app == app) && (a.kind != press || direct(a.channel))
}
