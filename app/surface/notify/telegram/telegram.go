// Package telegram shows notes in private chats with a bot of Telegram, and takes
// answers there. It speaks the six methods of the Bot API that this needs, with the
// standard library.
//
// [New] makes the channel, and [Check] says whether a token works and which bot it
// belongs to. What the package guarantees:
//
//   - An update is confirmed to Telegram only after the desk has taken it. Whatever
//     dies in between, no press is lost; that none is applied twice is the desk's
//     part, which is told the same again.
//   - Who acts is the user id that Telegram states, in a private chat with the bot.
//     Everything else in an update may have been chosen by a stranger.
//   - Messages carry no markup. A text of an asker cannot format anything.
//   - A person is told that something was done only after the desk said so.
//   - The token is in no error and in no log.
package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso/app/surface/notify"
)

// API is the address of the Bot API.
const API = "https://api.telegram.org"

// maxText is the most UTF-16 units that a message may have.
const maxText = 4096

// spare is what a message keeps free below the text of an ask: for addresses that
// cannot be buttons.
const spare = 256

// Options say which bot it is.
type Options struct {
	Token  string       // of the bot, as BotFather gives it
	API    string       // address of the Bot API; default: API. Without TLS only on this machine
	Client *http.Client // default: one that follows no redirects. Calls bring their own time limits
	Log    *slog.Logger // default: none
}

// Channel is the private chats of one bot.
type Channel struct {
	api   *api
	log   *slog.Logger
	pace  *pace
	shy   *shy
	known *known
}

// New returns the channel of a bot. It calls nobody yet.
func New(o *Options) *Channel {
	c := &Channel{api: newAPI(o), log: slog.New(slog.DiscardHandler), pace: newPace(), shy: newShy(), known: newKnown()}
	if o != nil && o.Log != nil {
		c.log = o.Log
	}
	return c
}

// Limits say what a message can show.
func (c *Channel) Limits() notify.Limits {
	return notify.Limits{Buttons: 30, Text: maxText - spare, Size: size, Words: true}
}

// Check asks Telegram whose token it is, and returns the user name of the bot.
func Check(ctx context.Context, o *Options) (bot string, err error) {
	var me user
	if err := newAPI(o).call(ctx, "getMe", struct{}{}, &me); err != nil {
		return "", explain(err)
	}
	if !me.IsBot || me.Username == "" {
		return "", errors.New("telegram: the token does not belong to a bot; make one with @BotFather")
	}
	return me.Username, nil
}

// address is what a contact holds for this package.
type address struct {
	Chat int64 `json:"chat"`
}

func chatOf(to *notify.Contact) (int64, error) {
	var a address
	if err := json.Unmarshal(to.Address, &a); err != nil || a.Chat == 0 {
		return 0, fmt.Errorf("telegram: the contact %s has no chat; remove it and link the account again", to.ID)
	}
	return a.Chat, nil
}

// place names a message.
func place(chat, message int64) string { return fmt.Sprintf("%d.%d", chat, message) }

// messageOf is the message that a place names, if it is one of the chat.
func messageOf(where string, chat int64) (int64, bool) {
	head, tail, _ := strings.Cut(where, ".")
	message, err := strconv.ParseInt(tail, 10, 64)
	return message, err == nil && message > 0 && head == strconv.FormatInt(chat, 10)
}

// size is the length of a text as Telegram counts it: in UTF-16 units.
func size(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

// cut shortens a text to so many UTF-16 units.
func cut(s string, most int) string {
	if size(s) <= most {
		return s
	}
	n := 0
	for i, r := range s {
		w := 1
		if r > 0xffff {
			w = 2
		}
		if n+w > most-1 {
			return s[:i] + "…"
		}
		n += w
	}
	return s
}

// clean is a text as Telegram takes it: it refuses what is not UTF-8.
func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// defaultClient follows no redirects, as they would carry the token elsewhere.
func defaultClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           4,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 16 << 10,
		},
	}
}
