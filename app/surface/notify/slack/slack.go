package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Options are how to reach Slack. The tokens must be set.
type Options struct {
	BotToken string // xoxb-…, with the scopes in [Scopes]
	AppToken string // xapp-…, with the scope connections:write

	API    string       // default: https://slack.com/api
	Client *http.Client // default: 15 seconds for a request, no redirects
	Log    *slog.Logger // default: none
}

// Scopes are what the bot token must allow, no more and no less: link accounts with a
// slash command, open direct messages, write into them.
var Scopes = []string{"chat:write", "commands", "im:write"}

// Channel shows notes as direct messages. It is a [notify.Replier].
type Channel struct {
	bot, app string
	api      string
	client   *http.Client
	log      *slog.Logger

	beat time.Duration // between two pings
	wait time.Duration // for the notifier to change a message that was answered
	step func(string)  // for tests that kill the process between two steps

	mu   sync.Mutex
	dms  map[string]string // by user: the direct message
	done answered

	watched map[string]chan struct{} // by place
	ours    answered                 // places of messages that this process sent or changed
}

// New returns a channel. It does not connect: Put uses the Web API, and Replies opens
// the one connection on which presses arrive.
func New(o *Options) *Channel {
	c := &Channel{
		bot: o.BotToken, app: o.AppToken, api: strings.TrimSuffix(o.API, "/"), client: o.Client, log: o.Log,
		beat: 30 * time.Second, wait: 3 * time.Second, step: func(string) {},
		dms: map[string]string{}, watched: map[string]chan struct{}{},
	}
	if c.api == "" {
		c.api = "https://slack.com/api"
	}
	if c.client == nil {
		c.client = &http.Client{
			Timeout:       15 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Limits says what a message can show. Slack refuses messages of more than about
// 12,000 characters in all blocks together, and does not say how it counts.
func (*Channel) Limits() notify.Limits {
	return notify.Limits{Buttons: elements, Text: 8000, Size: size, Behind: true, Words: true}
}

// address is the part of a contact that only this package reads.
type address struct {
	Team string `json:"team"`
	User string `json:"user"`
}

// Put posts the note, or changes the message that shows it.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	var a address
	if err := json.Unmarshal(to.Address, &a); err != nil || !userID(a.User) {
		return "", fmt.Errorf("slack: the contact %s has no address: %w", to.ID, notify.ErrGone)
	}
	at := placeOf(where)
	switch {
	case at.ts == "" && n.Over:
		return "", nil
	case at.ts == "" || n.Alert && !n.Over:
		return c.post(ctx, a.User, n, at)
	}
	return c.update(ctx, n, at)
}

// post sends a new message, and then deletes the one before: a reminder is to be
// noticed, and Slack makes no sound for a change.
func (c *Channel) post(ctx context.Context, user string, n *notify.Note, at place) (string, error) {
	channel, err := c.dm(ctx, user)
	if err != nil {
		return "", unsent(err)
	}
	m := draw(n)
	m.Channel, m.Mrkdwn, m.UnfurlLinks, m.UnfurlMedia = channel, new(bool), new(bool), new(bool)
	var sent struct {
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	}
	if err := c.call(ctx, c.bot, "chat.postMessage", m, &sent); err != nil {
		if code(err) == "channel_not_found" {
			c.forget(user)
		}
		return "", err
	}
	now := place{channel: sent.Channel, ts: sent.TS, old: at.old}
	if !now.valid() {
		return "", fmt.Errorf("slack: chat.postMessage: the reply does not say where the message is")
	}
	c.changes(now)
	if at.ts != "" {
		c.changes(at)
		now.old = append(now.old, at.ts)
	}
	return c.sweep(ctx, now).String(), nil
}

// unsent says that nothing was sent, so that it is tried again.
func unsent(err error) error {
	if _, ok := errors.AsType[*notify.RetryError](err); ok || errors.Is(err, notify.ErrGone) {
		return err
	}
	return &notify.RetryError{Err: err}
}

// update changes a message in silence.
func (c *Channel) update(ctx context.Context, n *notify.Note, at place) (string, error) {
	m := draw(n)
	m.Channel, m.TS = at.channel, at.ts
	c.changes(at)
	err := c.call(ctx, c.bot, "chat.update", m, nil)
	switch code(err) {
	case "":
		if err != nil {
			return "", err
		}
	case "message_not_found": // somebody deleted it; to post it anew would make a noise
		return c.sweep(ctx, place{channel: at.channel, old: at.old}).String(), nil
	case "cant_update_message", "edit_window_closed":
		if n.Over { // better no message than one that asks what is answered
			return c.sweep(ctx, place{channel: at.channel, old: append(at.old, at.ts)}).String(), nil
		}
	default:
		return "", err
	}
	return c.sweep(ctx, at).String(), nil
}

// sweep deletes what newer messages have replaced. What cannot be deleted now is tried
// again with the next change.
func (c *Channel) sweep(ctx context.Context, at place) place {
	var left []string
	for _, ts := range at.old {
		err := c.call(ctx, c.bot, "chat.delete", &message{Channel: at.channel, TS: ts}, nil)
		switch code(err) {
		case "message_not_found", "cant_delete_message", "compliance_exports_prevent_deletion":
		default:
			if err != nil {
				left = append(left, ts)
			}
		}
	}
	if len(left) > 4 { // what where has room for
		left = left[len(left)-4:]
	}
	at.old = left
	return at
}

// dm returns the direct message with a user.
func (c *Channel) dm(ctx context.Context, user string) (string, error) {
	c.mu.Lock()
	channel := c.dms[user]
	c.mu.Unlock()
	if channel != "" {
		return channel, nil
	}
	var open struct {
		Channel struct {
			ID string `json:"id"`
		} `json:"channel"`
	}
	if err := c.call(ctx, c.bot, "conversations.open", map[string]string{"users": user}, &open); err != nil {
		return "", err
	}
	if !direct(open.Channel.ID) {
		return "", fmt.Errorf("slack: conversations.open: the reply names no direct message")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dms[user] = open.Channel.ID
	return open.Channel.ID, nil
}

func (c *Channel) forget(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.dms, user)
}

// place is where a note is: a message, and older ones still to be deleted.
type place struct {
	channel, ts string
	old         []string
}

func placeOf(where string) place {
	f := strings.Fields(where)
	if len(f) < 2 {
		return place{}
	}
	p := place{channel: f[0], ts: f[1], old: f[2:]}
	if p.ts == "-" {
		p.ts = ""
	}
	return p
}

func (p place) valid() bool { return direct(p.channel) && p.ts != "" && len(p.ts) <= 32 }

func (p place) String() string {
	switch {
	case p.ts == "" && len(p.old) == 0:
		return ""
	case p.ts == "":
		p.ts = "-"
	}
	return strings.Join(append([]string{p.channel, p.ts}, p.old...), " ")
}

// direct reports whether the id is one of a direct message.
func direct(id string) bool { return named(id, "D") }

// userID reports whether the id is one of a person.
func userID(id string) bool { return named(id, "UW") }

// named reports whether an id begins with one of the letters, as Slack makes them.
func named(id, first string) bool {
	if len(id) < 2 || len(id) > 32 || !strings.ContainsRune(first, rune(id[0])) {
		return false
	}
	for _, r := range id {
		if (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}
