package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
)

// What the channel itself says. All else comes from the desk.
const (
	sayPrompt  = "Reply to this message with your answer."
	sayHint    = "Your answer"
	denyPrompt = "Reply to this message with what the agent is to be told. Your reply denies the request."
	sayText    = "Not sent: only text that you write here can be an answer."
	sayCommand = "Not sent: a text that begins with / is a command in Telegram. To answer with it, reply to the question."
	sayLong    = "Not sent: Telegram splits texts as long as this one, so a part of it could be missing. Answer in the inbox instead."
)

// tooLong is where the apps of Telegram may have split a text: they do at 4096.
const tooLong = 4000

// handling is one update on its way to the desk. What was done is not done again when
// the rest of it has to be repeated.
type handling struct {
	c *Channel
	d notify.Desk

	reply    *notify.Reply // what the desk said
	prompted string        // where own words were asked for
	failures int           // of telling the person what came of it
	changed  bool          // something came of it, so the place is kept at once
}

// update brings an update to the desk. An error means that it has to be repeated.
func (h *handling) update(ctx context.Context, u *update) error {
	switch {
	case u.Query != nil:
		return h.press(ctx, u.Query)
	case u.Message != nil:
		return h.message(ctx, u.Message)
	}
	return nil
}

// press handles a button. The query is answered after the desk has spoken, and never
// before: until then the app shows that it waits.
func (h *handling) press(ctx context.Context, q *query) error {
	account, ok := account(&q.From, q.Message)
	if !ok || q.ID == "" {
		return nil
	}
	if h.reply == nil {
		r, err := h.d.Press(ctx, account, q.Data)
		if err != nil {
			return err
		}
		h.took(account, r)
	}
	if w := h.reply.Words; w != nil {
		if h.prompted == "" {
			// The text holds nothing of the question, as lock screens show it. The
			// app shows which message it belongs to.
			prompt := sayPrompt
			if w.Deny {
				prompt = denyPrompt
			}
			id, err := h.c.send(ctx, &sendMessage{
				Chat: q.Message.Chat.ID, Text: prompt, Silent: true, ReplyTo: under(q.Message.ID), Markup: forceReply{true, sayHint},
			})
			if err == nil {
				h.prompted = place(q.Message.Chat.ID, id)
			} else if err := h.unlessHopeless(ctx, err); err != nil {
				return err
			}
		}
		if h.prompted != "" {
			if err := h.d.Prompted(ctx, account, w.Token, h.prompted); err != nil {
				return err
			}
		}
	}
	h.answer(ctx, q.ID)
	return nil
}

// answer tells the app what became of a press. It is no loss if that fails: the message
// changes too.
func (h *handling) answer(ctx context.Context, id string) {
	for try := range 3 {
		if try > 0 && pause(ctx, time.Duration(try)*time.Second) != nil {
			return
		}
		err := h.c.api.call(ctx, "answerCallbackQuery", &answerQuery{ID: id, Text: cut(clean(h.reply.Text), 200), Alert: !h.reply.Done}, nil)
		var e *apiError
		if err == nil || errors.As(err, &e) && e.Code < http.StatusInternalServerError && e.wait() == 0 {
			return // it was taken, or is too old
		}
		h.c.log.WarnContext(ctx, "a press was handled, but the app could not be told", "error", err)
	}
}

// starts is how a link to the bot, or a scanned code, arrives.
var starts = regexp.MustCompile(`^/start(?:@[A-Za-z0-9_]+)?(?:\s+(\S+))?\s*$`)

// message handles what a person writes.
func (h *handling) message(ctx context.Context, m *message) error {
	account, ok := account(m.From, m)
	if !ok {
		return nil
	}
	if h.reply == nil {
		r, err := h.say(ctx, account, m)
		if err != nil {
			return err
		}
		h.took(account, r)
	}
	if h.reply.Text == "" {
		return nil
	}
	if !h.c.known.has(account) {
		// A stranger is answered seldom, and never waited for.
		if !h.c.shy.may(account) || h.c.pace.take(m.Chat.ID) > 0 {
			return nil
		}
		out := &sendMessage{Chat: m.Chat.ID, Text: cut(clean(h.reply.Text), maxText), Preview: preview{true}, Protect: true}
		if err := h.c.api.call(ctx, "sendMessage", out, nil); err != nil {
			h.c.log.WarnContext(ctx, "a stranger could not be answered", "error", err)
		}
		return nil
	}
	_, err := h.c.send(ctx, &sendMessage{Chat: m.Chat.ID, Text: cut(clean(h.reply.Text), maxText), Silent: true, ReplyTo: under(m.ID)})
	if err != nil {
		return h.unlessHopeless(ctx, err)
	}
	return nil
}

// say finds out what a message is meant for.
func (h *handling) say(ctx context.Context, account string, m *message) (*notify.Reply, error) {
	if s := starts.FindStringSubmatch(m.Text); s != nil && m.ReplyTo == nil {
		where, err := json.Marshal(address{Chat: m.Chat.ID})
		if err != nil {
			return nil, err
		}
		// Telegram vouches for the account, and whoever has the token of the bot could
		// forge that: it is worth as much as a key, and never more.
		return h.d.Link(ctx, s[1], &notify.Contact{Kind: notify.Telegram, Name: name(m.From), Account: account, Address: where, Assurance: sayso.AssuranceKey})
	}
	switch {
	case m.Text == "" || m.Forward != nil || m.External != nil:
		return &notify.Reply{Text: sayText}, nil
	case size(m.Text) >= tooLong:
		return &notify.Reply{Text: sayLong}, nil
	case m.ReplyTo != nil:
		return h.d.Say(ctx, account, notify.Place{Where: place(m.Chat.ID, m.ReplyTo.ID)}, m.Text)
	case strings.HasPrefix(m.Text, "/"):
		// Apps make links of such words in any text, also in an asker's: a tap on one
		// sends it.
		return &notify.Reply{Text: sayCommand}, nil
	}
	return h.d.Say(ctx, account, notify.Place{}, m.Text)
}

// took keeps what the desk said.
func (h *handling) took(account string, r *notify.Reply) {
	if h.reply = r; r == nil {
		h.reply = &notify.Reply{}
	}
	h.changed = h.reply.Done || h.reply.Stored
	if h.changed {
		h.c.known.add(account)
	}
}

// unlessHopeless returns an error of telling a person something only if a repetition
// can help soon. What the person did has been taken, and others wait behind it.
func (h *handling) unlessHopeless(ctx context.Context, err error) error {
	h.failures++
	var r *notify.RetryError
	again := !errors.As(err, &r) || !r.Never && r.After <= patient
	if !again || h.failures >= 3 || errors.Is(err, notify.ErrGone) {
		h.c.log.WarnContext(ctx, "a person could not be told what became of a reply", "error", err)
		return nil
	}
	if r != nil && pause(ctx, r.After) != nil {
		return ctx.Err()
	}
	return err
}

// account is who acts: the user id, in a private chat with the bot, which has the same.
func account(from *user, m *message) (string, bool) {
	if from == nil || from.IsBot || from.ID <= 0 || m == nil || m.Chat.Type != "private" || m.Chat.ID != from.ID {
		return "", false
	}
	return strconv.FormatInt(from.ID, 10), true
}

var usernames = regexp.MustCompile(`^[A-Za-z0-9_]{1,32}$`)

// name is what the person sees in the list of devices.
func name(u *user) string {
	if usernames.MatchString(u.Username) {
		return "Telegram @" + u.Username
	}
	return "Telegram " + strconv.FormatInt(u.ID, 10)
}
