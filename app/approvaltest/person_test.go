package approvaltest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

const inboxSurface = "test-inbox"

// playPerson decides what waits, until it is killed.
func playPerson(ctx context.Context) error {
	j, err := openJournal(fmt.Sprintf("person-%s-%d.jsonl", os.Args[1], os.Getpid()))
	if err != nil {
		return err
	}
	c, err := connect(os.Getenv("HOME"))
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), 7))
	for {
		page, err := c.List(ctx, &hub.Filter{Status: sayso.StatusPending, Limit: 1000})
		if err != nil {
			continue
		}
		r.Shuffle(len(page.Tickets), func(a, b int) { page.Tickets[a], page.Tickets[b] = page.Tickets[b], page.Tickets[a] })
		for _, t := range page.Tickets {
			<-time.After(time.Duration(r.IntN(60)) * time.Millisecond)
			offer := []string{"allow", "allow", "deny"}[r.IntN(3)]
			if err := decide(ctx, j, c, t, offer); err != nil {
				return err
			}
		}
		<-time.After(time.Duration(20+r.IntN(80)) * time.Millisecond)
	}
}

// decide answers a ticket, and notes what the hub accepted.
func decide(ctx context.Context, j *journal, c *client.Client, t *hub.Ticket, offer string) error {
	if err := j.write(t.Ask.ID, answers, offer); err != nil {
		return err
	}
	_, err := c.Answer(ctx, t, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}}}})
	switch {
	case err == nil:
		return j.write(t.Ask.ID, accepted, offer)
	case errors.As(err, new(*sayso.InvalidError)):
		return err // this test is wrong
	}
	return nil
}

func socketOf(home string) string { return filepath.Join(home, ".local/state/sayso/run/hub.sock") }

// connect returns a client of the hub that waits for it, but does not start it.
func connect(home string) (*client.Client, error) {
	o := &client.Options{Surface: inboxSurface, Patience: 2 * time.Minute}
	o.Pause.Max = 200 * time.Millisecond
	return client.New(socketOf(home), o)
}
