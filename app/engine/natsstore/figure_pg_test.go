package natsstore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// TestFigure_PG puts PostgreSQL beside the hub and the bare engine: the same loop as in TestFigure_P1 with the same bytes,
// committed to the disk, one process-wide notification that carries the record, by LISTEN and NOTIFY or by a core NATS
// subject. They take turns.
func TestFigure_PG(t *testing.T) {
	measure(t)
	dsn, version := postgres(t)
	if dsn == "" {
		figure(t, "PG", "missing", "PostgreSQL is not installed: apt-get install postgresql")
		return
	}
	t.Logf("PostgreSQL %s", version)
	srv, nc := serve(t)
	o := natsstore.Options{Mark: srv, NoAudit: true}
	names := []string{"bare", "hub", "notify", "bell"}
	loops := []func(uint64){
		loopBare(t, nc, o), loopHub(t, nc, "hub", o), loopPostgres(t, dsn, "notify", nil), loopPostgres(t, dsn, "bell", nc),
	}
	for _, c := range []int{1, 16, 256} {
		d, slices := 100*time.Millisecond, 25
		if c == 256 {
			d, slices = 700*time.Millisecond, 9
		}
		if long() {
			slices *= 5
		}
		var sides [4]*side
		for i := range sides {
			sides[i] = &side{ask: loops[i]}
		}
		for i := range slices {
			for k := range sides { // another one begins each time
				sides[(i+k)%len(sides)].slice(t, c, d, nil)
			}
			if t.Failed() {
				return
			}
		}
		for i, s := range sides { // at its best tenth, as in compare
			t.Logf("%d at a time: %s %v", c, names[i], &s.all)
			figure(t, fmt.Sprintf("PG-%d-%s", c, names[i]), fmt.Sprintf("%.0f", quantile(s.rates, 0.9)), "asks/s")
		}
	}
}

const schema = `
create table %[1]s (
	tenant text, person text, conversation text, id text,
	revision bigint not null, closed boolean not null, nonce text not null, data text not null,
	primary key (tenant, person, conversation, id)
);
create index on %[1]s (tenant, person, conversation) where not closed;`

// loopPostgres is loopBare on a table of PostgreSQL. With a connection to NATS, that rings the bell.
func loopPostgres(t *testing.T, dsn, table string, bell *nats.Conn) func(n uint64) {
	ctx, cancel := context.WithCancel(t.Context())
	config, err := pgxpool.ParseConfig(dsn)
	must(t, err)
	config.MaxConns, config.MinConns = 32, 32
	pool, err := pgxpool.NewWithConfig(ctx, config)
	must(t, err)
	_, err = pool.Exec(ctx, fmt.Sprintf(schema, table))
	must(t, err)

	insert := fmt.Sprintf("insert into %s values ($1, $2, $3, $4, 1, false, $5, $6)", table)
	update := fmt.Sprintf("update %s set revision = revision + 1, closed = true, nonce = $5, data = $6 "+
		"where tenant = $1 and person = $2 and conversation = $3 and id = $4 and revision = 1", table)
	if bell == nil { // the notification is part of the transaction
		ring := " returning id) select pg_notify('" + table + "', '%s ' || id || ' ' || $6) from done"
		insert = "with done as (" + insert + fmt.Sprintf(ring, "o")
		update = "with done as (" + update + fmt.Sprintf(ring, "c")
	}
	asked, answered := bareRecord()
	write := func(query, state string, n uint64, data []byte) error {
		id := fmt.Sprintf("ask_%d", n)
		tag, err := pool.Exec(ctx, query, "acme", "ann", fmt.Sprintf("conv%d", n/5), id, fmt.Sprintf("AAAAAAAAAAAA%d%s", n, state), string(data))
		if err == nil && tag.RowsAffected() != 1 {
			err = fmt.Errorf("%d rows were written", tag.RowsAffected())
		}
		if err == nil && bell != nil {
			err = bell.PublishMsg(&nats.Msg{Subject: "postgres." + table, Data: []byte(state + " " + id + " " + string(data))})
		}
		return err
	}

	var waiting sync.Map
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait(); pool.Close() })
	heard := func(payload string) {
		state, rest, _ := strings.Cut(payload, " ")
		id, _, _ := strings.Cut(rest, " ")
		var n uint64
		fmt.Sscanf(id, "ask_%d", &n)
		if state == "o" {
			running.Go(func() {
				if err := write(update, "c", n, answered); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			})
		} else if ch, ok := waiting.LoadAndDelete(n); ok {
			close(ch.(chan struct{}))
		}
	}
	if bell != nil {
		sub, err := bell.Subscribe("postgres."+table, func(m *nats.Msg) { heard(string(m.Data)) })
		must(t, err)
		must(t, sub.SetPendingLimits(-1, -1))
		must(t, bell.Flush())
	} else {
		listen, err := pgx.Connect(ctx, dsn)
		must(t, err)
		_, err = listen.Exec(ctx, "listen "+table)
		must(t, err)
		running.Go(func() {
			defer listen.Close(context.Background())
			for {
				note, err := listen.WaitForNotification(ctx)
				if err != nil {
					return
				}
				heard(note.Payload)
			}
		})
	}
	return func(n uint64) {
		ch := make(chan struct{})
		waiting.Store(n, ch)
		if err := write(insert, "o", n, asked); err != nil {
			t.Error(err)
			return
		}
		select {
		case <-ch:
		case <-time.After(20 * time.Second):
			t.Error("no answer after 20 s")
		}
	}
}
