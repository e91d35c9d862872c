package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// TestExternal runs the suite of stores on a NATS server with a configuration of its own and the least permissions.
func TestExternal(t *testing.T) {
	x := newExternal(t, natsstore.PermissionsOf("*"))
	e := &engine{nc: x.connect(t), made: map[hub.Store]natsstore.Options{}}
	hubtest.Run(t, func(t *testing.T) hub.Store { return e.store(t, natsstore.Options{Shards: 2, Settled: 1}) }, &hubtest.Options{
		Peer: e.peer, Settle: putAway, Deaf: deafen,
		Limited: func(t *testing.T, n int) hub.Store {
			return e.store(t, natsstore.Options{Shards: 2, MaxAsks: int64(n)})
		},
	})
	s := e.store(t, natsstore.Options{}).(*natsstore.Store)
	_, err := s.Backup(t.Context(), natsstore.BackupFolder(filepath.Join(t.TempDir(), "backup")))
	must(t, err)
	must(t, s.Probe(t.Context()))
	if denied := x.deniedSoFar(); len(denied) > 0 {
		t.Errorf("the server refused %q", denied)
	}
}

// TestPermissionsAreLeast takes away each permission in turn: something that a store does is refused.
func TestPermissionsAreLeast(t *testing.T) {
	all := natsstore.PermissionsOf("")
	for _, what := range []struct {
		list *[]string
		use  []string // what is refused when the store is opened, used and backed up
	}{
		{&all.Publish, []string{"ask.>", "drf.>", "due.>", "his.>", "ses.>", "$JS.API.STREAM.INFO.*", "$JS.API.DIRECT.GET.>"}},
		{&all.Layout, []string{"$JS.API.STREAM.CREATE.*"}},
		{&all.Subscribe, all.Subscribe},
	} {
		for _, one := range what.use {
			t.Run(one, func(t *testing.T) {
				whole := *what.list
				defer func() { *what.list = whole }()
				i := slices.Index(whole, one)
				if i < 0 {
					t.Fatalf("%q is not among %q", one, whole)
				}
				*what.list = slices.Delete(slices.Clone(whole), i, i+1)
				x := newExternal(t, all)
				for tries := 0; tries < 20 && len(x.deniedSoFar()) == 0; tries++ { // a busy machine may not come to it in time
					use(t, x.connect(t))
				}
				if len(x.deniedSoFar()) == 0 {
					t.Error("nothing was refused: the permission is not needed")
				}
			})
		}
	}
}

// use opens a store, writes a record of each kind and closes it, whatever is refused.
func use(t *testing.T, nc *nats.Conn) {
	s, err := natsstore.Open(t.Context(), nc, &natsstore.Options{Timeout: 200 * time.Millisecond, RetryFor: time.Millisecond, Settled: 1})
	if err != nil {
		return
	}
	defer s.Close()
	for _, kind := range []hub.Kind{hub.KindTicket, hub.KindDraft, hub.KindSession} {
		r := hub.Record{Kind: kind, Address: hub.Address{Tenant: "t", ID: "q"}, Data: []byte("{}"), Due: time.Now().Add(time.Hour)}
		if kind == hub.KindTicket {
			s.Put(t.Context(), r, 0)
			r.Address.ID, r.Closed, r.Settled, r.Due = "closed", true, true, time.Time{}
		}
		s.Put(t.Context(), r, 0)
	}
	watch, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	s.Watch(watch, hub.Query{}, stop, func(hub.Record) {})
	nc.Flush()
	s.Copy(t.Context())
	nc.Flush()
}

// external is a NATS server that somebody else operates.
type external struct {
	srv  *server.Server
	seed []byte

	mu     sync.Mutex
	denied []string
}

func newExternal(t *testing.T, p natsstore.Permissions) *external {
	t.Helper()
	key, err := nkeys.CreateUser()
	must(t, err)
	public, err := key.PublicKey()
	must(t, err)
	x := &external{}
	x.seed, err = key.Seed()
	must(t, err)
	spell := func(lists ...[]string) string { return `["` + strings.Join(slices.Concat(lists...), `", "`) + `"]` }
	dir := t.TempDir()
	conf := fmt.Sprintf(`
listen: "127.0.0.1:-1"
jetstream { store_dir: %q, sync_interval: always }
accounts {
  SYS { exports: [ {service: "$SYS.REQ.SERVER.PING.JSZ", response: stream, accounts: [SAYSO]} ] }
  SAYSO {
    jetstream: enabled
    imports: [ {service: {account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ"}, to: "sayso.jsz"} ]
    users: [ { nkey: %s, permissions: { publish: { allow: %s }, subscribe: { allow: %s } } } ]
  }
}
system_account: SYS
`, dir, public, spell(p.Publish, p.Layout, p.Copies, []string{"sayso.jsz"}), spell(p.Subscribe))
	file := filepath.Join(t.TempDir(), "nats.conf")
	must(t, os.WriteFile(file, []byte(conf), 0o600))
	o, err := server.ProcessConfigFile(file)
	must(t, err)
	o.NoSigs, o.NoLog = true, true
	x.srv, err = server.NewServer(o)
	must(t, err)
	x.srv.Start()
	t.Cleanup(func() { x.srv.Shutdown(); x.srv.WaitForShutdown() })
	if !x.srv.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return x
}

func (x *external) connect(t *testing.T) *nats.Conn {
	t.Helper()
	nc, err := natsserver.Connect(t.Context(), &natsserver.ConnectOptions{URLs: []string{x.srv.ClientURL()}, Seed: x.seed, Denied: func(err error) {
		if !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("told of %v", err)
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.denied = append(x.denied, err.Error())
	}})
	must(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func (x *external) deniedSoFar() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.denied)
}

func TestSynced(t *testing.T) {
	x := newExternal(t, natsstore.PermissionsOf(""))
	peers, err := natsserver.Synced(t.Context(), x.connect(t), "sayso.jsz")
	must(t, err)
	if len(peers) != 1 || !peers[0].Synced || peers[0].Name == "" || peers[0].Version == "" {
		t.Errorf("a server that syncs: %+v", peers)
	}
	if _, err := natsserver.Synced(t.Context(), x.connect(t), "$JS.API.INFO"); err == nil {
		t.Error("another service is taken for the one that tells")
	}
}

func TestOldServer(t *testing.T) {
	for version, old := range map[string]bool{"2.11.12": true, "1.9.0": true, "2.12.0": false, "2.15.2": false, "3.0.0": false, "v2.9.1": true, "dev": false} {
		err := natsstore.CheckServer(version)
		var is *natsstore.OldServerError
		if errors.As(err, &is) != old {
			t.Errorf("server %s: %v", version, err)
		}
	}
}
