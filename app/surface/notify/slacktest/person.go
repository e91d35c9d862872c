package slacktest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// trigger opens a form, once and within three seconds.
type trigger struct {
	user string
	made time.Time
	used bool
}

// View is a form that a person sees.
type View struct {
	ID, User string
	Title    string
	Shown    string
	Errors   map[string]string // by block, from the last time it was sent
	Typed    string

	metadata, callback string
	input, action      string
	max                int
}

// openView opens a form.
func (s *Server) openView(body []byte) (reply, *refusal) {
	var in struct {
		Trigger string `json:"trigger_id"`
		View    struct {
			Type       string          `json:"type"`
			CallbackID string          `json:"callback_id"`
			Title      *textObject     `json:"title"`
			Submit     *textObject     `json:"submit"`
			Close      *textObject     `json:"close"`
			Metadata   string          `json:"private_metadata"`
			Blocks     json.RawMessage `json:"blocks"`
		} `json:"view"`
	}
	if err := strict(body, &in); err != nil {
		return nil, err
	}
	t := s.triggers[in.Trigger]
	switch {
	case t == nil:
		return nil, refuse("invalid_trigger_id", "")
	case t.used:
		return nil, refuse("exchanged_trigger_id", "")
	case s.now().Sub(t.made) > 3*time.Second:
		return nil, refuse("expired_trigger_id", "")
	}
	v := in.View
	for _, text := range []*textObject{v.Title, v.Submit, v.Close} {
		if _, err := text.check(24, true); err != nil {
			return nil, err
		}
	}
	if v.Type != "modal" || units(v.Metadata) > 3000 || len(v.CallbackID) > 255 {
		return nil, refuse("invalid_arguments", "not a modal, or a field is too long")
	}
	d, err := draw(v.Blocks, 100, true)
	if err != nil {
		return nil, err
	}
	if len(d.markup) > 0 {
		s.wrong = append(s.wrong, "a form with markup: "+strings.Join(d.markup, " "))
	}
	t.used = true
	view := &View{ID: s.next("V"), User: t.user, Title: v.Title.Text, Shown: strings.Join(d.shown, "\n"), metadata: v.Metadata, callback: v.CallbackID}
	var blocks []blockObject
	json.Unmarshal(v.Blocks, &blocks)
	for _, b := range blocks {
		if b.Type == "input" {
			view.input, view.action, view.max = b.BlockID, b.Element.ActionID, *b.Element.MaxLength
		}
	}
	s.views[t.user] = view
	return reply{"view": reply{"id": view.ID}}, nil
}

// Messages returns the messages of a person that are there.
func (s *Server) Messages(user string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Message
	for _, m := range s.messages {
		if m.User == user && !m.Deleted {
			all = append(all, *m)
		}
	}
	return all
}

// LockScreen returns every text that made a person's phone ring.
func (s *Server) LockScreen(user string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lock[user])
}

// Told returns the messages that only the person saw, and only once.
func (s *Server) Told(user string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ephemeral[user])
}

// View returns the form that is open before the person, or nil.
func (s *Server) View(user string) *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views[user]; v != nil {
		c := *v
		c.Errors = maps.Clone(v.Errors)
		return &c
	}
	return nil
}

// Press presses the button with the label.
func (s *Server) Press(user string, m Message, label string) *Delivery {
	s.t.Helper()
	b, ok := m.Button(label)
	if !ok {
		s.t.Fatalf("slacktest: no button %q in %+v", label, m.Buttons)
	}
	return s.PressAs(Press{User: user, Message: m, Button: b})
}

// Press is a press as an attacker could make it. What is empty is as it should be.
type Press struct {
	User, Team, Home, App, Channel string

	Message  Message
	Button   Button
	Value    string // instead of the button's
	Envelope string // an id of one's own
}

// PressAs sends a press of anybody.
func (s *Server) PressAs(p Press) *Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next("trigger-")
	s.triggers[id] = &trigger{user: p.User, made: s.now()}
	or := func(a, b string) string {
		if a == "" {
			return b
		}
		return a
	}
	action := reply{"type": "button", "action_id": or(p.Button.action, "b0"), "block_id": or(p.Button.block, "r0"), "action_ts": "1.0",
		"text": reply{"type": "plain_text", "text": p.Button.Label, "emoji": false}}
	if v := or(p.Value, p.Button.Value); v != "" {
		action["value"] = v
	}
	team := or(p.Team, Team)
	channel := or(p.Channel, or(p.Message.Channel, direct(p.User)))
	return s.deliver(&Delivery{ID: p.Envelope, Kind: "interactive", user: p.User, payload: reply{
		"type": "block_actions", "api_app_id": or(p.App, App), "token": "verification", "trigger_id": id,
		"team": reply{"id": team, "domain": "acme"}, "enterprise": nil, "is_enterprise_install": false,
		"user":      reply{"id": p.User, "username": "ann", "name": "ann", "team_id": or(p.Home, team)},
		"container": reply{"type": "message", "message_ts": p.Message.TS, "channel_id": channel, "is_ephemeral": false},
		"channel":   reply{"id": channel, "name": "directmessage"},
		"message":   reply{"type": "message", "user": Bot, "ts": p.Message.TS, "text": p.Message.Text},
		"state":     reply{"values": reply{}}, "response_url": "https://hooks.invalid/actions", "actions": []any{action},
	}})
}

// Submit types into the form that is open before the person, and sends it.
func (s *Server) Submit(user, text string) *Delivery {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[user]
	if v == nil {
		s.t.Fatalf("slacktest: no form is open before %s", user)
	}
	if units(text) > v.max {
		s.t.Fatalf("slacktest: the field takes no more than %d characters", v.max)
	}
	v.Typed = text
	return s.submit(user, Team, v, v.metadata)
}

// SubmitAs sends a form of anybody's making.
func (s *Server) SubmitAs(user, team, metadata, text string) *Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submit(user, team, &View{ID: s.next("V"), Typed: text, callback: "words", input: "words", action: "words"}, metadata)
}

func (s *Server) submit(user, team string, v *View, metadata string) *Delivery {
	var value any = v.Typed
	if v.Typed == "" {
		value = nil
	}
	return s.deliver(&Delivery{Kind: "interactive", user: user, view: v.ID, payload: reply{
		"type": "view_submission", "api_app_id": App, "token": "verification", "trigger_id": s.next("trigger-"),
		"team": reply{"id": team, "domain": "acme"}, "user": reply{"id": user, "name": "ann", "team_id": team},
		"view": reply{"id": v.ID, "type": "modal", "callback_id": v.callback, "private_metadata": metadata, "hash": "1.x", "app_id": App,
			"state": reply{"values": reply{v.input: reply{v.action: reply{"type": "plain_text_input", "value": value}}}}},
		"response_urls": []any{},
	}})
}

// Slash sends the slash command with a text.
func (s *Server) Slash(user, text string) *Delivery { return s.SlashAs(user, Team, text) }

// SlashAs sends the slash command of anybody.
func (s *Server) SlashAs(user, team, text string) *Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deliver(&Delivery{Kind: "slash_commands", user: user, payload: reply{
		"token": "verification", "team_id": team, "team_domain": "acme", "channel_id": "C0GENERAL", "channel_name": "general",
		"user_id": user, "user_name": "ann", "command": "/sayso", "text": text, "api_app_id": App, "is_enterprise_install": "false",
		"response_url": "https://hooks.invalid/commands", "trigger_id": s.next("trigger-"),
	}})
}

// replied does what an acknowledgement asks for, and says what is wrong with it.
func (s *Server) replied(d *Delivery, raw json.RawMessage) (wrong string) {
	v := s.views[d.user]
	mine := v != nil && d.view != "" && v.ID == d.view
	if len(raw) == 0 {
		if mine {
			delete(s.views, d.user)
		}
		return ""
	}
	var in struct {
		Action string            `json:"response_action"`
		Errors map[string]string `json:"errors"`
		Type   string            `json:"response_type"`
		Text   string            `json:"text"`
		Blocks json.RawMessage   `json:"blocks"`
	}
	if err := strict(raw, &in); err != nil {
		return "a reply that Slack does not know: " + string(raw)
	}
	switch {
	case d.Kind == "slash_commands" && in.Action == "":
		m := &Message{}
		if err := m.draw(&posted{Text: in.Text, Blocks: in.Blocks}); err != nil || in.Type != "ephemeral" || len(m.Markup) > 0 {
			return "a bad reply to a command: " + string(raw)
		}
		s.ephemeral[d.user] = append(s.ephemeral[d.user], m.Shown)
	case d.view != "" && in.Action == "errors" && len(in.Errors) > 0:
		if mine {
			v.Errors = in.Errors
			if _, ok := in.Errors[v.input]; !ok || len(in.Errors) > 1 {
				return "an error for a block that the form does not have"
			}
		}
	default:
		return "a reply that does not fit: " + string(raw)
	}
	return ""
}

// Clear takes all messages away.
func (s *Server) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		m.Deleted = true
	}
}

// Type types into the form that is open before the person.
func (s *Server) Type(user, text string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views[user] == nil {
		s.t.Fatalf("slacktest: no form is open before %s", user)
	}
	s.views[user].Typed = text
}
