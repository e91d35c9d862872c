package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// Both packages spell how a stream says that it is about to be removed; neither may import the other.
func TestMovedWords(t *testing.T) {
	t.Parallel()
	if natsstore.MetaMoved != natsserver.MetaMoved || natsstore.MovedRemove != natsserver.MovedRemove {
		t.Errorf("%q %q and %q %q", natsstore.MetaMoved, natsstore.MovedRemove, natsserver.MetaMoved, natsserver.MovedRemove)
	}
}

// An export that was begun with layout 1 goes on: every closed ticket is in it once.
func TestMigrateAudit(t *testing.T) {
	t.Parallel()
	m := earlierRoom(t, 120)
	var before, after []earlierRecord
	closed := 0
	for i, r := range m.was {
		if r.Closed {
			closed++
		}
		if i%2 == 0 {
			before = append(before, r)
		} else {
			after = append(after, r)
		}
	}
	halfway := 0
	for _, r := range before {
		if r.Closed {
			halfway++
		}
	}
	dir, copied, audit := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "copy"), t.TempDir()
	srv, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir})
	must(t, err)
	nc, err := srv.Conn(t.Context(), "")
	must(t, err)
	earlierStreams(t, nc, "", 2, 1, true)
	writeEarlier(t, nc, "", 2, before)
	must(t, srv.Close(context.Background()))

	// What a copy of the folder exports is what layout 1 would have: nothing was closed since.
	must(t, os.CopyFS(copied, os.DirFS(dir)))
	_, nc = serveDir(t, copied)
	exported(t, open(t, nc, &natsstore.Options{Shards: 4}), audit, uint64(halfway))
	files, err := filepath.Glob(filepath.Join(audit, "*"))
	must(t, err)
	for _, name := range files {
		if b, err := os.ReadFile(name); err != nil || strings.Contains(string(b), "layout2") {
			t.Fatalf("%s: %v, or it has lines of layout 2", name, err)
		}
	}

	_, nc = serveDir(t, dir)
	writeEarlier(t, nc, "", 2, after)
	s := open(t, nc, &natsstore.Options{Shards: 4})
	heads := exported(t, s, audit, uint64(closed))
	exported(t, s, audit, uint64(closed))
	h := room(t, s)
	page, err := h.List(t.Context(), "acme", nil)
	must(t, err)
	for _, tk := range page.Tickets[:5] {
		by := tk.Address.Person
		if by == "" {
			by = "ann"
		}
		_, err := h.Close(t.Context(), tk, reply(by), nil)
		must(t, err)
	}
	exported(t, s, audit, uint64(closed+5))
	_, err = natsstore.VerifyAudit(audit, heads...)
	must(t, err)

	// A backup of the moved store has what was not exported.
	backup := filepath.Join(t.TempDir(), "backup")
	backUp(t, s, backup)
	_, other := serve(t)
	restore(t, other, backup)
	exported(t, open(t, other, nil), t.TempDir(), uint64(closed+5))
}

// A backup of layout 1 is restored, and moved when it is opened.
func TestMigrateBackup(t *testing.T) {
	t.Parallel()
	m := earlierRoom(t, 100)
	for key, r := range m.want {
		if r.Kind == hub.KindSession || r.Kind == hub.KindUsage {
			delete(m.want, key) // no backup has them
		}
	}
	_, nc := serve(t)
	earlierStreams(t, nc, "", 2, 1, true)
	writeEarlier(t, nc, "", 2, m.was)
	dir := filepath.Join(t.TempDir(), "backup")
	eventually(t, "the audit has everything", func() bool { return messages(t, nc, "AUD-00")+messages(t, nc, "AUD-01") == 100 })
	must(t, natsstore.BackupOf(t.Context(), nc, dir, 1, "ASK-00", "DUE-00", "DRF-00", "AUD-00", "ASK-01", "DUE-01", "DRF-01", "AUD-01"))
	_, other := serve(t)
	restore(t, other, dir)
	s := open(t, other, &natsstore.Options{Shards: 3})
	m.compare(t, allOf(t, s))

	// Not beside a store that has something.
	_, full := serve(t)
	put(t, open(t, full, nil), ticket(1, "ann", "open"), 0)
	if _, _, err := natsstore.Restore(t.Context(), full, natsstore.BackupFolder(dir), nil); !errors.Is(err, natsstore.ErrNotEmpty) {
		t.Errorf("it was restored beside another store: %v", err)
	}
}

// Several processes open the store at once. An earlier one that still runs cannot write any more.
func migrateTogether(t *testing.T, conns []*nats.Conn, replicas int) {
	m := earlierRoom(t, 300)
	earlierStreams(t, conns[0], "together", 2, replicas, true)
	writeEarlier(t, conns[0], "together", 2, m.was)
	stores := make([]*natsstore.Store, len(conns))
	var opening sync.WaitGroup
	for i, nc := range conns {
		opening.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var err error
			if stores[i], err = natsstore.Open(ctx, nc, &natsstore.Options{Prefix: "together", Shards: 3}); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	if t.Failed() {
		return
	}
	for _, s := range stores {
		t.Cleanup(func() { must(t, s.Close()) })
	}
	eventually(t, "every replica has everything", func() bool {
		for _, s := range stores {
			if len(allOf(t, s)) < len(m.want) {
				return false
			}
		}
		return true
	})
	m.compare(t, allOf(t, stores[len(stores)-1]))
	late := earlierRecord{"ask", hub.Record{Kind: hub.KindTicket, Address: hub.Address{Tenant: "acme", ID: "late"}, Data: []byte("{}")}}
	for _, msg := range late.messages("together", 2) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		reply, err := conns[0].RequestMsgWithContext(ctx, msg)
		cancel()
		if err == nil && !strings.Contains(string(reply.Data), `"error"`) {
			t.Errorf("an earlier hub could still write: %s", reply.Data)
		}
	}
	h := room(t, stores[0])
	page, err := h.List(t.Context(), "acme", nil)
	must(t, err)
	for i, tk := range page.Tickets[:9] {
		by := tk.Address.Person
		if by == "" {
			by = "ann"
		}
		_, err := room(t, stores[i%len(stores)]).Close(t.Context(), tk, reply(by), nil)
		must(t, err)
	}
}

func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t)
	var conns []*nats.Conn
	for i := range 3 {
		nc, err := srv.Conn(t.Context(), fmt.Sprint("hub ", i))
		must(t, err)
		conns = append(conns, nc)
	}
	migrateTogether(t, conns, 1)
}

// TestFigure_MIGRATE measures how long it takes to move a folder of layout 1 with 100,000 open asks.
func TestFigure_MIGRATE(t *testing.T) {
	measure(t)
	const n = 100_000
	m := &moved{want: map[string]hub.Record{}}
	mem := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), mem, nil)
	must(t, err)
	for i := range n {
		a := question(fmt.Sprint("ask_", i), fmt.Sprint("person", i%1000), fmt.Sprint("conv", i%5000))
		a.Origin.Asker = fmt.Sprint("asker/", i%500)
		if i%10 == 0 {
			a.Deadline = time.Now().Add(48 * time.Hour).UTC()
		}
		_, err := h.Submit(t.Context(), "acme", a)
		must(t, err)
	}
	h.Stop()
	m.want = allOf(t, mem)
	for _, r := range m.want {
		at := r.Address
		var i int
		fmt.Sscanf(at.ID, "ask_%d", &i)
		at.ID, at.Asker = earlierID(fmt.Sprint("asker/", i%500), at.ID), ""
		r.Data, r.Address = resealed(r, at), at
		m.was = append(m.was, earlierRecord{"ask", r})
	}
	for _, shards := range []int{1, 16} {
		srv, nc := serve(t)
		earlierStreams(t, nc, "", 1, 1, true)
		writeEarlier(t, nc, "", 1, m.was)
		eventually(t, "the audit has everything", func() bool { return messages(t, nc, "AUD-00") == n })
		began := time.Now()
		s := open(t, nc, &natsstore.Options{Shards: shards, Mark: srv, Health: srv})
		took := time.Since(began)
		lost, extra := m.compare(t, allOf(t, s))
		figure(t, "MIGRATE", fmt.Sprintf("%.1f", took.Seconds()), fmt.Sprintf("s-to-%d-shards", shards))
		figure(t, "MIGRATE", lost+extra, fmt.Sprintf("lost-or-extra/%d-asks", n))
		must(t, s.Close())
		nc.Close()
	}
}
