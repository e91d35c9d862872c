package localhub

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/metrics"
	"github.com/saysohq/sayso/hub"
)

// TestFolderMetrics: backups and exports are told of once there was one.
func TestFolderMetrics(t *testing.T) {
	t.Parallel()
	p := Places{State: t.TempDir()}
	stats := &natsstore.Stats{Shards: []natsstore.ShardStats{{Archived: 7}, {Archived: 2}}}
	write := func() string {
		var w metrics.Writer
		p.writeFolder(&w, stats)
		return w.String()
	}
	if text := write(); strings.Contains(text, "backup") || strings.Contains(text, "audit") || !strings.Contains(text, "sayso_disk_free_bytes ") {
		t.Errorf("at first:\n%s", text)
	}
	if err := p.NoteBackup(time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := p.NoteAudit(natsstore.AuditEnds{"00": {At: 4}, "01": {At: 2}}); err != nil {
		t.Fatal(err)
	}
	if text := write(); !strings.Contains(text, "\nsayso_backup_age_seconds 36") || !strings.Contains(text, "\nsayso_audit_unexported 3\n") {
		t.Errorf("then:\n%s", text)
	}
}

// TestShardMetrics: a node that lags or is off can be told from one that is not.
func TestShardMetrics(t *testing.T) {
	t.Parallel()
	now := time.Now()
	stats := &natsstore.Stats{MaxAsks: 100, MaxBytes: 1000, Missed: 5, Shards: []natsstore.ShardStats{
		{Records: 10, Bytes: 700, Leader: "a", Oldest: now.Add(-time.Minute), Copies: []natsstore.Copy{{Server: "b", Current: true}, {Server: "c", Offline: true, Lag: 9}}},
		{Records: 20, Bytes: 100, Oldest: now.Add(-time.Hour), Copies: []natsstore.Copy{{Server: "b", Current: true, Lag: 3}}},
	}}
	var w metrics.Writer
	(&Engine{}).writeShards(&w, stats, now)
	for _, line := range []string{
		`sayso_oldest_ask_seconds 3600`, `sayso_shard_records{shard="1"} 20`, `sayso_replica_lag{shard="0"} 9`, `sayso_replica_lag{shard="1"} 3`,
		`sayso_leader{shard="0"} 1`, `sayso_leader{shard="1"} 0`, `sayso_store_quota_ratio 0.8`,
		`sayso_peers{state="current"} 1`, `sayso_peers{state="lagging"} 1`, `sayso_peers{state="offline"} 1`, `sayso_events_missed_total 5`,
	} {
		if !strings.Contains(w.String(), line+"\n") {
			t.Errorf("no line %s in\n%s", line, w.String())
		}
	}
}

// failing is a store that fails.
type failing struct {
	hub.Store
	err error
}

func (b failing) Put(context.Context, hub.Record, uint64) (uint64, error) { return 0, b.err }

func TestStoreErrors(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := newObserved(slog.New(slog.NewTextHandler(&log, nil)))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx context.Context
		err error
	}{
		{t.Context(), nil}, {t.Context(), hub.ErrConflict}, {t.Context(), hub.ErrUndecided}, {t.Context(), hub.ErrFull}, {gone, context.Canceled},
		{t.Context(), &hub.StorageError{Fault: hub.FaultDiskFull}}, {t.Context(), context.DeadlineExceeded}, {t.Context(), hub.ErrStopped},
	} {
		if _, err := o.over(failing{err: c.err}).Put(c.ctx, hub.Record{}, 0); err != c.err {
			t.Errorf("%v became %v", c.err, err)
		}
	}
	var w metrics.Writer
	o.write(t.Context(), &w)
	want := `sayso_store_errors_total{kind="disk-full"} 1
sayso_store_errors_total{kind="full"} 1
sayso_store_errors_total{kind="other"} 1
sayso_store_errors_total{kind="timeout"} 1
`
	if text := w.String(); !strings.Contains(text, want) || !strings.Contains(text, "sayso_store_undecided_total 1\n") || !strings.Contains(text, "sayso_store_write_seconds_count 1\n") {
		t.Errorf("got\n%s", text)
	}
}
