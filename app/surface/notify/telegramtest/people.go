package telegramtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// User is a person with an app of Telegram, and their private chat with the bot.
type User struct {
	ID   int64
	Name string

	s        *Server
	started  bool
	blocked  bool
	messages []*Message
	heard    []Notification
	told     []Toast
}

// Message is a message as the person sees it.
type Message struct {
	ID         int64
	FromBot    bool
	Text       string
	Buttons    [][]Button
	ReplyTo    int64
	ForceReply bool
	Silent     bool
	Protected  bool
	Preview    bool // the app may fetch addresses in it
	Deleted    bool
	Edits      []string // what it said before, the oldest first
	At         time.Time

	frozen bool
}

// Notification is what the lock screen showed.
type Notification struct {
	Text    string
	Sound   bool
	Message int64
}

// Toast is what the app showed after a press.
type Toast struct {
	Text  string
	Alert bool
	Query string
}

type query struct {
	from     *User
	at       time.Time
	answered bool
}

// User returns the person with the id, who is made if need be.
func (s *Server) User(id int64, name string) *User {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[id]
	if u == nil {
		u = &User{ID: id, Name: name, s: s}
		s.users[id] = u
	}
	return u
}

func (u *User) wire() map[string]any {
	return map[string]any{"id": u.ID, "is_bot": false, "first_name": u.Name, "username": u.Name, "language_code": "en"}
}

func (u *User) chat() map[string]any {
	return map[string]any{"id": u.ID, "type": "private", "first_name": u.Name, "username": u.Name}
}

func (m *Message) wire(u *User) map[string]any {
	out := map[string]any{"message_id": m.ID, "date": m.At.Unix(), "chat": u.chat(), "text": m.Text, "from": u.wire()}
	if m.FromBot {
		out["from"] = map[string]any{"id": botID, "is_bot": true, "first_name": "sayso", "username": Bot}
	}
	if m.ReplyTo != 0 {
		if to := u.find(&m.ReplyTo); to != nil {
			inner := *to
			inner.ReplyTo = 0 // one level only, as documented
			out["reply_to_message"] = inner.wire(u)
		}
	}
	return out
}

// find finds a message that is not deleted. The lock is held.
func (u *User) find(id *int64) *Message {
	for _, m := range u.messages {
		if id != nil && m.ID == *id && !m.Deleted {
			return m
		}
	}
	return nil
}

// Start opens the link t.me/BOT?start=CODE and presses Start.
func (u *User) Start(code string) {
	u.write(strings.TrimRight("/start "+code, " "), 0, nil)
}

// Send writes a text. The text arrives as it is; a real app takes spaces off its ends.
func (u *User) Send(text string) { u.write(text, 0, nil) }

// Reply writes a text as the reply to a message.
func (u *User) Reply(to int64, text string) { u.write(text, to, nil) }

// SendWith writes a text in a message that has other fields, too: forward_origin, photo.
func (u *User) SendWith(text string, more map[string]any) { u.write(text, 0, more) }

func (u *User) write(text string, to int64, more map[string]any) {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.started, u.blocked = true, false
	u.s.nextMsg++
	m := &Message{ID: u.s.nextMsg, Text: text, ReplyTo: to, At: time.Now()}
	u.messages = append(u.messages, m)
	out := m.wire(u)
	if text == "" {
		delete(out, "text")
	}
	for k, v := range more {
		out[k] = v
	}
	u.s.push("message", out)
}

// Press presses the button with the label, which must be there, and returns the id of
// the query.
func (u *User) Press(message int64, label string) string {
	u.s.t.Helper()
	u.s.mu.Lock()
	m := u.find(&message)
	data, ok := "", false
	if m != nil {
		for _, b := range slices.Concat(m.Buttons...) {
			if b.Text == label && b.URL == "" {
				data, ok = b.Data, true
			}
		}
	}
	u.s.mu.Unlock()
	if !ok {
		u.s.t.Fatalf("telegramtest: message %d has no button %q: %+v", message, label, m)
	}
	return u.PressData(message, data)
}

// PressData presses a button that a modified app made up, on any message.
func (u *User) PressData(message int64, data string) string {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.s.nextCall++
	id := fmt.Sprint(4711000000 + u.s.nextCall)
	u.s.queries[id] = &query{from: u, at: time.Now()}
	on := map[string]any{"message_id": message, "date": 0, "chat": u.chat()} // one that the server does not have any more
	if m := u.find(&message); m != nil {
		on = m.wire(u)
	}
	u.s.push("callback_query", map[string]any{"id": id, "from": u.wire(), "message": on, "chat_instance": "-1", "data": data})
	return id
}

// Answered reports whether the app was told what became of a press.
func (s *Server) Answered(query string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queries[query]
	return q != nil && q.answered
}

// Block blocks the bot, until the person writes again.
func (u *User) Block() {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.blocked = true
}

// Delete deletes a message for both sides.
func (u *User) Delete(message int64) {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	if m := u.find(&message); m != nil {
		m.Deleted = true
	}
}

// Freeze makes a message one that cannot be edited any more.
func (u *User) Freeze(message int64) {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	if m := u.find(&message); m != nil {
		m.frozen = true
	}
}

// Messages returns what is to be seen in the chat, without what was deleted.
func (u *User) Messages() []Message {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	var out []Message
	for _, m := range u.messages {
		if !m.Deleted {
			c := *m
			c.Buttons, c.Edits = slices.Clone(m.Buttons), slices.Clone(m.Edits)
			out = append(out, c)
		}
	}
	return out
}

// FromBot returns the messages of the bot.
func (u *User) FromBot() []Message {
	return slices.DeleteFunc(u.Messages(), func(m Message) bool { return !m.FromBot })
}

// Last returns the last message of the bot; its ID is 0 if there is none.
func (u *User) Last() Message {
	if all := u.FromBot(); len(all) > 0 {
		return all[len(all)-1]
	}
	return Message{}
}

// Labels are what the buttons of a message say, in order.
func (m *Message) Labels() []string {
	var out []string
	for _, b := range slices.Concat(m.Buttons...) {
		out = append(out, b.Text)
	}
	return out
}

// Notifications returns what the lock screen showed.
func (u *User) Notifications() []Notification {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	return slices.Clone(u.heard)
}

// Toasts returns what the app showed after presses.
func (u *User) Toasts() []Toast {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	return slices.Clone(u.told)
}
