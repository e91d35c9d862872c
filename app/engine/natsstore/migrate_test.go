package natsstore_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// moved is a room as this version has it, and as layout 1 had it.
type moved struct {
	want map[string]hub.Record
	was  []earlierRecord
}

// earlierRoom makes asks of several askers, to several persons and to all, open, answered and consumed, some with a
// deadline or a draft, and other records beside them.
func earlierRoom(t testing.TB, asks int) *moved {
	t.Helper()
	ctx := t.Context()
	mem := hub.NewMemory(nil)
	h, err := hub.Open(ctx, mem, nil)
	must(t, err)
	defer h.Stop()
	for i := range asks {
		person := []string{"ann", "bob/ä", "", "carol"}[i%4]
		a := question(fmt.Sprintf("ask_%d", i/3), person, fmt.Sprintf("conv %d", i%7)) // ids that askers share
		a.Origin.Asker = []string{"", "key/1", "planner@host"}[i%3]
		if i%5 == 0 {
			a.Deadline = time.Now().Add(time.Duration(i+48) * time.Hour).UTC()
		}
		tk, err := h.Submit(ctx, "acme", a)
		must(t, err)
		if i%6 == 1 && i%4 != 2 {
			must(t, h.SaveDraft(ctx, tk.Address, person, &hub.Draft{Reply: fmt.Sprint("draft ", i)}))
		} else if i%6 == 1 {
			must(t, h.SaveDraft(ctx, tk.Address, "dave", &hub.Draft{Reply: fmt.Sprint("shared draft ", i)}))
		}
		if i%8 >= 6 {
			tk, err = h.Close(ctx, tk, reply(cmp.Or(person, "ann")), nil)
			must(t, err)
		}
		if i%8 == 7 {
			_, err = h.Consume(ctx, tk)
			must(t, err)
		}
	}
	for i := range 5 {
		for _, kind := range []hub.Kind{hub.KindSession, hub.KindUsage} {
			_, err := mem.Put(ctx, hub.Record{
				Kind: kind, Address: hub.Address{Tenant: "acme", Person: fmt.Sprint("p", i), ID: fmt.Sprint(kind, i)},
				TTL: time.Hour, Data: []byte(fmt.Sprintf(`{"%s":%d}`, kind, i)),
			}, 0)
			must(t, err)
		}
	}
	m := &moved{want: allOf(t, mem)}
	ids := map[hub.Address]string{} // by the address of an ask: the id that layout 1 filed it under
	for _, r := range m.want {
		if r.Kind == hub.KindTicket {
			tk, err := h.Get(ctx, r.Address)
			must(t, err)
			at := r.Address
			at.Person = "" // a draft has another
			ids[at] = earlierID(tk.Ask.Origin.Asker, tk.Ask.ID)
		}
	}
	areas := map[hub.Kind]string{hub.KindTicket: "ask", hub.KindDraft: "drf", hub.KindSession: "ses", hub.KindUsage: "use"}
	for _, r := range m.want {
		at := r.Address
		if r.Kind == hub.KindTicket || r.Kind == hub.KindDraft {
			key := at
			key.Person = ""
			at.ID, at.Asker = ids[key], ""
			r.Data = resealed(r, at)
		}
		r.Address = at
		m.was = append(m.was, earlierRecord{areas[r.Kind], r})
	}
	return m
}

// allOf returns all records of a store.
func allOf(t testing.TB, s hub.Store) map[string]hub.Record {
	t.Helper()
	got := map[string]hub.Record{}
	for _, kind := range []hub.Kind{hub.KindTicket, hub.KindDraft, hub.KindSession, hub.KindUsage} {
		q := hub.Query{Kind: kind, Limit: 1000}
		for {
			p, err := s.List(t.Context(), q)
			must(t, err)
			for _, r := range p.Records {
				key := fmt.Sprintf("%s %q", r.Kind, r.Address)
				if _, twice := got[key]; twice {
					t.Errorf("%s is there twice", key)
				}
				got[key] = r
			}
			if q.Cursor = p.Next; q.Cursor == "" {
				break
			}
		}
	}
	return got
}

// compare returns how many records are missing or not what they should be, and how many there are too many.
func (m *moved) compare(t testing.TB, got map[string]hub.Record) (lost, extra int) {
	t.Helper()
	for key, w := range m.want {
		g, ok := got[key]
		if !ok || !bytes.Equal(g.Data, w.Data) || g.Closed != w.Closed || g.Settled != w.Settled || !g.Due.Equal(w.Due) ||
			(g.TTL == 0) != (w.TTL == 0) || w.TTL-g.TTL > time.Hour/2 || g.TTL-w.TTL > time.Second {
			if lost++; lost < 5 {
				t.Errorf("%s is %.300v, want %.300v", key, g, w)
			}
		}
	}
	for key := range got {
		if _, ok := m.want[key]; !ok {
			if extra++; extra < 5 {
				t.Errorf("%s should not be there", key)
			}
		}
	}
	return lost, extra
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		prefix       string
		from, shards int
	}{{"one shard", "", 1, 0}, {"more shards", "", 2, 4}, {"fewer shards", "", 3, 1}, {"with a prefix", "mine", 2, 2}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := earlierRoom(t, 200)
			srv, nc := serve(t)
			earlierStreams(t, nc, c.prefix, c.from, 1, true)
			writeEarlier(t, nc, c.prefix, c.from, m.was)
			var told []natsstore.Migration
			o := &natsstore.Options{Shards: c.shards, Prefix: c.prefix, Mark: srv, Migrating: func(m natsstore.Migration) { told = append(told, m) }}
			s := open(t, nc, o)
			m.compare(t, allOf(t, s))
			if first, last := told[0], told[len(told)-1]; first.Done || first.Records < len(m.was) || !last.Done || last.Moved < len(m.was) || last.Damaged != 0 || last.From != 1 {
				t.Errorf("it was told %+v and %+v, of %d records", first, last, len(m.was))
			}
			p, err := s.List(t.Context(), hub.Query{Due: time.Now().Add(100 * 24 * time.Hour), Limit: 1000})
			must(t, err)
			due := 0
			for _, r := range m.want {
				if !r.Due.IsZero() {
					due++
				}
			}
			if len(p.Records) != due {
				t.Errorf("%d of %d deadlines are found", len(p.Records), due)
			}
			told = nil
			must(t, s.Close())
			m.compare(t, allOf(t, open(t, nc, o)))
			if n := s.Shards(); n != max(c.shards, c.from) && c.shards == 0 || c.shards > 0 && n != c.shards {
				t.Errorf("it has %d shards", n)
			}
			if len(told) > 0 {
				t.Errorf("it was moved again: %+v", told)
			}
			for _, name := range streams(t, nc) {
				if strings.Contains(name, "-") && !strings.Contains(name, "2-") && !strings.Contains(name, "AUD-") && name != strings.TrimPrefix(c.prefix+"-ASK-00", "-") {
					t.Errorf("stream %s is left", name)
				}
			}
			wantEarlierRefuses(t, nc, c.prefix)
		})
	}
}

// wantEarlierRefuses checks what a program of layout 1 looks at first.
func wantEarlierRefuses(t testing.TB, nc *nats.Conn, prefix string) {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	st, err := js.Stream(t.Context(), strings.TrimPrefix(prefix+"-ASK-00", "-"))
	must(t, err)
	if v := st.CachedInfo().Config.Metadata["sayso_layout"]; v == "1" || v == "" {
		t.Errorf("stream ASK-00 says that it has layout %q: a program of layout 1 would go on", v)
	}
}

func streams(t testing.TB, nc *nats.Conn) (names []string) {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	for name := range js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	return names
}

// What cannot be read is moved as it is, and the hub tells of it as before. One ask at two places stays at both.
func TestMigrateOdd(t *testing.T) {
	t.Parallel()
	m := earlierRoom(t, 20)
	_, nc := serve(t)
	earlierStreams(t, nc, "", 1, 1, false)
	var twice int
	for i := range m.was {
		r := &m.was[i]
		if r.area == "ask" && !r.Closed && strings.HasPrefix(r.Address.ID, "asker/") {
			twice = i
		}
	}
	two := m.was[twice]
	for _, r := range m.want {
		if r.Kind == hub.KindTicket && bytes.Contains(r.Data, two.Data[100:]) {
			two.Address.ID = r.Address.ID
		}
	}
	two.Data = resealed(two.Record, two.Address) // as a version before it had filed it
	bad := earlierRecord{"ask", hub.Record{Kind: hub.KindTicket, Address: hub.Address{Tenant: "acme", Person: "ann", Conversation: "c", ID: "bad"}, Data: bytes.Replace(two.Data, []byte("Which"), []byte("Witch"), 1)}}
	writeEarlier(t, nc, "", 1, append(m.was, two, bad))
	var last natsstore.Migration
	s := open(t, nc, &natsstore.Options{Migrating: func(m natsstore.Migration) { last = m }})
	if last.Damaged != 1 || !last.Done {
		t.Errorf("it was told %+v", last)
	}
	h := room(t, s)
	page, err := h.List(t.Context(), "acme", nil)
	must(t, err)
	if len(page.Damaged) != 1 || !strings.Contains(page.Damaged[0].Error(), "bad") {
		t.Errorf("the damaged one: %v", page.Damaged)
	}
	got := allOf(t, s)
	if len(got) != len(m.want)+2 {
		t.Errorf("%d records of %d", len(got), len(m.want)+2)
	}
	same := 0
	for _, tk := range page.Tickets {
		if tk.Ask.ID == two.Address.ID && tk.Address.Conversation == two.Address.Conversation && tk.Address.Person == two.Address.Person {
			same++
			_, err := h.Close(t.Context(), tk, reply(cmp.Or(tk.Address.Person, "ann")), nil)
			must(t, err)
		}
	}
	if same < 2 {
		t.Errorf("of one ask at two places there are %d", same)
	}
}

// A process is killed while it moves records, again and again.
func TestMigrateKilled(t *testing.T) {
	t.Parallel()
	rand := testenv.Rand(t)
	m := earlierRoom(t, 800)
	dir := filepath.Join(t.TempDir(), "store")
	srv, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir})
	must(t, err)
	nc, err := srv.Conn(t.Context(), "")
	must(t, err)
	earlierStreams(t, nc, "", 2, 1, true)
	writeEarlier(t, nc, "", 2, m.was)
	must(t, srv.Close(context.Background()))
	whole := time.Duration(0)
	rounds := 5
	if long() {
		rounds = 20
	}
	for round := range rounds {
		folder := filepath.Join(t.TempDir(), strconv.Itoa(round))
		must(t, os.CopyFS(folder, os.DirFS(dir)))
		node := enginetest.NewNode(t, enginetest.Spec{Dir: folder, Program: "migrating"})
		began := time.Now()
		node.Restart()
		if round > 0 { // the first is not disturbed, and says how long it takes
			for range 1 + rand.IntN(3) {
				timer := time.NewTimer(time.Duration(rand.Int64N(int64(whole))))
				<-timer.C
				node.Kill()
				node.Restart()
			}
		}
		node.WaitLines(1)
		if line := node.Lines()[0]; line != "moved" {
			t.Fatal(line)
		}
		if round == 0 {
			whole = time.Since(began)
		}
		node.Stop()
		_, nc := serveDir(t, folder)
		if lost, extra := m.compare(t, allOf(t, open(t, nc, nil))); lost+extra > 0 {
			t.Fatalf("round %d: %d lost, %d too many", round, lost, extra)
		}
	}
}

// migrating is a program that opens a store and says when it is open.
func migrating(ctx context.Context, srv *natsserver.Server, _ []string, out io.Writer) error {
	nc, err := srv.Conn(ctx, "")
	if err != nil {
		return err
	}
	s, err := natsstore.Open(ctx, nc, &natsstore.Options{Shards: 4, Mark: srv})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "moved")
	<-ctx.Done()
	return s.Close()
}
