package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

func TestMain(m *testing.M) {
	enginetest.Main(&enginetest.Role{Programs: map[string]enginetest.Program{"waiting": waiting, "migrating": migrating}})
	// A server that is stopped while an audit stream of layout 1 looks for its source leaves this behind for a while.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*stream).trySetupSourceConsumer.func3"))
}

// serve starts a server in a new folder and returns it with a connection.
func serve(t testing.TB) (*natsserver.Server, *nats.Conn) {
	t.Helper()
	return serveDir(t, t.TempDir())
}

func serveDir(t testing.TB, dir string) (*natsserver.Server, *nats.Conn) {
	t.Helper()
	srv, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, srv.Close(context.Background())) })
	nc, err := srv.Conn(t.Context(), "")
	must(t, err)
	return srv, nc
}

// open opens a store that is closed with the test.
func open(t testing.TB, nc *nats.Conn, o *natsstore.Options) *natsstore.Store {
	t.Helper()
	s, err := natsstore.Open(t.Context(), nc, o)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// alone is a store on a server of its own.
func alone(t testing.TB, o *natsstore.Options) *natsstore.Store {
	t.Helper()
	srv, nc := serve(t)
	if o == nil {
		o = &natsstore.Options{}
	}
	o.Mark = srv
	return open(t, nc, o)
}

func backUp(t testing.TB, s *natsstore.Store, dir string) {
	t.Helper()
	_, err := s.Backup(t.Context(), natsstore.BackupFolder(dir))
	must(t, err)
}

func restore(t testing.TB, nc *nats.Conn, dir string) {
	t.Helper()
	_, _, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), nil)
	must(t, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func ticket(n int, person, data string) hub.Record {
	return hub.Record{
		Kind:    hub.KindTicket,
		Address: hub.Address{Tenant: "acme", Person: person, Conversation: fmt.Sprintf("conv/%d", n/5), ID: fmt.Sprintf("ask_%d", n)},
		Data:    []byte(data),
	}
}

func put(t testing.TB, s *natsstore.Store, r hub.Record, expect uint64) uint64 {
	t.Helper()
	rev, err := s.Put(t.Context(), r, expect)
	must(t, err)
	return rev
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// eventually waits for something that other goroutines bring about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not after two minutes", what)
		}
	}
}
