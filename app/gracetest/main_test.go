package gracetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/internal/cli"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// roleEnv says as what this test program was started.
const roleEnv = "SAYSO_GRACE_ROLE"

// TestMain makes this test program sayso or a browser, if it was started as that.
func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "browser":
		if err := browse(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
	}
}

// heard is what the person was told by the page. It is written after the hub said so.
type heard struct {
	What  string // held, undone, too late, closed
	Until time.Time
}

// browse does one thing at an ask, says on standard output what came of it, and stays
// on the stream of events until it is killed. A page that was killed before it said
// anything is opened again: what is held then is what the person sent.
func browse(ctx context.Context, action, id, option string) error {
	c, err := connect(os.Getenv("HOME"))
	if err != nil {
		return err
	}
	t, err := find(ctx, c, id)
	if err != nil {
		return err
	}
	h := heard{What: "closed"}
	switch {
	case action == "answer" && t.Held != nil && t.Held.Outcome.Answers[0].Selected[0] == option:
		h = heard{"held", t.Held.Until}
	case action == "answer" && t.Open():
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Selected: []string{option}}}}
		held, err := c.Hold(ctx, t, o, hold)
		if err != nil {
			return err
		}
		if held.Held != nil {
			h = heard{"held", held.Held.Until}
		}
	case action == "undo":
		switch _, err := c.Undo(ctx, t); {
		case errors.Is(err, hub.ErrConsumed):
			h.What = "too late"
		case err != nil:
			return err
		default:
			h.What = "undone"
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(h); err != nil {
		return err
	}
	return c.Inbox().Watch(ctx, func(hub.Change) {})
}

func socketOf(home string) string { return filepath.Join(home, ".local/state/sayso/run/hub.sock") }

// connect returns a client of the hub that waits for it, but does not start it.
func connect(home string) (*client.Client, error) {
	o := &client.Options{Surface: "page", Patience: 2 * time.Minute}
	o.Pause.Max = 100 * time.Millisecond
	return client.New(socketOf(home), o)
}

// find returns the ask with the id, once it is there.
func find(ctx context.Context, c *client.Client, id string) (*hub.Ticket, error) {
	for {
		var found *hub.Ticket
		err := hub.Each(ctx, c, &hub.Filter{Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
			if t.Ask.ID == id {
				found = t
			}
			return found == nil
		})
		if err != nil || found != nil {
			return found, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
