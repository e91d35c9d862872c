package localhub

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/desktop"
	"github.com/saysohq/sayso/app/surface/notify/webpush"
	"github.com/saysohq/sayso/hub"
)

// NotifyOptions say through what people are notified.
type NotifyOptions struct {
	Command string   // what a contact of kind command runs, by a shell; default: there is none
	Allow   []string // inside addresses that notifications may be sent to: see package outbound; default: none
	Contact string   // how push services reach the operator of the hub: an https: or mailto: address; default: the project's page
	Getenv  func(string) string
}

// notifying tells people of questions that wait, and sees to their devices for the
// owner's commands.
type notifying struct {
	*notify.Notifier
	o        *ServeOptions
	hub      *hub.Hub
	store    hub.Store
	log      *slog.Logger
	peers    *auth.Peers
	sessions *auth.Sessions
	inbox    atomic.Pointer[webInbox] // set a little later

	desktop *desktop.Channel
	push    *webpush.Channel // nil: its key cannot be read

	settle   sync.Mutex // of the services
	services services

	mu     sync.Mutex
	broken map[notify.Kind]string // why a channel cannot be used
}

// notifies begins to notify. Close it before the hub.
func (o *ServeOptions) notifies(ctx context.Context, e *Engine, run string, peers *auth.Peers, sessions *auth.Sessions, log *slog.Logger) *notifying {
	n := &notifying{o: o, hub: e.Hub, store: e.Store, sessions: sessions, log: log, peers: peers, broken: map[notify.Kind]string{}}
	n.Notifier = notify.Start(e.Hub, e.Store, &notify.Options{
		Node: run, Alone: !o.Engine.shared(),
		Channels: n.channels(ctx),
		URL:      n.address,
		Now:      o.Now, Log: log,
	})
	n.readServices()
	return n
}

// channels are those that need nothing but this machine and its settings. The services
// come beside them, once they are set up.
func (n *notifying) channels(ctx context.Context) map[notify.Kind]notify.Channel {
	all := map[notify.Kind]notify.Channel{}
	maps.Copy(all, n.here())
	maps.Copy(all, n.outside(ctx))
	return all
}

// address is where people find an ask, or the inbox, on other devices. An inbox for
// this machine only has none: its name is a secret.
func (n *notifying) address(handle string) string {
	in := n.inbox.Load()
	if in == nil {
		return ""
	}
	base := strings.TrimRight(in.address(), "/")
	if base == "" {
		return ""
	}
	if handle == "" {
		return base + "/"
	}
	return base + askPath(handle)
}

func askPath(handle string) string { return "/ask/" + handle }

// Close ends it, and everything that it has open.
func (n *notifying) Close() {
	n.Notifier.Close()
	n.desktop.Close()
}

// fails notes why a channel cannot be used; nil: it can.
func (n *notifying) fails(kind notify.Kind, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		delete(n.broken, kind)
		return
	}
	n.broken[kind] = err.Error()
	n.log.Warn("notifications cannot be sent this way", "kind", kind, "error", err)
}
