package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Put sends the note as a message, or edits the one that where names. A reminder is a
// new message, as edits make no sound; the old one is deleted after that, so that a
// crash in between leaves two and not none.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	id, err := chatOf(to)
	if err != nil {
		return "", &notify.RetryError{Never: true, Err: err}
	}
	c.known.add(to.Account)
	old, there := messageOf(where, id)
	if n.Over && !there {
		return "", nil
	}
	text := wording(n)
	if text == "" && n.Over { // there is nothing to say in its place
		return "", c.remove(ctx, id, old)
	}
	if size(text) > maxText {
		if !n.Over {
			return where, &notify.RetryError{Never: true, Err: fmt.Errorf("telegram: a text of %d characters; a message takes %d", size(text), maxText)}
		}
		text = cut(text, maxText)
	}
	if !there || n.Alert && !n.Over {
		sent, err := c.show(ctx, id, 0, text, n, 0)
		if err != nil {
			return where, err
		}
		if there {
			// The new message is there whatever becomes of the old one, so an error
			// here is none of the note's: it would be sent a third time.
			if err := c.remove(ctx, id, old); err != nil {
				c.log.WarnContext(ctx, "the message before a reminder is still there", "error", err)
			}
		}
		return place(id, sent), nil
	}

	_, err = c.show(ctx, id, old, text, n, 0)
	var e *apiError
	switch {
	case err == nil:
		return where, nil
	case !errors.As(err, &e) || e.Code != http.StatusBadRequest:
		return where, err
	case e.has("message is not modified"):
		return where, nil
	case e.has("message to edit not found", "message_id_invalid"):
		if n.Over { // the person deleted it, and nothing waits: there is nothing to tell
			return "", nil
		}
		old = 0
	case e.has("message can't be edited", "message_edit_time_expired"):
	default:
		return where, err
	}
	sent, err := c.show(ctx, id, 0, text, n, old)
	if err != nil {
		return where, err
	}
	return place(id, sent), nil
}

// show edits the message, or sends one if it is 0, as an answer to another one if there
// is one. Where Telegram refuses the address of a button, the text has it instead.
func (c *Channel) show(ctx context.Context, id, edit int64, text string, n *notify.Note, below int64) (sent int64, err error) {
	for _, links := range []bool{true, false} {
		whole, keys := draw(text, n.Buttons, links)
		if edit != 0 {
			err = c.paced(ctx, id, "editMessageText", &editMessage{Chat: id, Message: edit, Text: whole, Preview: preview{true}, Markup: keys}, nil)
		} else {
			sent, err = c.send(ctx, &sendMessage{Chat: id, Text: whole, Silent: !n.Alert, ReplyTo: under(below), Markup: keys.orNone()})
		}
		var e *apiError
		if !errors.As(err, &e) || e.Code != http.StatusBadRequest || !e.has("button url", "button_url_invalid", "wrong http url") {
			break
		}
	}
	return sent, err
}

// send sends a message and returns its id.
func (c *Channel) send(ctx context.Context, m *sendMessage) (int64, error) {
	m.Preview, m.Protect = preview{true}, true
	var got message
	if err := c.paced(ctx, m.Chat, "sendMessage", m, &got); err != nil {
		return 0, err
	}
	if got.ID <= 0 {
		return 0, errors.New("telegram: sendMessage: the result has no message")
	}
	return got.ID, nil
}

// paced calls a method that counts as a message in the chat.
func (c *Channel) paced(ctx context.Context, id int64, method string, in, out any) error {
	if err := c.pace.wait(ctx, id); err != nil {
		return err
	}
	err := c.api.call(ctx, method, in, out)
	var e *apiError
	if errors.As(err, &e) && e.wait() > 0 {
		c.pace.hold(id, e.wait())
	}
	return failed(err)
}

// remove deletes a message. One that is gone, or too old to be deleted, is no error.
func (c *Channel) remove(ctx context.Context, id, old int64) (err error) {
	for try := range 3 {
		if try > 0 && pause(ctx, time.Duration(try)*time.Second) != nil {
			break
		}
		err = c.api.call(ctx, "deleteMessage", &deleteMessage{Chat: id, Message: old}, nil)
		var e *apiError
		if err == nil || errors.As(err, &e) && e.Code == http.StatusBadRequest && e.has("message to delete not found", "message can't be deleted", "message_id_invalid") {
			return nil
		}
		if errors.As(err, &e) && (e.wait() > 5*time.Second || e.wait() == 0) {
			break
		}
	}
	return failed(err)
}

// wording is the text of a message.
func wording(n *notify.Note) string {
	if n.Text != "" {
		return clean(n.Text)
	}
	return clean(strings.Trim(n.Title+"\n"+n.Body, "\n"))
}

// draw lays the buttons out: answers in a row of their own, the others beside each
// other as far as they fit. Telegram takes no address of this machine in a button, so
// those stand below the text.
func draw(text string, buttons []notify.Button, links bool) (string, keyboard) {
	rows, width := [][]button{}, 0
	for _, b := range buttons {
		if b.URL != "" && !(links && reachable(b.URL)) {
			if line := "\n\n" + b.Label + ": " + b.URL; size(text)+size(line) <= maxText {
				text += clean(line)
			}
			continue
		}
		key := button{Text: clean(b.Label), Data: b.Data, URL: b.URL}
		if w := size(key.Text); !b.Answer && width > 0 && width+w <= 32 && len(rows[len(rows)-1]) < 3 {
			rows[len(rows)-1] = append(rows[len(rows)-1], key)
			width += w
		} else {
			rows = append(rows, []button{key})
			if width = w; b.Answer {
				width = 0 // nothing goes beside an answer
			}
		}
	}
	return text, keyboard{rows}
}

// orNone is what a new message has: nothing rather than a keyboard without keys.
func (k keyboard) orNone() any {
	if len(k.Rows) == 0 {
		return nil
	}
	return k
}

func under(message int64) *replyTo {
	if message == 0 {
		return nil
	}
	return &replyTo{Message: message, Anyway: true}
}

// reachable reports whether Telegram takes the address in a button.
func reachable(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || !strings.Contains(u.Hostname(), ".") {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err != nil || !ip.IsLoopback() && !ip.IsUnspecified()
}
