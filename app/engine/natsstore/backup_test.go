package natsstore_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// everything reads all records of a store.
func everything(t testing.TB, s *natsstore.Store) map[string]hub.Record {
	t.Helper()
	got := map[string]hub.Record{}
	for _, kind := range []hub.Kind{hub.KindTicket, hub.KindContent, hub.KindDraft, hub.KindKey, hub.KindSecret, hub.KindRule, hub.KindWake, hub.KindPerson} {
		q := hub.Query{Kind: kind, Limit: 1000}
		for {
			p, err := s.List(t.Context(), q)
			must(t, err)
			for _, r := range p.Records {
				got[fmt.Sprintf("%s %q", r.Kind, r.Address)] = r
			}
			if p.Next == "" {
				break
			}
			q.Cursor = p.Next
		}
	}
	return got
}

func wantSame(t testing.TB, got, want map[string]hub.Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for k, w := range want {
		g := got[k]
		if !bytes.Equal(g.Data, w.Data) || g.Revision != w.Revision || g.Closed != w.Closed || !g.Due.Equal(w.Due) || g.TTL != w.TTL {
			t.Errorf("%s is %+v, want %+v", k, g, w)
		}
	}
}

// A backup taken while others write is restored elsewhere: what was acknowledged before it began is there, at the same
// revisions, and the store goes on from there.
func TestBackupRestore(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 2})
	h := room(t, s)
	answered(t, h, 0, 20)
	for i := range 5 {
		r := ticket(i, "ann", fmt.Sprint("draft ", i))
		for _, r.Kind = range []hub.Kind{hub.KindDraft, hub.KindKey, hub.KindSecret, hub.KindContent, hub.KindRule} {
			put(t, s, r, 0)
		}
	}
	due := ticket(100, "ann", "due")
	due.Due = time.Now().Add(time.Hour)
	put(t, s, due, 0)
	dir := filepath.Join(t.TempDir(), "backup")
	audit := t.TempDir()
	exported(t, s, audit, 20)
	before := everything(t, s)

	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				_, _ = s.Put(ctx, ticket(1000*(w+1)+i, "bob", "meanwhile"), 0)
			}
		})
	}
	backUp(t, s, dir)
	stop()
	writers.Wait()
	if _, err := s.Backup(t.Context(), natsstore.BackupFolder(dir)); err == nil {
		t.Error("a backup goes into a folder that has one")
	}

	srv, nc := serve(t)
	restore(t, nc, dir)
	if _, _, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), nil); err == nil {
		t.Error("a backup is restored over a store")
	}
	back := open(t, nc, &natsstore.Options{Mark: srv})
	got := everything(t, back)
	for k, r := range got {
		if string(r.Data) == "meanwhile" {
			if live, err := s.Get(t.Context(), r.Kind, r.Address); err != nil || live.Revision != r.Revision {
				t.Errorf("%s was never stored like that", k)
			}
			delete(got, k)
		}
	}
	wantSame(t, got, before)

	// It goes on: what is due is found, answers are taken, the audit continues.
	p, err := back.List(t.Context(), hub.Query{Due: time.Now().Add(2 * time.Hour)})
	must(t, err)
	if len(p.Records) != 1 {
		t.Errorf("%d are due, want 1", len(p.Records))
	}
	answered(t, room(t, back), 200, 210)
	exported(t, back, audit, 30)
	_, err = natsstore.VerifyAudit(audit)
	must(t, err)
}

func TestRestoreDamaged(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	for i := range 10 {
		put(t, s, ticket(i, "ann", "open"), 0)
	}
	dir := filepath.Join(t.TempDir(), "backup")
	backUp(t, s, dir)
	_, nc := serve(t)
	name := filepath.Join(dir, "ASK2-00.snapshot")
	whole, err := os.ReadFile(name)
	must(t, err)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for what, b := range map[string][]byte{"a flipped bit": flipped, "the end cut off": whole[:len(whole)-1], "nothing": nil} {
		must(t, os.WriteFile(name, b, 0o600))
		if _, _, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), nil); err == nil {
			t.Errorf("%s: restored", what)
		}
	}
	must(t, os.WriteFile(name, whole, 0o600))
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	must(t, err)
	for what, b := range map[string][]byte{
		"no manifest": nil, "another version": bytes.Replace(text, []byte(`"version": 2`), []byte(`"version": 3`), 1),
		"a newer layout": bytes.Replace(text, []byte(`"layout": 2`), []byte(`"layout": 3`), 1),
	} {
		must(t, os.WriteFile(manifest, b, 0o600))
		if _, _, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), nil); err == nil {
			t.Errorf("%s: restored", what)
		}
	}
	must(t, os.WriteFile(manifest, text, 0o600))
	restore(t, nc, dir)
}

// A backup that is older than the audit is restored. The audit goes on: what was lost stays in it, nothing is in it twice,
// and nothing that comes later is missing although the store counts its revisions again from an earlier one.
func TestAuditAfterRestore(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	h := room(t, s)
	audit := t.TempDir()
	answered(t, h, 0, 10)
	exported(t, s, audit, 10)
	answered(t, h, 10, 15) // in the backup, and not in the audit yet
	exported(t, s, t.TempDir(), 15)
	dir := filepath.Join(t.TempDir(), "backup")
	backUp(t, s, dir)
	once := t.TempDir()
	must(t, os.CopyFS(once, os.DirFS(audit)))
	answered(t, h, 15, 25) // in the audit, and not in the backup
	heads := exported(t, s, audit, 25)

	for name, c := range map[string]struct {
		audit string
		lines uint64
	}{"an audit that is ahead": {audit, 25 + 30}, "an audit that is behind": {once, 15 + 30}, "a new audit": {t.TempDir(), 15 + 30}} {
		t.Run(name, func(t *testing.T) {
			_, nc := serve(t)
			restore(t, nc, dir)
			back := open(t, nc, nil)
			for _, n := range []int{3, 30} { // fewer than were lost, so that all have revisions that were others'; and more
				answered(t, room(t, back), 100, 100+n)
				exported(t, back, t.TempDir(), uint64(15+n)) // until the archive has them
				heads, err := back.ExportAudit(t.Context(), c.audit)
				must(t, err)
				if got, want := heads[0].Lines, c.lines-30+uint64(n); got != want {
					t.Fatalf("the audit has %d lines, want %d", got, want)
				}
			}
			_, err := natsstore.VerifyAudit(c.audit)
			must(t, err)
			seen := map[string]int{}
			for _, name := range files(t, c.audit) {
				b, err := os.ReadFile(name)
				must(t, err)
				for _, id := range askIDs.FindAllSubmatch(b, -1) {
					seen[string(id[1])]++
				}
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("%s is %d times in the audit", id, n)
				}
			}
			if uint64(len(seen)) != c.lines {
				t.Errorf("%d asks in the audit, want %d", len(seen), c.lines)
			}
		})
	}
	_, err := natsstore.VerifyAudit(audit, heads...)
	must(t, err)
}

var askIDs = regexp.MustCompile(`"address":\{[^}]*"id":"(ask_[0-9]+)"`)
