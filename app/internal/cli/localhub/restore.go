package localhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/securitylog"
)

// A backup is restored into a hub that runs and has never been asked anything, in whatever shape it runs: the same rule for
// one node, for three, and for a NATS elsewhere. The hub replaces its empty streams, and then it and all others over the
// same storage open it anew, without ending their processes.

// errRestored says that the store is another one now.
var errRestored = errors.New("a backup was restored")

// guardsLook is how long the guards of other nodes may take to see that a stream is leaving.
const guardsLook = 3 * time.Second

// restore reads a backup from the command and makes it the store.
func (op *operating) restore(w http.ResponseWriter, r *http.Request) {
	defer io.Copy(io.Discard, r.Body) // else the command could not read the answer
	if op.restoring.Swap(true) {
		answerWith(w, nil, errors.New("a restore is under way"))
		return
	}
	began := time.Now()
	report, touched, err := op.restoreFrom(r)
	if !touched {
		op.restoring.Store(false)
		answerWith(w, nil, err)
		return
	}
	var done *Backup
	if err == nil {
		done = &Backup{*report, time.Since(began)}
		op.security.Note(securitylog.Event{Name: securitylog.BackupRestored})
		op.log.Info("restored a backup", "taken", report.Taken, "shards", report.Shards, "tickets", report.Tickets, "took", done.Took.Round(time.Millisecond).String())
	} else {
		op.log.Error("the restore failed, and the storage is empty", "error", err)
	}
	answerWith(w, done, err)
	op.reopen()
}

// restoreFrom reports whether the streams were touched.
func (op *operating) restoreFrom(r *http.Request) (_ *natsstore.BackupReport, touched bool, err error) {
	in, err := partsOf(r.Header.Get("Content-Type"), r.Body)
	if err != nil {
		return nil, false, err
	}
	observed := func(ctx context.Context) error {
		touched = true
		return op.observed(ctx)
	}
	report, _, err := natsstore.Restore(r.Context(), op.engine.Conn(), nextFile{in}, &natsstore.RestoreOptions{
		Replicas: op.engine.NATS().Replicas(), Shards: op.o.Engine.Shards, Observed: observed,
	})
	if errors.Is(err, natsstore.ErrNotEmpty) {
		return nil, touched, &OperatorError{strings.TrimPrefix(err.Error(), "natsstore: restore: "),
			"A restore replaces everything. Restore into a hub that nobody has asked anything: one with a new state folder, or another NATS account."}
	}
	if err != nil {
		return nil, touched, err
	}
	return report, true, op.observed(r.Context())
}

// observed returns when the guards of all nodes have seen what became of the streams.
func (op *operating) observed(ctx context.Context) error {
	server := op.engine.Server()
	if server == nil {
		return nil
	}
	if err := server.Checkpoint(); err != nil || op.o.Engine.Cluster == nil {
		return err
	}
	select {
	case <-time.After(guardsLook):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restoredElsewhere waits until another process over the same storage has restored a backup there, and reports whether one
// has.
func (op *operating) restoredElsewhere(ctx context.Context) bool {
	if op.o.Engine.Cluster == nil && op.o.Engine.NATS == nil {
		return false // there is no other
	}
	return op.engine.NATS().AwaitOther(ctx) == nil && !op.restoring.Load()
}

// Restore sends a backup to the hub, which must be empty, and returns once the hub serves it. Every file is checked before
// anything is sent.
func (s *Starter) Restore(ctx context.Context, dir string) (*Backup, error) {
	from := natsstore.BackupFolder(dir)
	if _, err := natsstore.CheckBackup(from); err != nil {
		return nil, err
	}
	before, err := s.Info(ctx)
	if err != nil {
		return nil, err
	}
	files, err := natsstore.BackupFiles(from)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	out := parts{multipart.NewWriter(w)}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		w.CloseWithError(errors.Join(sendFiles(out, from, files), out.Close()))
	}()
	defer func() { r.Close(); <-sent }()
	resp, err := s.operateTyped(ctx, http.MethodPost, "restore", "multipart/mixed; boundary="+out.Boundary(), r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var said reply
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return nil, fmt.Errorf("reading what the hub says: %w", err)
	}
	var done Backup
	if err := said.into(&done); err != nil {
		return nil, err
	}
	return &done, s.awaitRun(ctx, before)
}

func sendFiles(out parts, from natsstore.BackupFolder, files []string) error {
	for _, name := range files {
		to, err := out.Create(name)
		if err != nil {
			return err
		}
		f, err := from.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// awaitRun waits until the hub serves again after it has opened its store anew.
func (s *Starter) awaitRun(ctx context.Context, before *Info) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, errors.New("the backup is restored, but the hub does not serve it yet; its log is "+s.Places.Log()))
	defer cancel()
	for {
		now, err := s.Info(ctx)
		if err == nil && !now.Since.Equal(before.Since) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
