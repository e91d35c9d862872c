package faulttest

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// asker is a program of a node: agents and a person in one process with the server, as on a laptop. Each of the agents
// asks one ask after the other; one in three is answered, one in three is answered and received. Every acknowledged step
// is printed as "agent ask step choice". The arguments are the number of this life and, for each agent, the ask that it
// begins with: after a crash the one that it had in hand, and then it does everything again.
func asker(ctx context.Context, s *natsserver.Server, args []string, out io.Writer) error {
	nc, err := s.Conn(ctx, "asker")
	if err != nil {
		return err
	}
	store, err := natsstore.Open(ctx, nc, &natsstore.Options{Mark: s})
	if err != nil {
		return err
	}
	defer store.Close()
	h, err := hub.Open(ctx, store, nil)
	if err != nil {
		return err
	}
	defer h.Stop()
	life, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	var agents errgroup.Group
	for agent, first := range args[1:] {
		i, err := strconv.Atoi(first)
		if err != nil {
			return err
		}
		agents.Go(func() error {
			for ; ctx.Err() == nil; i++ {
				if err := askOnce(ctx, h, life, agent, i, out); err != nil {
					return fmt.Errorf("ask %s: %w", askID(agent, i), err)
				}
			}
			return nil
		})
	}
	return agents.Wait()
}

// The steps of an ask.
const (
	asked    = "asked"
	answered = "answered"
	received = "received"
)

// lastStep is how far an agent takes an ask.
func lastStep(i int) string { return []string{asked, answered, received}[i%3] }

func askID(agent, i int) string { return fmt.Sprintf("ask_%d_%d", agent, i) }

func askOnce(ctx context.Context, h *hub.Hub, life, agent, i int, out io.Writer) error {
	say := func(step, choice string) error {
		_, err := fmt.Fprintf(out, "%d %d %s %s\n", agent, i, step, choice)
		return err
	}
	t, err := h.Submit(ctx, tenant, newAsk(askID(agent, i)))
	if err != nil {
		return err
	}
	if err := say(asked, "-"); err != nil || lastStep(i) == asked {
		return err
	}
	// Who answers again after the crash has changed her mind; the first answer stands.
	choice := fmt.Sprint("o", 1+(life+i)%2)
	t, err = h.Close(ctx, t, answer("ann", choice), &hub.CloseOptions{Nonce: askID(agent, i)})
	if err != nil {
		return err
	}
	choice = t.Outcome.Answers[0].Selected[0]
	if err := say(answered, choice); err != nil || lastStep(i) == answered {
		return err
	}
	if _, err := h.Consume(ctx, t); err != nil {
		return err
	}
	return say(received, choice)
}
