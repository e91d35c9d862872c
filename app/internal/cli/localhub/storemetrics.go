package localhub

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/metrics"
	"github.com/saysohq/sayso/hub"
)

// What is asked of the storage is asked at most so often, and given up after limit:
// a storage without a leader must not keep a monitor waiting.
const (
	scrapeAge   = 10 * time.Second
	scrapeLimit = 3 * time.Second
)

// metrics returns what there is to know about the storage.
func (e *Engine) metrics(p Places) metrics.Source {
	return metrics.Cached(scrapeAge, scrapeLimit, func(ctx context.Context) metrics.Source {
		stats, err := e.store.Stats(ctx)
		overdue, known := e.overdue(ctx)
		now := time.Now()
		return func(_ context.Context, w *metrics.Writer) {
			e.writeConnection(w)
			if known {
				w.One("sayso_asks_overdue", metrics.Gauge, "Open asks whose deadline has passed, counted up to 1000. The hub closes them within seconds.", float64(overdue))
			}
			p.writeFolder(w, stats)
			up := 1.
			if err != nil {
				up = 0
			}
			w.One("sayso_store_answers", metrics.Gauge, "Whether the storage told its numbers. Without them the families below are missing.", up)
			if err == nil {
				e.writeShards(w, stats, now)
			}
		}
	})
}

// overdue counts the asks that nobody has closed in time.
func (e *Engine) overdue(ctx context.Context) (n int, known bool) {
	open := false
	page, err := e.Store.List(ctx, hub.Query{Closed: &open, Due: time.Now(), Limit: 1000})
	return len(page.Records), err == nil
}

func (e *Engine) writeConnection(w *metrics.Writer) {
	connected := 0.
	if e.conn.IsConnected() {
		connected = 1
	}
	w.One("sayso_store_connected", metrics.Gauge, "Whether the hub is connected to its storage.", connected)
	w.One("sayso_store_reconnects_total", metrics.Counter, "Times that the connection to the storage was lost and made again.", float64(e.conn.Stats().Reconnects))
	w.One("sayso_store_synced", metrics.Gauge, "Whether the storage has a write on its disk before it acknowledges it; -1: not known.", float64(e.Synced()))
}

func (e *Engine) writeShards(w *metrics.Writer, s *natsstore.Stats, now time.Time) {
	own := ""
	if e.server != nil {
		own = e.conn.ConnectedServerName()
	}
	var records, bytes int64
	oldest := time.Time{}
	states := map[string]map[string]bool{"current": {}, "lagging": {}, "offline": {}}
	lag := make([]uint64, len(s.Shards))
	for i, sh := range s.Shards {
		records, bytes = records+sh.Records, bytes+sh.Bytes
		if !sh.Oldest.IsZero() && (oldest.IsZero() || sh.Oldest.Before(oldest)) {
			oldest = sh.Oldest
		}
		for _, c := range sh.Copies {
			state := "current"
			switch {
			case c.Offline:
				state = "offline"
			case !c.Current || c.Lag > 0:
				state = "lagging"
			}
			states[state][c.Server] = true
			lag[i] = max(lag[i], c.Lag)
		}
		if sh.Leader != "" {
			states["current"][sh.Leader] = true
		}
	}
	age := 0.
	if !oldest.IsZero() {
		age = max(0, now.Sub(oldest).Seconds())
	}
	w.One("sayso_oldest_ask_seconds", metrics.Gauge, "Age of the oldest open ask, since it was asked or somebody began to answer it; 0: none is open.", age)
	each := func(name, help string, value func(i int) float64) {
		w.Family(name, metrics.Gauge, help)
		for i := range s.Shards {
			w.Value(value(i), "shard", strconv.Itoa(i))
		}
	}
	each("sayso_shard_records", "Asks in a shard, closed ones until the archive has them.", func(i int) float64 { return float64(s.Shards[i].Records) })
	each("sayso_replica_lag", "Writes that the slowest copy of a shard has not made yet.", func(i int) float64 { return float64(lag[i]) })
	each("sayso_leader", "Whether this node leads the shard; on a NATS elsewhere, whether any server does.", func(i int) float64 {
		if leader := s.Shards[i].Leader; leader != "" && (own == "" || leader == own) {
			return 1
		}
		return 0
	})
	// A limit is of the whole store, so there is one ratio and not one for each shard.
	ratio := 0.
	if s.MaxAsks > 0 {
		ratio = float64(records) / float64(s.MaxAsks)
	}
	if s.MaxBytes > 0 {
		ratio = max(ratio, float64(bytes)/float64(s.MaxBytes))
	}
	w.One("sayso_store_quota_ratio", metrics.Gauge, "How much of max-asks or max-bytes is used; 0 without a limit.", ratio)
	w.One("sayso_store_bytes", metrics.Gauge, "Bytes of the storage, on one server.", float64(s.Bytes))
	w.Family("sayso_peers", metrics.Gauge, "Servers of the storage by the state of their copies. One that lags in any shard counts as lagging.")
	for server := range states["offline"] {
		delete(states["lagging"], server)
		delete(states["current"], server)
	}
	for server := range states["lagging"] {
		delete(states["current"], server)
	}
	for _, state := range []string{"current", "lagging", "offline"} {
		w.Value(float64(len(states[state])), "state", state)
	}
	w.One("sayso_events_missed_total", metrics.Counter, "Times that this hub may have missed a change, and read again.", float64(s.Missed))
}

// operated is what was last done with the data of this hub, for the metrics. It is of
// this machine: another node may have done it, too.
type operated struct {
	Backup time.Time         `json:"backup,omitzero"`
	Audit  map[string]uint64 `json:"audit,omitempty"` // the last sequence of each archive that is exported
}

func (p Places) operated() string { return filepath.Join(p.State, "operated.json") }

func (p Places) readOperated() (o operated) {
	if b, err := os.ReadFile(p.operated()); err == nil {
		json.Unmarshal(b, &o) // what cannot be read is not known
	}
	return o
}

func (p Places) writeOperated(o operated) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(p.operated(), append(b, '\n'), 0o600)
}

// NoteBackup notes that a backup is complete.
func (p Places) NoteBackup(at time.Time) error {
	o := p.readOperated()
	o.Backup = at.UTC()
	return p.writeOperated(o)
}

// NoteAudit notes how far the audit is exported.
func (p Places) NoteAudit(ends natsstore.AuditEnds) error {
	o := p.readOperated()
	o.Audit = map[string]uint64{}
	for shard, end := range ends {
		o.Audit[shard] = end.At
	}
	return p.writeOperated(o)
}

// writeFolder writes what the state folder tells.
func (p Places) writeFolder(w *metrics.Writer, s *natsstore.Stats) {
	if free, _ := natsserver.Room(p.State); free >= 0 {
		w.One("sayso_disk_free_bytes", metrics.Gauge, "Bytes that are free on the disk of the state folder.", float64(free))
	}
	o := p.readOperated()
	if !o.Backup.IsZero() {
		w.One("sayso_backup_age_seconds", metrics.Gauge, "Time since the last backup that was made through this hub.", max(0, time.Since(o.Backup).Seconds()))
	}
	if s == nil || len(o.Audit) == 0 {
		return
	}
	unexported := uint64(0)
	for i, sh := range s.Shards {
		if last := o.Audit[shardName(i)]; sh.Archived > last {
			unexported += sh.Archived - last
		}
	}
	w.One("sayso_audit_unexported", metrics.Gauge, "Closed asks that the last audit export through this hub does not have.", float64(unexported))
}

// shardName is how the audit names a shard.
func shardName(i int) string { return fmt.Sprintf("%02d", i) }
