package localhub

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/saysohq/sayso/client"
)

// serviceManager is a manager for tests: it returns what the next datagram says.
func serviceManager(t *testing.T) (*Manager, func() string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	name := filepath.Join(dir, "s")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	m := ManagerOf(func(key string) string { return map[string]string{"NOTIFY_SOCKET": name}[key] })
	return m, func() string {
		t.Helper()
		b := make([]byte, 4096)
		conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
		n, err := conn.Read(b)
		if err != nil {
			t.Fatalf("the manager was told nothing: %v", err)
		}
		return string(b[:n])
	}
}

// TestManager shows what the service manager is told, and that the hub does serve
// when it says so.
func TestManager(t *testing.T) {
	t.Parallel()
	m, told := serviceManager(t)
	place := newPlace(t, settings{}).Places
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, &ServeOptions{Places: place, Manager: m}) }()
	defer func() { cancel(); <-ended }()
	if got := told(); got != "STATUS=opening the storage" {
		t.Errorf("at the start: got %q", got)
	}
	if got := told(); got != "READY=1\nSTATUS=serving" {
		t.Errorf("once it serves: got %q", got)
	}
	c, err := client.New(place.Socket(), &client.Options{Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Ready(t.Context()); err != nil {
		t.Errorf("the hub said that it serves: %v", err)
	}
	cancel()
	if got := told(); got != "STOPPING=1\nSTATUS=stopping" {
		t.Errorf("at the end: got %q", got)
	}
}

func TestManagerReloading(t *testing.T) {
	t.Parallel()
	m, told := serviceManager(t)
	m.Reloading()
	if got := told(); !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=[1-9]\d{5,}\nSTATUS=reloading$`).MatchString(got) {
		t.Errorf("got %q", got)
	}
	m.Status("two\nlines")
	if got := told(); got != "STATUS=two lines" {
		t.Errorf("got %q", got)
	}
}

// TestNoManager shows that a hub without one, or with one that is gone, is not
// held up.
func TestNoManager(t *testing.T) {
	t.Parallel()
	if m := ManagerOf(func(string) string { return "" }); m != nil {
		t.Errorf("got %+v", m)
	}
	for _, m := range []*Manager{nil, {filepath.Join(t.TempDir(), "gone")}} {
		m.Ready()
		m.Reloading()
		m.Stopping()
	}
}
