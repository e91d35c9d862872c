package slack_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
	"github.com/saysohq/sayso/hub"
)

const childEnv = "SAYSO_SLACK_CHILD"

// spec says what a child process is to do.
type spec struct {
	Dir, API string
	Stop     string        // the step at which it stops and waits to be killed
	Times    int           // at which time of that step
	Later    time.Duration // how much later it is than it is
	Link     bool          // the account is linked by a code, and not before
}

// state is what the hub has.
type state struct {
	Open     bool
	Revision uint64
	Answer   string
	Surface  string
	Contacts int
}

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(childEnv); ok {
		if err := child(text); err != nil {
			fmt.Println("failed", err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is a hub with its store, the notifier and the channel. It prints where it is,
// and its state when it reads a line.
func child(text string) error {
	var o spec
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	srv, err := natsserver.Start(ctx, &natsserver.Options{Dir: o.Dir})
	if err != nil {
		return err
	}
	nc, err := srv.Conn(ctx, "")
	if err != nil {
		return err
	}
	store, err := natsstore.Open(ctx, nc, &natsstore.Options{Mark: srv})
	if err != nil {
		return err
	}
	h, err := hub.Open(ctx, store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		return err
	}
	c := slack.New(&slack.Options{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, API: o.API})
	var times atomic.Int32
	stop := func(step string) {
		if step == o.Stop && int(times.Add(1)) == o.Times {
			fmt.Println("at", step)
			select {}
		}
	}
	c.SetStep(stop)
	n := notify.Start(h, store, &notify.Options{Node: "n1", Alone: true, Wait: -1, URL: address,
		Now:      func() time.Time { return time.Now().Add(o.Later) },
		Channels: map[notify.Kind]notify.Channel{notify.Slack: &stepping{c, stop}}})
	ask, err := prepare(ctx, h, n, &o)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		s, err := look(ctx, h, n, ask)
		if err != nil {
			return err
		}
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		fmt.Println("state", string(data))
	}
	return io.EOF
}

// stepping is the channel, with steps around the sending.
type stepping struct {
	*slack.Channel
	stop func(string)
}

func (c *stepping) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	c.stop("posting")
	where, err := c.Channel.Put(ctx, to, n, where)
	c.stop("posted")
	return where, err
}

// prepare makes a contact, or a code for one, and an ask, unless they are there.
func prepare(ctx context.Context, h *hub.Hub, n *notify.Notifier, o *spec) (hub.Address, error) {
	all, err := n.Contacts(ctx, "home", "")
	if err != nil {
		return hub.Address{}, err
	}
	switch {
	case o.Link && len(all) == 0 && o.Stop != "":
		code, err := n.NewCode(ctx, "home", "", notify.Slack, &notify.Contact{After: -1})
		if err != nil {
			return hub.Address{}, err
		}
		fmt.Println("code", code)
		return hub.Address{}, nil // the next process asks
	case !o.Link && len(all) == 0:
		to := ann()
		to.Tenant, to.After, to.Assurance = "home", -1, sayso.AssuranceKey
		if _, err := n.Add(ctx, to); err != nil {
			return hub.Address{}, err
		}
	}
	a := &sayso.Ask{ID: "one", Origin: sayso.Origin{Conversation: "one", Host: "some-agent"}, Questions: []sayso.Question{{
		Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	a.Normalize()
	t, err := h.Submit(ctx, "home", a)
	if err != nil {
		return hub.Address{}, err
	}
	fmt.Println("ready")
	return t.Address, nil
}

// look returns the state.
func look(ctx context.Context, h *hub.Hub, n *notify.Notifier, ask hub.Address) (*state, error) {
	t, err := h.Get(ctx, ask)
	if err != nil {
		return nil, err
	}
	contacts, err := n.Contacts(ctx, "home", "")
	if err != nil {
		return nil, err
	}
	s := &state{Open: t.Open(), Revision: t.Revision, Contacts: len(contacts)}
	if t.Outcome != nil {
		a, _ := t.Outcome.Answer("q1")
		s.Answer, s.Surface = strings.Join(append(a.Selected, a.Other), ""), t.Outcome.By.Surface
	}
	return s, nil
}
