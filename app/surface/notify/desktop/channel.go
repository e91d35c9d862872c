package desktop

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Options are the options of [New]. Nil means the defaults.
type Options struct {
	// Address is the address of the session bus. Default: DBUS_SESSION_BUS_ADDRESS,
	// or the bus in the person's runtime folder, looked up whenever it is needed.
	Address string

	// Open is called when the person clicks on a notification or on a button that is
	// a link. The address is empty if there is none that a browser reaches. Default:
	// the address is opened in the person's browser.
	Open func(n *notify.Note, url string) error

	// Log is told of what nobody else is: clicks that lead nowhere, a bus that is
	// gone. Default: nothing.
	Log *slog.Logger
}

// Channel shows notes on the desktop. It holds one connection to the session bus, from
// the first Put or Replies until Close.
type Channel struct {
	o       Options
	presses chan press // for Replies

	mu    sync.Mutex // one call to the service at a time; guards what is below
	bus   *bus       // nil: not connected
	shown map[place]*shown
}

var _ notify.Replier = (*Channel)(nil)

// place is a note at a contact.
type place struct{ tenant, person, contact, key string }

// shown is a note on the screen, as far as this process knows.
type shown struct {
	account string
	note    *notify.Note
	actions []action

	guid, owner string // of the bus and of the service that shows it
	id          uint32

	puts      int  // how often it was shown
	pressed   bool // since it was shown last
	dismissed bool // the person has taken it away
}

// press is what a person did to a note.
type press struct {
	at      place
	puts    int // which showing of it
	account string
	note    *notify.Note
	action  action
}

// callLimit is how long a call to the service may take.
const callLimit = 5 * time.Second

// New returns the channel.
func New(o *Options) *Channel {
	c := &Channel{presses: make(chan press, 64), shown: map[place]*shown{}}
	if o != nil {
		c.o = *o
	}
	if c.o.Open == nil {
		c.o.Open = func(_ *notify.Note, url string) error { return browse(url) }
	}
	if c.o.Log == nil {
		c.o.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// lineWidth and lines are what is sure to be seen of a body: dunst, as it is installed,
// cuts it after 20 lines of 42 columns, without a mark.
const lineWidth, lines = 40, 18

// Limits say what a desktop shows: of the buttons, three options, the inbox, and one to
// be left in peace. Options come first; GNOME shows three buttons.
func (c *Channel) Limits() notify.Limits {
	return notify.Limits{Buttons: 5, Text: lineWidth * lines, Size: bodySize, Again: true}
}

// bodySize is how much room a text takes: full lines, broken between words.
func bodySize(s string) int {
	if len(s) > 16*lineWidth*lines {
		return len(s) // far too long: not worth measuring
	}
	n := 0
	for line := range strings.Lines(s) {
		n++
		at := 0 // how far the line is full
		for word := range strings.SplitSeq(strings.TrimRight(line, "\n"), " ") {
			w := ansi.StringWidth(word)
			if at > 0 {
				at++ // the space
			}
			if at > 0 && at+w > lineWidth {
				n, at = n+1, 0
			}
			if at += w; at > lineWidth { // a word that is longer than a line
				n, at = n+(at-1)/lineWidth, (at-1)%lineWidth+1
			}
		}
	}
	return n * lineWidth
}

// Put shows a note, or takes it away.
func (c *Channel) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	at := place{to.Tenant, to.Person, to.ID, n.Key}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.Over {
		return "", c.remove(ctx, at, where)
	}
	s := c.shown[at]
	if s != nil && s.dismissed && !n.Alert {
		s.note = n
		return where, nil // only its text changed: not worth coming back for
	}
	b, err := c.connect(ctx)
	if err != nil { // nobody has seen it; a desktop may be there again at any time
		return "", &notify.RetryError{After: 2 * time.Minute, Err: err}
	}
	if s == nil {
		s = &shown{}
		s.guid, s.owner, s.id = parseWhere(where)
	}
	s.account, s.note = to.Account, n
	if err := b.show(ctx, s); err != nil {
		return "", err
	}
	c.shown[at] = s
	return s.where(), nil
}

// remove closes what is shown of a note. What another service or session has shown is
// gone with it.
func (c *Channel) remove(ctx context.Context, at place, where string) error {
	s := c.shown[at]
	if s == nil {
		s = &shown{}
		s.guid, s.owner, s.id = parseWhere(where)
	}
	delete(c.shown, at)
	if s.id == 0 {
		return nil
	}
	b, err := c.dial(ctx)
	if errors.Is(err, ErrNoBus) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.close(ctx, s)
}

// Server returns the name and version of the program that shows notifications, or why
// there is none.
func (c *Channel) Server(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	return b.server(ctx)
}

// Close ends the connection, until Put or Replies is called again. What is shown stays; what is pressed there from now on is
// lost.
func (c *Channel) Close() error {
	c.mu.Lock()
	b := c.bus
	c.bus = nil
	c.mu.Unlock()
	if b != nil {
		b.conn.Close()
		<-b.done // not for a connection that somebody has made since
	}
	return nil
}

// address returns the address of the session bus.
func (c *Channel) address() (string, error) {
	if c.o.Address != "" {
		return c.o.Address, nil
	}
	if a := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" {
		return a, nil
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		if info, err := os.Stat(dir + "/bus"); err == nil && info.Mode()&os.ModeSocket != 0 {
			return "unix:path=" + dir + "/bus", nil
		}
	}
	return "", ErrNoBus
}

// ErrNoBus says that there is no desktop to show anything on.
var ErrNoBus = errors.New("no session bus: desktop notifications need a hub that runs in your desktop session, and neither an SSH login nor a system service has one")
