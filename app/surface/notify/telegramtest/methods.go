package telegramtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// The requests that are taken, with the fields that a bot which sends plain text may
// use. There is no parse_mode, and no entities: messages of sayso carry no markup.
type (
	sendMessage struct {
		Chat    *int64          `json:"chat_id"`
		Text    *string         `json:"text"`
		Preview *preview        `json:"link_preview_options"`
		Silent  bool            `json:"disable_notification"`
		Protect bool            `json:"protect_content"`
		Reply   *replyTo        `json:"reply_parameters"`
		Markup  json.RawMessage `json:"reply_markup"`
	}
	editMessageText struct {
		Chat    *int64          `json:"chat_id"`
		Message *int64          `json:"message_id"`
		Text    *string         `json:"text"`
		Preview *preview        `json:"link_preview_options"`
		Markup  json.RawMessage `json:"reply_markup"`
	}
	deleteMessage struct {
		Chat    *int64 `json:"chat_id"`
		Message *int64 `json:"message_id"`
	}
	answerCallbackQuery struct {
		ID    *string `json:"callback_query_id"`
		Text  string  `json:"text"`
		Alert bool    `json:"show_alert"`
		Cache int     `json:"cache_time"`
	}
	preview struct {
		Off bool `json:"is_disabled"`
	}
	replyTo struct {
		Message *int64 `json:"message_id"`
		Anyway  bool   `json:"allow_sending_without_reply"`
	}
	inlineKeyboard struct {
		Rows [][]Button `json:"inline_keyboard"`
	}
	forceReply struct {
		On        bool   `json:"force_reply"`
		Hint      string `json:"input_field_placeholder"`
		Selective bool   `json:"selective"`
	}
)

// Button is a button below a message.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

func read(r *http.Request) (json.RawMessage, *refusal) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	switch {
	case err != nil:
		return nil, bad("the request cannot be read")
	case r.Method != http.MethodPost:
		return body, bad("a request by %s", r.Method)
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return body, bad("a request of type %q", r.Header.Get("Content-Type"))
	case !utf8.Valid(body):
		return body, bad("strings must be encoded in UTF-8")
	}
	return body, nil
}

// strict decodes a request: no field that is not known, no other type, nothing behind.
func strict(data []byte, into any) *refusal {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return bad("can't parse %s: %v", reflect.TypeOf(into).Elem().Name(), err)
	}
	if d.More() {
		return bad("something stands behind the request")
	}
	return nil
}

// do does what a call says. The lock is held.
func (s *Server) do(method string, body []byte) (any, *poller, *refusal) {
	switch method {
	case "getMe":
		return map[string]any{"id": botID, "is_bot": true, "first_name": "sayso", "username": Bot, "can_join_groups": false}, nil, strict(body, &struct{}{})
	case "getUpdates":
		return s.getUpdates(body)
	case "sendMessage":
		r, no := s.send(body)
		return r, nil, no
	case "editMessageText":
		r, no := s.edit(body)
		return r, nil, no
	case "deleteMessage":
		return true, nil, s.delete(body)
	case "answerCallbackQuery":
		return true, nil, s.answerQuery(body)
	}
	return nil, nil, &refusal{code: 404, text: "Not Found: method not found"}
}

// reach finds the chat.
func (s *Server) reach(id *int64) (*User, *refusal) {
	if id == nil {
		return nil, bad("chat_id is empty")
	}
	u := s.users[*id]
	switch {
	case u == nil:
		return nil, bad("chat not found")
	case u.blocked:
		return nil, &refusal{code: 403, text: "Forbidden: bot was blocked by the user"}
	case !u.started:
		return nil, &refusal{code: 403, text: "Forbidden: bot can't initiate conversation with a user"}
	}
	return u, nil
}

// rate counts a message.
func (s *Server) rate(chat int64) *refusal {
	if s.relaxed {
		return nil
	}
	now := time.Now()
	s.all = slices.DeleteFunc(s.all, func(t time.Time) bool { return now.Sub(t) >= time.Second })
	over := func(d time.Duration) *refusal {
		after := max(1, int(math.Ceil(d.Seconds())))
		return &refusal{code: 429, text: fmt.Sprintf("Too Many Requests: retry after %d", after), after: after}
	}
	// A real network brings two messages a little nearer together than they were sent.
	if since := now.Sub(s.sent[chat]); since < 900*time.Millisecond {
		return over(time.Second - since)
	}
	if len(s.all) > 32 {
		return over(time.Second)
	}
	s.sent[chat] = now
	s.all = append(s.all, now)
	return nil
}

// text judges the text of a message.
func text(t *string) *refusal {
	if t == nil || strings.TrimSpace(*t) == "" {
		return bad("message text is empty")
	}
	if len(utf16.Encode([]rune(*t))) > 4096 {
		return bad("message is too long")
	}
	return nil
}

// buttons judges an inline keyboard.
func buttons(data json.RawMessage) ([][]Button, *refusal) {
	if data == nil {
		return nil, nil
	}
	var k inlineKeyboard
	if no := strict(data, &k); no != nil {
		return nil, no
	}
	n := 0
	for _, row := range k.Rows {
		if len(row) == 0 || len(row) > 8 {
			return nil, bad("a row of %d buttons", len(row))
		}
		for _, b := range row {
			n++
			switch {
			case strings.TrimSpace(b.Text) == "":
				return nil, bad("inline keyboard button text is empty")
			case b.Data == "" && b.URL == "":
				return nil, bad("text buttons are unallowed in the inline keyboard")
			case b.Data != "" && b.URL != "":
				return nil, bad("inline keyboard button must have exactly one optional field")
			case len(b.Data) > 64:
				return nil, bad("BUTTON_DATA_INVALID")
			case b.URL != "" && !linkable(b.URL):
				return nil, bad("inline keyboard button URL '%s' is invalid: Wrong HTTP URL", b.URL)
			}
		}
	}
	if n > 100 || len(data) > 10000 {
		return nil, bad("reply markup is too long")
	}
	return k.Rows, nil
}

func linkable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "tg") && (u.Scheme == "tg" || strings.Contains(u.Hostname(), "."))
}

func (s *Server) send(body []byte) (any, *refusal) {
	var in sendMessage
	if no := strict(body, &in); no != nil {
		return nil, no
	}
	u, no := s.reach(in.Chat)
	if no == nil {
		no = text(in.Text)
	}
	if no != nil {
		return nil, no
	}
	m := &Message{FromBot: true, Text: *in.Text, Silent: in.Silent, Protected: in.Protect, Preview: in.Preview == nil || !in.Preview.Off, At: time.Now()}
	var force struct {
		On *bool `json:"force_reply"`
	}
	if json.Unmarshal(in.Markup, &force) == nil && force.On != nil {
		var f forceReply
		if no := strict(in.Markup, &f); no != nil {
			return nil, no
		}
		if n := utf8.RuneCountInString(f.Hint); !f.On || n > 64 {
			return nil, bad("object expected as reply markup")
		}
		m.ForceReply = true
	} else if m.Buttons, no = buttons(in.Markup); no != nil {
		return nil, no
	} else if in.Markup != nil && len(m.Buttons) == 0 {
		return nil, bad("a keyboard without buttons on a new message")
	}
	if in.Reply != nil {
		switch to := u.find(in.Reply.Message); {
		case in.Reply.Message == nil:
			return nil, bad("message identifier is not specified")
		case to != nil:
			m.ReplyTo = to.ID
		case !in.Reply.Anyway:
			return nil, bad("message to be replied not found")
		}
	}
	if no := s.rate(u.ID); no != nil {
		return nil, no
	}
	s.nextMsg++
	m.ID = s.nextMsg
	u.messages = append(u.messages, m)
	u.heard = append(u.heard, Notification{Text: m.Text, Sound: !m.Silent, Message: m.ID})
	return m.wire(u), nil
}

func (s *Server) edit(body []byte) (any, *refusal) {
	var in editMessageText
	if no := strict(body, &in); no != nil {
		return nil, no
	}
	u, no := s.reach(in.Chat)
	if no == nil {
		no = text(in.Text)
	}
	if no != nil {
		return nil, no
	}
	rows, no := buttons(in.Markup)
	if no != nil {
		return nil, no
	}
	m := u.find(in.Message)
	switch {
	case m == nil:
		return nil, bad("message to edit not found")
	case !m.FromBot || m.frozen || m.ForceReply:
		return nil, bad("message can't be edited")
	case m.Text == *in.Text && reflect.DeepEqual(append([][]Button{}, m.Buttons...), append([][]Button{}, rows...)):
		return nil, bad("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	if no := s.rate(u.ID); no != nil {
		return nil, no
	}
	m.Edits = append(m.Edits, m.Text)
	m.Text, m.Buttons, m.Preview = *in.Text, rows, in.Preview == nil || !in.Preview.Off
	return m.wire(u), nil
}

func (s *Server) delete(body []byte) *refusal {
	var in deleteMessage
	if no := strict(body, &in); no != nil {
		return no
	}
	u, no := s.reach(in.Chat)
	if no != nil {
		return no
	}
	m := u.find(in.Message)
	switch {
	case m == nil:
		return bad("message to delete not found")
	case m.FromBot && time.Since(m.At) > 48*time.Hour:
		return bad("message can't be deleted for everyone")
	}
	m.Deleted = true
	return nil
}

func (s *Server) answerQuery(body []byte) *refusal {
	var in answerCallbackQuery
	if no := strict(body, &in); no != nil {
		return no
	}
	if utf8.RuneCountInString(in.Text) > 200 {
		return bad("MESSAGE_TOO_LONG")
	}
	q := (*query)(nil)
	if in.ID != nil {
		q = s.queries[*in.ID]
	}
	if q == nil || time.Since(q.at) > 15*time.Minute {
		return bad("query is too old and response timeout expired or query ID is invalid")
	}
	q.answered = true
	q.from.told = append(q.from.told, Toast{Text: in.Text, Alert: in.Alert, Query: *in.ID})
	return nil
}
