package slacktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

type reply = map[string]any

// needs are the scopes of the methods, and the kind of the token.
var needs = map[string][2]string{
	"auth.test":             {"xox", ""},
	"apps.connections.open": {"xapp", "connections:write"},
	"conversations.open":    {"xox", "im:write"},
	"chat.postMessage":      {"xox", "chat:write"},
	"chat.update":           {"xox", "chat:write"},
	"chat.delete":           {"xox", "chat:write"},
	"chat.postEphemeral":    {"xox", "chat:write"},
	"views.open":            {"xox", ""},
}

// call checks a request and does what it says.
func (s *Server) call(w http.ResponseWriter, r *http.Request, method string, body []byte) (reply, *refusal) {
	need, ok := needs[method]
	if !ok {
		return nil, refuse("unknown_method", "")
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	good, known := s.tokens[token]
	switch {
	case !ok || token == "":
		return nil, refuse("not_authed", "")
	case !known:
		return nil, refuse("invalid_auth", "")
	case !good:
		return nil, refuse("token_revoked", "")
	case !strings.HasPrefix(token, need[0]):
		return nil, refuse("not_allowed_token_type", "")
	case need[0] == "xox" && need[1] != "" && !slices.Contains(s.scopes, need[1]):
		return nil, &refusal{code: "missing_scope", needed: need[1]}
	}
	if need[0] == "xox" {
		w.Header().Set("X-OAuth-Scopes", strings.Join(s.scopes, ","))
	}
	if t := r.Header.Get("Content-Type"); t != "application/json; charset=utf-8" {
		return nil, refuse("missing_charset", "content type %q", t)
	}
	s.calls = append(s.calls, Call{method, string(body)})
	switch method {
	case "auth.test":
		return reply{"url": "https://acme.slack.com/", "team": TeamName, "user": "sayso", "team_id": Team, "user_id": Bot, "bot_id": "B0BOT", "is_enterprise_install": false},
			strict(body, &struct{}{})
	case "apps.connections.open":
		ticket := s.next("ticket-secret-")
		s.tickets[ticket] = true
		return reply{"url": "ws://" + r.Host + "/link/?ticket=" + ticket + "&app_id=" + App}, strict(body, &struct{}{})
	case "conversations.open":
		return s.open(body)
	case "chat.postMessage":
		return s.post(body)
	case "chat.update":
		return s.update(body)
	case "chat.delete":
		return s.remove(body)
	case "chat.postEphemeral":
		return s.whisper(body)
	}
	return s.openView(body)
}

// strict decodes a body. Slack ignores some unknown arguments and warns; to us they are
// mistakes.
func strict(body []byte, v any) *refusal {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return refuse("invalid_arguments", "%v", err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return refuse("invalid_json", "something after the value")
	}
	return nil
}

func (s *Server) open(body []byte) (reply, *refusal) {
	var in struct {
		Users string `json:"users"`
	}
	if err := strict(body, &in); err != nil {
		return nil, err
	}
	if !s.users[in.Users] {
		return nil, refuse("user_not_found", "")
	}
	return reply{"channel": reply{"id": direct(in.Users)}}, nil
}

// direct is the conversation of the bot with a user.
func direct(user string) string { return "D" + strings.TrimPrefix(user, "U") }

// userOf is the user of such a conversation, if the workspace has them.
func (s *Server) userOf(channel string) (string, *refusal) {
	user := "U" + strings.TrimPrefix(channel, "D")
	if !strings.HasPrefix(channel, "D") || len(channel) < 2 {
		return "", refuse("channel_not_found", "%q", channel)
	}
	if !s.users[user] {
		return "", refuse("is_archived", "")
	}
	return user, nil
}

// posted is what the chat methods take.
type posted struct {
	Channel     string          `json:"channel"`
	TS          string          `json:"ts"`
	User        string          `json:"user"`
	Text        string          `json:"text"`
	Blocks      json.RawMessage `json:"blocks"`
	Parse       string          `json:"parse"`
	LinkNames   bool            `json:"link_names"`
	Mrkdwn      *bool           `json:"mrkdwn"`
	UnfurlLinks *bool           `json:"unfurl_links"`
	UnfurlMedia *bool           `json:"unfurl_media"`
}

// message checks a message.
func (s *Server) message(body []byte, only ...string) (*posted, *Message, *refusal) {
	var names map[string]json.RawMessage
	if err := json.Unmarshal(body, &names); err != nil {
		return nil, nil, refuse("invalid_json", "%v", err)
	}
	for name := range names {
		if !slices.Contains(only, name) {
			return nil, nil, refuse("invalid_arguments", "no such argument: %s", name)
		}
	}
	var in posted
	if err := strict(body, &in); err != nil {
		return nil, nil, err
	}
	user, err := s.userOf(in.Channel)
	if err != nil {
		return nil, nil, err
	}
	m := &Message{Channel: in.Channel, User: user}
	if units(in.Text) > 40_000 {
		return nil, nil, refuse("msg_too_long", "")
	}
	if err := m.draw(&in); err != nil {
		return nil, nil, err
	}
	return &in, m, nil
}

func (s *Server) post(body []byte) (reply, *refusal) {
	in, m, err := s.message(body, "channel", "text", "blocks", "parse", "link_names", "mrkdwn", "unfurl_links", "unfurl_media")
	if err != nil {
		return nil, err
	}
	now := s.now()
	if s.rates && now.Sub(s.last[in.Channel]) < time.Second {
		return nil, refuse("ratelimited", "")
	}
	if in.UnfurlLinks == nil || *in.UnfurlLinks || in.UnfurlMedia == nil || *in.UnfurlMedia {
		m.Markup = append(m.Markup, "unfurls links")
	}
	s.last[in.Channel] = now
	s.serial++
	m.TS = fmt.Sprintf("%d.%06d", now.Unix(), s.serial)
	s.messages = append(s.messages, m)
	s.lock[m.User] = append(s.lock[m.User], m.Text)
	return reply{"channel": m.Channel, "ts": m.TS}, nil
}

// find returns a message that is there.
func (s *Server) find(channel, ts string) (*Message, *refusal) {
	for _, m := range s.messages {
		if m.Channel == channel && m.TS == ts && !m.Deleted {
			return m, nil
		}
	}
	return nil, refuse("message_not_found", "")
}

func (s *Server) update(body []byte) (reply, *refusal) {
	in, now, err := s.message(body, "channel", "ts", "text", "blocks", "parse", "link_names")
	if err != nil {
		return nil, err
	}
	m, err := s.find(in.Channel, in.TS)
	if err != nil {
		return nil, err
	}
	if in.Parse != "none" { // the default here is client, not none
		now.Markup = append(now.Markup, "looks for names and links")
	}
	now.TS, now.Edits = m.TS, m.Edits+1
	*m = *now
	return reply{"channel": m.Channel, "ts": m.TS, "text": m.Text}, nil
}

func (s *Server) remove(body []byte) (reply, *refusal) {
	var in struct{ Channel, TS string }
	if err := strict(body, &in); err != nil {
		return nil, err
	}
	m, err := s.find(in.Channel, in.TS)
	if err != nil {
		return nil, err
	}
	m.Deleted = true
	return reply{"channel": m.Channel, "ts": m.TS}, nil
}

func (s *Server) whisper(body []byte) (reply, *refusal) {
	in, m, err := s.message(body, "channel", "user", "text", "blocks", "parse", "link_names")
	if err != nil {
		return nil, err
	}
	if in.User != m.User {
		return nil, refuse("user_not_in_channel", "")
	}
	s.ephemeral[in.User] = append(s.ephemeral[in.User], m.Shown)
	return reply{"message_ts": s.next("e")}, nil
}

// Scope returns what the bot token must allow for a method, and whether there is such a
// method.
func Scope(method string) (scope string, ok bool) {
	need, ok := needs[method]
	if need[0] != "xox" {
		return "", ok
	}
	return need[1], ok
}
