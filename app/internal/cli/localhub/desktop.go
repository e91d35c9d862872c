package localhub

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// openNote opens what a notification of the desktop is about in the person's browser:
// at the address that it has for all devices, or else signed in to the inbox of this
// machine, since anyone who can click on this desktop counts as the owner of the hub.
func (n *notifying) openNote(note *notify.Note, url string) error {
	if runtime.GOOS == "linux" && n.getenv("DISPLAY") == "" && n.getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("the hub was not started on this desktop, so it cannot open a browser; answer with: sayso inbox")
	}
	if url != "" {
		return openPage(url)
	}
	in := n.inbox.Load()
	if in == nil {
		return errors.New("the hub is about to serve; try again")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	to := "/"
	if len(note.Asks) == 1 {
		to = askPath(n.hub.Handle(note.Asks[0].Address))
	}
	link, err := in.link(ctx, to)
	if err != nil {
		return fmt.Errorf("opening the inbox: %w", err)
	}
	page, err := n.o.Places.LoginPage(link)
	if err != nil {
		return fmt.Errorf("opening the inbox: %w", err)
	}
	return openPage(page)
}

func (n *notifying) getenv(name string) string {
	if n.o.Notify.Getenv == nil {
		return ""
	}
	return n.o.Notify.Getenv(name)
}
