package wake

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Run is one run of a command: it is recorded before it begins, and again when it has
// ended.
type Run struct {
	Ask     string    `json:"ask"` // whose answer it is for
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Dir     string    `json:"dir"`
	Command []string  `json:"command"`
	At      time.Time `json:"at"`                // when it was recorded
	Process Process   `json:"process,omitempty"` // once it runs
	Ended   time.Time `json:"ended,omitzero"`
	Exit    int       `json:"exit"`             // once it has ended; -1: it was killed
	Error   string    `json:"error,omitempty"`  // why it could not be started
	Output  string    `json:"output,omitempty"` // the last lines

	// Nonce tells the hub that records a run from all others.
	Nonce string `json:"nonce"`

	address hub.Address // of the record: with the conversation, so that it is erased with that
}

// State says in a word what became of the run: "running", "ended", "failed", or "unknown"
// if the hub ended before the run did.
func (r *Run) State() string {
	switch {
	case r.Error != "" || !r.Ended.IsZero() && r.Exit != 0:
		return "failed"
	case !r.Ended.IsZero():
		return "ended"
	case r.Process.Life() == Running:
		return "running"
	}
	return "unknown"
}

// How long runs are kept, how much of their output, and how long one that may have been
// started before a hub was killed keeps others of the session from being started.
const (
	keepRuns  = 90 * 24 * time.Hour
	maxOutput = 4 << 10
	inDoubt   = time.Hour
	maxTries  = 20
)

// Runs returns the runs that are recorded, the last one first.
func Runs(ctx context.Context, store hub.Store, tenant string) ([]*Run, error) {
	var all []*Run
	q := hub.Query{Kind: hub.KindWake, Tenant: tenant, Limit: 1000}
	for {
		page, err := store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("wake: listing the runs: %w", err)
		}
		for _, r := range page.Records {
			run := &Run{}
			if json.Unmarshal(r.Data, run) == nil {
				all = append(all, run)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b *Run) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Ask, b.Ask)) })
	return all, nil
}

// record writes the run. It reports whether the record is this run's: of several that
// want to begin for the same ask, one is, and none if there was one before.
func (w *Waker) record(ctx context.Context, r *Run, revision *uint64) (ours bool, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	for range maxTries {
		got, err := w.store.Put(ctx, hub.Record{Kind: hub.KindWake, Address: r.address, TTL: keepRuns, Data: data}, *revision)
		switch {
		case err == nil:
			*revision = got
			return true, nil
		case errors.Is(err, hub.ErrConflict):
			return false, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		}
		// Nobody knows whether it was written.
		sleep(ctx, 200*time.Millisecond)
		was, getErr := w.store.Get(ctx, hub.KindWake, r.address)
		switch {
		case errors.Is(getErr, hub.ErrNotFound) || errors.Is(getErr, hub.ErrUndecided):
		case getErr != nil:
			return false, errors.Join(err, getErr)
		case string(was.Data) == string(data): // the nonce is ours
			*revision = was.Revision
			return true, nil
		case was.Revision != *revision:
			return false, nil
		}
	}
	return false, fmt.Errorf("wake: recording the run: %w", hub.ErrUndecided)
}

// busy reports whether another run of the session may still go on.
func (w *Waker) busy(ctx context.Context, s *Session, now time.Time) (bool, error) {
	runs, err := Runs(ctx, w.store, w.o.Tenant)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(runs, func(r *Run) bool {
		switch {
		case r.Agent != s.Agent || r.Session != s.ID || !r.Ended.IsZero() || r.Error != "":
			return false
		case r.Process == "":
			return now.Sub(r.At) < inDoubt
		}
		return r.Process.Life() != Gone
	}), nil
}
