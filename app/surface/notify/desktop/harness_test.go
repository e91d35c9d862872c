package desktop_test

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/testenv"
)

const (
	service = "org.freedesktop.Notifications"
	object  = "/org/freedesktop/Notifications"
)

// startBus starts a session bus that is the test's own, and returns its address.
func startBus(t testing.TB) string {
	t.Helper()
	testenv.Tools(t, "dbus-daemon")
	dir, err := os.MkdirTemp("", "bus") // a socket needs a short path
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	address := "unix:path=" + filepath.Join(dir, "s")
	config := filepath.Join(dir, "conf")
	must(t, os.WriteFile(config, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>`+address+`</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600))
	run(t, nil, "dbus-daemon", "--nofork", "--nopidfile", "--config-file="+config)
	eventually(t, "the bus listens", func() bool {
		conn, err := net.Dial("unix", filepath.Join(dir, "s"))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address
}

// run runs a program as long as the test, or until the function that it returns is
// called.
func run(t testing.TB, env []string, name string, args ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	log, err := os.CreateTemp(t.TempDir(), "log")
	must(t, err)
	cmd.Stdout, cmd.Stderr = log, log
	must(t, cmd.Start())
	stop = sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait(); log.Close() })
	t.Cleanup(func() {
		if stop(); t.Failed() {
			b, _ := os.ReadFile(log.Name())
			t.Logf("%s said: %s", name, b)
		}
	})
	return stop
}

func connect(t testing.TB, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// daemon is a notification service that shows what the specification lets it show, and
// refuses what is not right.
type daemon struct {
	t    testing.TB
	conn *dbus.Conn
	caps []string

	mu     sync.Mutex
	last   uint32
	open   map[uint32]*notification
	closed []uint32
	bad    []string
	wire   []string // what came since somebody looked
}

// notification is what the person sees.
type notification struct {
	id             uint32
	summary, body  string
	keys, labels   []string
	urgency        byte
	quiet, passing bool
	expires        int32
}

// startDaemon starts the service.
func startDaemon(t testing.TB, address string, caps ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, conn: connect(t, address), caps: caps, open: map[uint32]*notification{}}
	must(t, d.conn.Export(methods{d}, object, service))
	_, err := d.conn.RequestName(service, dbus.NameFlagDoNotQueue|dbus.NameFlagReplaceExisting|dbus.NameFlagAllowReplacement)
	must(t, err)
	t.Cleanup(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, b := range d.bad {
			t.Error("refused: " + b)
		}
	})
	return d
}

// methods are those that others call.
type methods struct{ d *daemon }

func (m methods) GetCapabilities() ([]string, *dbus.Error) { return m.d.caps, nil }

func (m methods) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "fake", "sayso", "1", "1.2", nil
}

func (m methods) CloseNotification(id uint32) *dbus.Error {
	m.d.mu.Lock()
	defer m.d.mu.Unlock()
	if m.d.open[id] == nil {
		return dbus.NewError(service+".Error", nil) // as the specification says, without text
	}
	delete(m.d.open, id)
	m.d.closed = append(m.d.closed, id)
	m.d.emit("NotificationClosed", id, uint32(3))
	return nil
}

func (m methods) Notify(app string, replaces uint32, icon, summary, body string, actions []string, hints map[string]dbus.Variant, expires int32) (uint32, *dbus.Error) {
	d := m.d
	d.mu.Lock()
	defer d.mu.Unlock()
	refuse := func(format string, args ...any) (uint32, *dbus.Error) {
		d.bad = append(d.bad, fmt.Sprintf(format, args...))
		return 0, dbus.NewError("org.freedesktop.DBus.Error.InvalidArgs", []any{d.bad[len(d.bad)-1]})
	}
	d.wire = append(d.wire, app, icon, summary, body, strings.Join(actions, "\n"), fmt.Sprint(hints))
	n := &notification{summary: summary, body: body, expires: expires}
	for _, s := range append([]string{summary}, actions...) {
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 }) {
			return refuse("a control character in %q", s)
		}
	}
	if slices.Contains(d.caps, "body-markup") {
		text, err := plain(body)
		if err != nil {
			return refuse("the body %q is markup: %v", body, err)
		}
		n.body = text
	}
	if len(actions)%2 != 0 || len(actions) > 0 && !slices.Contains(d.caps, "actions") {
		return refuse("actions %q", actions)
	}
	for i := 0; i < len(actions); i += 2 {
		n.keys, n.labels = append(n.keys, actions[i]), append(n.labels, actions[i+1])
	}
	n.urgency, _ = hints["urgency"].Value().(byte)
	n.quiet, _ = hints["suppress-sound"].Value().(bool)
	n.passing, _ = hints["transient"].Value().(bool)
	if !slices.Contains(d.caps, "body") {
		n.body = ""
	}
	if n.id = replaces; n.id == 0 {
		d.last++
		n.id = d.last
	}
	d.open[n.id] = n
	return n.id, nil
}

// plain is the text of markup, which must have no element.
func plain(markup string) (string, error) {
	var b strings.Builder
	for dec := xml.NewDecoder(strings.NewReader("<x>" + markup + "</x>")); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local != "x" || b.Len() > 0 {
				return "", fmt.Errorf("an element <%s>", token.Name.Local)
			}
		case xml.CharData:
			b.Write(token)
		case xml.EndElement:
		default:
			return "", fmt.Errorf("%T", token)
		}
	}
}

func (d *daemon) emit(member string, args ...any) {
	if err := d.conn.Emit(object, service+"."+member, args...); err != nil && !errors.Is(err, dbus.ErrClosed) { // the test is over
		d.t.Error(err)
	}
}

// screen returns what is to be seen, oldest first.
func (d *daemon) screen() []notification {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []notification
	for id := range d.last + 1 {
		if n := d.open[id]; n != nil {
			all = append(all, *n)
		}
	}
	return all
}

// press presses a button by its label, or the notification itself. The notification
// stays, as with dunst.
func (d *daemon) press(id uint32, label string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.open[id]
	if n == nil {
		return false
	}
	for i, l := range n.labels {
		if l == label {
			d.emit("ActionInvoked", id, n.keys[i])
			return true
		}
	}
	return false
}

// dismiss takes a notification away as a person does.
func (d *daemon) dismiss(id uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
	d.emit("NotificationClosed", id, uint32(2))
}

// desk is a desk that notes what comes.
type desk struct {
	notify.Desk
	mu      sync.Mutex
	presses []string // account and data
	fails   int      // so many more
	reply   *notify.Reply
}

func (d *desk) Press(_ context.Context, account, data string) (*notify.Reply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails > 0 {
		d.fails--
		return nil, fmt.Errorf("the hub is away")
	}
	d.presses = append(d.presses, account+" "+data)
	if d.reply != nil {
		return d.reply, nil
	}
	return &notify.Reply{Done: true}, nil
}

// set changes how it answers.
func (d *desk) set(fails int, reply *notify.Reply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails, d.reply = fails, reply
}

func (d *desk) pressed() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.presses)
}

// direct sends the signal of a press to one program.
func direct(t testing.TB, conn *dbus.Conn, to string) {
	t.Helper()
	msg := &dbus.Message{Type: dbus.TypeSignal, Body: []any{uint32(1), "0"}, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldInterface:   dbus.MakeVariant(service),
		dbus.FieldMember:      dbus.MakeVariant("ActionInvoked"),
		dbus.FieldPath:        dbus.MakeVariant(dbus.ObjectPath(object)),
		dbus.FieldDestination: dbus.MakeVariant(to),
		dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf(uint32(1), "0")),
	}}
	if call := conn.Send(msg, nil); call != nil && call.Err != nil {
		t.Fatal(call.Err)
	}
}
