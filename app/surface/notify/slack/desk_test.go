package slack_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
)

// account is Ann, as the desk knows her.
const account = slacktest.Team + ":" + slacktest.Ann

// desk is a desk that takes what Ann does, and nobody else.
type desk struct {
	mu      sync.Mutex
	valid   map[string]bool // the data of buttons that exist
	calls   []string        // everything that came
	applied []string        // what was done, once each
	words   map[string]string
	links   map[string]*notify.Contact // by code
	failing int
}

func (d *desk) take(account_, what, data string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, account_+" "+what+" "+data)
	if d.failing > 0 {
		d.failing--
		return errors.New("the store is away")
	}
	return nil
}

func (d *desk) Place(context.Context) (string, error) { return "", nil }

func (d *desk) Keep(context.Context, string) error { return nil }

func (d *desk) Prompted(context.Context, string, string, string) error { return nil }

func (d *desk) Press(ctx context.Context, who, data string) (*notify.Reply, error) {
	if err := d.take(who, "press", data); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case who != account:
		return &notify.Reply{Text: "This account is not linked."}, nil
	case !d.valid[data]:
		return &notify.Reply{Text: "This button is of no use any more."}, nil
	case data == "tok.w":
		return &notify.Reply{Done: true, Words: &notify.Words{Token: "tok", Title: "Which database?", Text: "Which <database> & *why*? :tada:"}}, nil
	}
	if !slices.Contains(d.applied, data) {
		d.applied = append(d.applied, data)
	}
	return &notify.Reply{Text: "Sent.", Done: true, Stored: true}, nil
}

func (d *desk) Say(ctx context.Context, who string, to notify.Place, text string) (*notify.Reply, error) {
	if err := d.take(who, "say", to.Token+" "+text); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if who != account || to.Token != "tok" {
		return &notify.Reply{Text: "The question was answered in the terminal."}, nil
	}
	if d.words == nil {
		d.words = map[string]string{}
	}
	d.words[to.Token] = text
	return &notify.Reply{Text: "Sent.", Done: true, Stored: true}, nil
}

func (d *desk) Link(ctx context.Context, code string, c *notify.Contact) (*notify.Reply, error) {
	if err := d.take(c.Account, "link", code); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if code != "GOOD-CODE" {
		return &notify.Reply{Text: "This code is not good, or no longer. Make a new one <there>."}, nil
	}
	if d.links == nil {
		d.links = map[string]*notify.Contact{}
	}
	d.links[code] = c
	return &notify.Reply{Text: "Linked.", Done: true}, nil
}

func (d *desk) came() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

func (d *desk) did() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.applied)
}

// options are those of a channel at the server.
func options(s *slacktest.Server) *slack.Options {
	return &slack.Options{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, API: s.URL()}
}

// ann is a contact.
func ann() *notify.Contact {
	return &notify.Contact{ID: "slack-1", Kind: notify.Slack, Account: account,
		Address: []byte(`{"team":"` + slacktest.Team + `","user":"` + slacktest.Ann + `"}`)}
}

// listen connects a channel, until the test ends.
func listen(t *testing.T, s *slacktest.Server, c *slack.Channel, d notify.Desk) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	n := s.Connections()
	work.Go(func() {
		if err := c.Replies(ctx, d); !errors.Is(err, context.Canceled) {
			t.Errorf("Replies: %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		work.Wait()
		for _, w := range s.Wrong() {
			t.Errorf("Slack does not allow: %s", w)
		}
	})
	eventually(t, "connected", func() bool { return s.Connections() > n })
}

// patience is how long a test waits for what must happen: a minute, or SAYSO_PATIENCE,
// which mutants set.
func patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SAYSO_PATIENCE")); err == nil {
		return d
	}
	return time.Minute
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience()); !is(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// question is a note with buttons.
func question() *notify.Note {
	return &notify.Note{Key: "k1", Token: "tok", Alert: true, Waiting: 1, Title: "claude-code asks", Body: "A question waits for you.",
		Text: "claude-code on laptop asks:\nWhich database?\n1. PostgreSQL\n2. SQLite",
		Buttons: []notify.Button{
			{Label: "1. PostgreSQL", Data: "tok.0", Answer: true},
			{Label: "2. SQLite", Data: "tok.1", Answer: true},
			{Label: "Drop it, in the inbox", URL: "https://hub.example/ask/1", Danger: true},
			{Label: "Own words…", Data: "tok.w"},
			{Label: "Open in the inbox", URL: "https://hub.example/ask/1"},
		}}
}

func newDesk() *desk {
	return &desk{valid: map[string]bool{"tok.0": true, "tok.1": true, "tok.w": true}}
}
