package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/saysohq/sayso/hub"
)

var errUnread = errors.New("the agent no longer reads what sayso says: it has ended")

// attended returns the asker of a program that an agent started and whose output it
// reads. It takes no answer once nobody reads: the answer stays for the session when it
// goes on. On a busy machine it can come before the end of the agent is noticed.
func attended(h hub.Asker, out io.Writer) hub.Asker {
	pipe, ok := out.(*os.File)
	if !ok {
		return h
	}
	return &attendedAsker{h, pipe}
}

type attendedAsker struct {
	hub.Asker
	out *os.File
}

func (a *attendedAsker) Consume(ctx context.Context, handle string) (*hub.Ticket, error) {
	if readerGone(a.out) {
		return nil, errUnread
	}
	return a.Asker.Consume(ctx, handle)
}

// Decisions returns what was decided before; see [hub.Recaller].
func (a *attendedAsker) Decisions(ctx context.Context, d *hub.Decisions) ([]*hub.Ticket, error) {
	return hub.Recall(ctx, a.Asker, d)
}
