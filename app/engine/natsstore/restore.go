package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// restoreChunk is how much is sent at once; the server takes less than its largest message.
const restoreChunk = 128 << 10

// restoreWait is how long the server may take for a chunk, or for the last step.
const restoreWait = 30 * time.Second

// RestoreOptions say what a backup becomes.
type RestoreOptions struct {
	Replicas int // of every stream; default: as many as the backup had
	Shards   int // how many shards the store has to have; default: what the backup has

	// Observed is called before and after the streams of an empty store are removed: it returns once the guards of all
	// nodes know. Default: there are none.
	Observed func(context.Context) error
}

// ErrNotEmpty says that a store has records, which a restore would replace.
var ErrNotEmpty = errors.New("the hub is not empty")

// Restore makes the streams of a backup where the connection leads, with the same records at the same revisions, and
// returns the files that were with them. A folder is checked first, file by file; a stream while it is read. The streams of
// a store that holds no ticket and no draft are replaced; anything else is [ErrNotEmpty]. If it fails, it leaves no stream
// behind. Open then opens the store, with other replicas, if it is to be another kind of place.
func Restore(ctx context.Context, nc *nats.Conn, from BackupSource, opts *RestoreOptions) (*BackupReport, []BackupFile, error) {
	if opts == nil {
		opts = &RestoreOptions{}
	}
	b, files, err := restore(ctx, nc, from, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("natsstore: restore: %w", err)
	}
	return b.report(), files, nil
}

func restore(ctx context.Context, nc *nats.Conn, from BackupSource, opts *RestoreOptions) (_ *backup, files []BackupFile, err error) {
	b, err := readManifest(from)
	if err != nil {
		return nil, nil, err
	}
	if opts.Shards != 0 && b.Shards != 0 && opts.Shards != b.Shards {
		return nil, nil, fmt.Errorf("the backup has %d shards and the hub is set to %d", b.Shards, opts.Shards)
	}
	if dir, ok := from.(BackupFolder); ok {
		if all := b.damage(dir); len(all) > 0 {
			return nil, nil, errors.Join(all...)
		}
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, nil, err
	}
	if err := clearEmpty(ctx, js, b, opts); err != nil {
		return nil, nil, err
	}
	for _, f := range b.Files {
		data, err := readFrom(from, f.Name, maxSmallFile)
		if err != nil {
			return nil, nil, err
		}
		got := summing()
		got.Write(data)
		if err := got.is(f.Name, f.Bytes, f.SHA256); err != nil {
			return nil, nil, err
		}
		files = append(files, BackupFile{f.Name, data})
	}
	for i, st := range b.Streams {
		if err := upload(ctx, nc, from, &st, opts.Replicas); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("stream %s: %w", st.Name, err), undo(ctx, js, b.Streams[:i+1]))
		}
	}
	return b, files, nil
}

// undo removes the streams that were made, so that the restore can be tried again.
func undo(ctx context.Context, js jetstream.JetStream, made []backupStream) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreWait)
	defer cancel()
	var errs []error
	for _, st := range made {
		if err := js.DeleteStream(ctx, st.Name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			errs = append(errs, fmt.Errorf("remove stream %s: %w", st.Name, err))
		}
	}
	return errors.Join(errs...)
}

// upload makes one stream.
func upload(ctx context.Context, nc *nats.Conn, from BackupSource, st *backupStream, replicas int) error {
	f, err := from.Open(st.file())
	if err != nil {
		return err
	}
	defer f.Close()
	config, err := restored(st, replicas)
	if err != nil {
		return err
	}
	req, err := json.Marshal(map[string]json.RawMessage{"config": config, "state": st.State})
	if err != nil {
		return err
	}
	var where struct {
		answer
		Deliver string `json:"deliver_subject"`
	}
	if err := send(ctx, nc, "$JS.API.STREAM.RESTORE."+st.Name, req, &where); err != nil {
		return err
	}
	got := summing()
	read := io.TeeReader(f, got)
	chunk := make([]byte, restoreChunk)
	for {
		n, err := io.ReadFull(read, chunk)
		if n > 0 {
			var taken answer
			if err := send(ctx, nc, where.Deliver, chunk[:n], &taken); err != nil {
				return err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return err
		}
	}
	// Without the last step the server forgets what it was sent.
	if err := got.is(st.file(), st.Bytes, st.SHA256); err != nil {
		return err
	}
	var made answer // nothing more is the end of it
	return send(ctx, nc, where.Deliver, nil, &made)
}

// send sends one message of a restore and reads the answer, which is empty while all is well.
func send(ctx context.Context, nc *nats.Conn, subject string, data []byte, into interface{ err() error }) error {
	ctx, cancel := context.WithTimeout(ctx, restoreWait)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, subject, data)
	for again := (backoff{}); errors.Is(err, nats.ErrNoResponders); m, err = nc.RequestWithContext(ctx, subject, data) {
		// Another node of the cluster is to take it, and this one has not heard yet where: nobody has it.
		if err := again.sleep(ctx); err != nil {
			return errors.Join(nats.ErrNoResponders, err)
		}
	}
	if err != nil || len(m.Data) == 0 {
		return err
	}
	if err := json.Unmarshal(m.Data, into); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	return into.err()
}
