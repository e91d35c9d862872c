package desktop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/godbus/dbus/v5"
)

// The names of the notification service, and of the bus itself.
const (
	service     = "org.freedesktop.Notifications"
	object      = "/org/freedesktop/Notifications"
	busName     = "org.freedesktop.DBus"
	ownerSignal = busName + ".NameOwnerChanged"
)

// bus is a connection to the session bus, and what is known of the service there. The
// channel's lock guards its fields.
type bus struct {
	conn *dbus.Conn
	guid string
	done chan struct{} // closed once nobody reads its signals, nor those of the connection before

	owner string // the service's own name on this bus, which nobody else ever has; empty: it is gone
	caps  []string
}

// dial connects to the bus, if it is not connected.
func (c *Channel) dial(ctx context.Context) (*bus, error) {
	if c.bus != nil && c.bus.conn.Connected() {
		return c.bus, nil
	}
	before := c.bus
	if before != nil { // its signals end by themselves, once the lock is free
		before.conn.Close()
	}
	address, err := c.address()
	if err != nil {
		return nil, err
	}
	living, kill := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, kill) // a bus that does not answer
	conn, err := dbus.Connect(address, dbus.WithContext(living), dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		kill()
		return nil, fmt.Errorf("connecting to the session bus: %w", err)
	}
	b := &bus{conn: conn, done: make(chan struct{})}
	context.AfterFunc(conn.Context(), kill)
	// Before anything is shown: a press may come before the call that shows it returns.
	err = errors.Join(
		conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(busName), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, service)),
		conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(service), dbus.WithMatchInterface(service), dbus.WithMatchObjectPath(object)),
		conn.BusObject().CallWithContext(ctx, busName+".GetId", 0).Store(&b.guid),
	)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("listening on the session bus: %w", err)
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	b.follow(ctx)
	go func() {
		defer close(b.done)
		c.signals(b, signals)
		if before != nil {
			<-before.done
		}
	}()
	c.bus = b
	return b, nil
}

// signals takes the signals of a connection until it ends. One that had ended before
// anybody listened never closes the channel.
func (c *Channel) signals(b *bus, signals <-chan *dbus.Signal) {
	for {
		select {
		case s, ok := <-signals:
			if !ok {
				return
			}
			c.signal(b, s)
		case <-b.conn.Context().Done():
			return
		}
	}
}

// connect connects to the bus and makes sure that something shows notifications there.
func (c *Channel) connect(ctx context.Context) (*bus, error) {
	b, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	if b.owner == "" { // the call starts the service, where the bus knows how to
		var caps []string
		if err := b.conn.Object(service, object).CallWithContext(ctx, service+".GetCapabilities", 0).Store(&caps); err != nil {
			return nil, fmt.Errorf("no program shows notifications on this desktop; install one such as dunst: %w", err)
		}
		b.follow(ctx)
	}
	if b.owner == "" {
		return nil, errors.New("the program that shows notifications has just ended")
	}
	return b, nil
}

// follow finds out who the service is now, and what it can. It reports whether it is
// another one than before.
func (b *bus) follow(ctx context.Context) (changed bool) {
	before := b.owner
	b.owner, b.caps = "", nil
	var owner string
	if b.conn.BusObject().CallWithContext(ctx, busName+".GetNameOwner", 0, service).Store(&owner) != nil {
		return before != ""
	}
	if b.conn.Object(owner, object).CallWithContext(ctx, service+".GetCapabilities", 0).Store(&b.caps) == nil {
		b.owner = owner
	}
	return b.owner != before
}

// can reports whether the service has a capability.
func (b *bus) can(what string) bool { return slices.Contains(b.caps, what) }

// call calls the service whose owner is known, and never another one.
func (b *bus) call(ctx context.Context, method string, args ...any) *dbus.Call {
	return b.conn.Object(b.owner, object).CallWithContext(ctx, service+"."+method, 0, args...)
}

func (b *bus) server(ctx context.Context) (string, error) {
	var name, vendor, version, spec string
	if err := b.call(ctx, "GetServerInformation").Store(&name, &vendor, &version, &spec); err != nil {
		return "", fmt.Errorf("asking which program shows notifications: %w", err)
	}
	return name + " " + version, nil
}

// signal takes a signal. Every program on the bus can send any: only those of the
// service count, and of the bus.
func (c *Channel) signal(b *bus, s *dbus.Signal) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Sender == busName && s.Name == ownerSignal {
		if b.follow(ctx) && b.owner != "" {
			c.showAgain(ctx, b)
		}
		return
	}
	if b.owner == "" || s.Sender != b.owner {
		return
	}
	var id, why uint32
	var key string
	switch s.Name {
	case service + ".ActionInvoked":
		if dbus.Store(s.Body, &id, &key) == nil {
			c.invoked(b, id, key)
		}
	case service + ".NotificationClosed":
		if dbus.Store(s.Body, &id, &why) == nil {
			c.closed(b, id, why)
		}
	}
}
