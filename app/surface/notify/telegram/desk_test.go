package telegram_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegram"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// desk is a desk that writes down what it is told, and knows one code and some buttons.
type desk struct {
	mu     sync.Mutex
	log    []string
	place  string
	linked map[string]bool
	fail   int // so many calls fail
}

func newDesk(linked ...string) *desk {
	d := &desk{linked: map[string]bool{}}
	for _, a := range linked {
		d.linked[a] = true
	}
	return d
}

func (d *desk) note(format string, a ...any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail > 0 {
		d.fail--
		return errors.New("the hub is away")
	}
	d.log = append(d.log, fmt.Sprintf(format, a...))
	return nil
}

func (d *desk) link(account string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.linked[account] = true
}

func (d *desk) knows(account string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.linked[account]
}

// forget forgets what was done, and has so many calls fail.
func (d *desk) forget(fail int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log, d.fail = nil, fail
}

func (d *desk) did() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.log)
}

// without returns what was done apart from keeping the place.
func (d *desk) without() []string {
	return slices.DeleteFunc(d.did(), func(s string) bool { return strings.HasPrefix(s, "keep") })
}

func (d *desk) Place(context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.place, nil
}

func (d *desk) Keep(_ context.Context, place string) error {
	err := d.note("keep %s", place)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		d.place = place
	}
	return err
}

func (d *desk) Link(_ context.Context, code string, c *notify.Contact) (*notify.Reply, error) {
	if err := d.note("link %q %s %q %s %s %d", code, c.Kind, c.Name, c.Account, c.Address, c.Assurance); err != nil {
		return nil, err
	}
	if code != "good" {
		return &notify.Reply{Text: "This code is not valid."}, nil
	}
	d.link(c.Account)
	return &notify.Reply{Text: "Linked.", Done: true}, nil
}

func (d *desk) Press(_ context.Context, account, data string) (*notify.Reply, error) {
	if err := d.note("press %s %q", account, data); err != nil {
		return nil, err
	}
	switch {
	case !d.knows(account):
		return &notify.Reply{Text: "This is not for you."}, nil
	case strings.HasSuffix(data, ".w"):
		return &notify.Reply{Text: "Write your answer.", Done: true, Words: &notify.Words{Token: "tok", Title: "Which?", Text: "Which?"}}, nil
	}
	return &notify.Reply{Text: "Sent.", Done: true, Stored: true}, nil
}

func (d *desk) Say(_ context.Context, account string, to notify.Place, text string) (*notify.Reply, error) {
	if err := d.note("say %s %+v %q", account, to, text); err != nil {
		return nil, err
	}
	if !d.knows(account) {
		return &notify.Reply{Text: "I do not know you."}, nil
	}
	return &notify.Reply{Text: "Sent.", Done: true, Stored: true}, nil
}

func (d *desk) Prompted(_ context.Context, account, token, where string) error {
	return d.note("prompted %s %s %s", account, token, where)
}

// contact is the account of a user, linked.
func contact(id int64) *notify.Contact {
	return &notify.Contact{ID: "telegram-1", Kind: notify.Telegram, Account: fmt.Sprint(id), Address: json.RawMessage(fmt.Sprintf(`{"chat":%d}`, id))}
}

// channel is a channel at the server, without a network.
func channel(s *telegramtest.Server) *telegram.Channel {
	return telegram.New(&telegram.Options{Token: telegramtest.Token, API: "https://api.example", Client: s.Client()})
}

// quick is a channel without limits.
func quick(s *telegramtest.Server) *telegram.Channel { return telegram.Unpaced(channel(s)) }

// run has the channel bring replies to the desk until the test ends, and returns how
// that went.
func run(t *testing.T, c *telegram.Channel, d notify.Desk) (ended func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Replies(ctx, d) }()
	var once sync.Once
	var err error
	wait := func() { once.Do(func() { err = <-done }) }
	t.Cleanup(func() { cancel(); wait() })
	return func() error { wait(); return err }
}
