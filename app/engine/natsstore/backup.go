package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// backupHold is how long settled tickets stay where they are: more than a shard takes.
const backupHold = time.Hour

// BackupFile is a small file that the owner of the store keeps in its backups.
type BackupFile struct {
	Name string
	Data []byte
}

// BackupReport says what is in a backup.
type BackupReport struct {
	Taken    time.Time `json:"taken"`
	Shards   int       `json:"shards"`
	Tickets  uint64    `json:"tickets"`  // records in the streams of tickets: open ones, and closed ones that were not moved yet
	Archived uint64    `json:"archived"` // copies of closed tickets
	Drafts   uint64    `json:"drafts"`
	Files    int       `json:"files"` // all of them, with the manifest
	Bytes    int64     `json:"bytes"` // of all but the manifest
}

// Backup writes the streams and the files to a sink. The store goes on meanwhile: of each stream the backup has what was
// acknowledged when its turn came, or what replaced it meanwhile. A record that cannot be read ends the backup with an error.
func (s *Store) Backup(ctx context.Context, to BackupSink, files ...BackupFile) (*BackupReport, error) {
	b, err := s.backup(ctx, to, files)
	if err != nil {
		return nil, fmt.Errorf("natsstore: backup: %w", err)
	}
	return b.report(), nil
}

func (s *Store) backup(ctx context.Context, to BackupSink, files []BackupFile) (*backup, error) {
	if dir, ok := to.(BackupFolder); ok {
		if err := dir.Empty(); err != nil {
			return nil, err
		}
	}
	b := &backup{Version: backupVersion, Layout: LayoutVersion, Prefix: s.opts.Prefix, Shards: len(s.shards), Taken: time.Now().UTC()}
	for _, f := range files {
		if err := writeTo(to, f.Name, f.Data); err != nil {
			return nil, fmt.Errorf("file %s: %w", f.Name, err)
		}
		data := summing()
		data.Write(f.Data)
		b.Files = append(b.Files, backupFile{f.Name, data.n, data.hex()})
	}
	for _, name := range s.earlierStreams() {
		st, err := s.snapshot(ctx, name, to)
		if err != nil && !missing(err) { // it may have aged out
			return nil, fmt.Errorf("stream %s: %w", name, err)
		}
		if err == nil {
			b.Streams = append(b.Streams, st)
		}
	}
	// The tickets of the first shard are the last that is restored: where they are, the store is whole.
	for _, sh := range slices.Backward(s.shards) {
		part, err := s.backupShard(ctx, sh, to)
		if err != nil {
			return nil, err
		}
		b.Streams = append(b.Streams, part...)
	}
	return b, b.write(to)
}

// backupShard backs the streams of a shard up. A copy is taken before its source, so that it has nothing that the source has
// not, and the bookmark before the copy. The stream of small records is left out: a session that was ended since must not
// come back with a restore, so people sign in again.
func (s *Store) backupShard(ctx context.Context, sh *shard, to BackupSink) (part []backupStream, err error) {
	order := []string{sh.due, sh.draft, sh.ask}
	if sh.key != "" {
		order = slices.Insert(order, 0, sh.key)
	}
	if !s.opts.NoAudit {
		// What is copied after the archive had its turn must not be removed before the tickets have theirs.
		if err := s.hold(ctx, sh, backupHold); err != nil {
			return nil, err
		}
		defer func() {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Timeout)
			defer cancel()
			err = errors.Join(err, s.hold(last, sh, 0))
		}()
		order = slices.Insert(order, len(order)-2, sh.archive)
	}
	for _, name := range order {
		st, err := s.snapshot(ctx, name, to)
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", name, err)
		}
		part = append(part, st)
	}
	return part, nil
}

// snapshot writes one stream into its file.
func (s *Store) snapshot(ctx context.Context, name string, to BackupSink) (st backupStream, err error) {
	st = backupStream{Name: name}
	subjects, err := s.kept(ctx, name)
	if err != nil {
		return st, err
	}
	inbox := s.nc.NewRespInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return st, err
	}
	defer unsubscribe(sub)
	var got struct {
		answer
		Config json.RawMessage `json:"config"`
		State  json.RawMessage `json:"state"`
	}
	req := struct {
		Deliver     string `json:"deliver_subject"`
		NoConsumers bool   `json:"no_consumers"`
	}{inbox, true}
	if err := s.call(ctx, "$JS.API.STREAM.SNAPSHOT."+name, req, &got); err != nil {
		return st, err
	}
	st.Config, st.State = got.Config, got.State
	f, err := to.Create(st.file())
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	written := summing()
	snapshot, chunks := io.Pipe()
	received := make(chan struct{})
	go func() {
		defer close(received)
		chunks.CloseWithError(s.receive(ctx, sub, chunks))
	}()
	err = s.addMissed(ctx, name, subjects, snapshot, io.MultiWriter(f, written))
	snapshot.CloseWithError(err)
	<-received
	st.Bytes, st.SHA256 = written.n, written.hex()
	return st, err
}

// receive writes the chunks of a snapshot until the server says that there are no more.
func (s *Store) receive(ctx context.Context, sub *nats.Subscription, w io.Writer) error {
	for {
		next, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		m, err := sub.NextMsgWithContext(next)
		cancel()
		if err != nil {
			return err
		}
		if len(m.Data) == 0 {
			if code := first(m.Header, headStatus); code != "" && code != "204" {
				return fmt.Errorf("the server ended the snapshot: %s %s", code, first(m.Header, headDescription))
			}
			return nil
		}
		if _, err := w.Write(m.Data); err != nil {
			return err
		}
		if m.Reply != "" {
			if err := s.nc.Publish(m.Reply, nil); err != nil {
				return err
			}
		}
	}
}

// report says what is in the backup.
func (b *backup) report() *BackupReport {
	r := &BackupReport{Taken: b.Taken, Shards: b.Shards, Files: len(b.Files) + len(b.Streams) + 1}
	for _, f := range b.Files {
		r.Bytes += f.Bytes
	}
	n := names{b.Prefix}
	for _, st := range b.Streams {
		r.Bytes += st.Bytes
		var state streamState
		if json.Unmarshal(st.State, &state) != nil {
			continue // it is only counted
		}
		switch messages := uint64(max(0, state.Messages)); n.area(st.Name) {
		case areaAsk:
			r.Tickets += messages
		case areaArchive:
			r.Archived += messages
		case areaDraft:
			r.Drafts += messages
		}
	}
	return r
}
