package natsstore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// restoreChunk is how much is sent at once; the server takes less than its largest message.
const restoreChunk = 128 << 10

// restoreWait is how long the server may take for a chunk, or for the last step.
const restoreWait = 30 * time.Second

// Restore makes the streams of a backup where the connection leads, with the same records at the same revisions. Everything
// in dir is checked first, and none of the streams may be there. Open then opens the store; with other replicas, if it is to
// be another kind of place.
func Restore(ctx context.Context, nc *nats.Conn, dir string) error {
	if err := restore(ctx, nc, dir); err != nil {
		return fmt.Errorf("natsstore: restore: %w", err)
	}
	return nil
}

func restore(ctx context.Context, nc *nats.Conn, dir string) error {
	b, err := readBackup(dir)
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	n := names{b.Prefix}
	taken := []string{n.stream(areaAsk, shardToken(0)), n.earlier(areaAsk, shardToken(0))} // a store of any layout
	for _, st := range b.Streams {
		taken = append(taken, st.Name)
	}
	for _, name := range taken {
		if _, err := js.Stream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
			return errors.Join(fmt.Errorf("stream %s is there already", name), err)
		}
	}
	for _, st := range b.Streams {
		if err := upload(ctx, nc, dir, &st); err != nil {
			return fmt.Errorf("stream %s: %w", st.Name, err)
		}
	}
	return nil
}

// readBackup reads the manifest and checks every file.
func readBackup(dir string) (*backup, error) {
	text, err := os.ReadFile(filepath.Join(dir, backupManifest))
	if err != nil {
		return nil, fmt.Errorf("%s is not a whole backup: %w", dir, err)
	}
	var b backup
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("%s: %w", backupManifest, err)
	}
	if b.Version != backupVersion || b.Layout > LayoutVersion {
		return nil, fmt.Errorf("the backup has version %d and layout %d; this program reads version %d and layouts up to %d", b.Version, b.Layout, backupVersion, LayoutVersion)
	}
	if sum, err := b.sum(); err != nil || sum != b.Sum {
		return nil, errors.Join(fmt.Errorf("%s is not what was written", backupManifest), err)
	}
	for _, st := range b.Streams {
		f, err := os.Open(filepath.Join(dir, st.file()))
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		n, err := io.Copy(sum, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if n != st.Bytes || hexSum(sum) != st.SHA256 {
			return nil, fmt.Errorf("%s is not what was backed up", st.file())
		}
	}
	return &b, nil
}

// upload makes one stream.
func upload(ctx context.Context, nc *nats.Conn, dir string, st *backupStream) error {
	f, err := os.Open(filepath.Join(dir, st.file()))
	if err != nil {
		return err
	}
	defer f.Close()
	config, err := restored(st)
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
	chunk := make([]byte, restoreChunk)
	for {
		n, err := io.ReadFull(f, chunk)
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
	var made answer // nothing more is the end of it
	return send(ctx, nc, where.Deliver, nil, &made)
}

// send sends one message of a restore and reads the answer, which is empty while all is well.
func send(ctx context.Context, nc *nats.Conn, subject string, data []byte, into interface{ err() error }) error {
	ctx, cancel := context.WithTimeout(ctx, restoreWait)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, subject, data)
	if err != nil || len(m.Data) == 0 {
		return err
	}
	if err := json.Unmarshal(m.Data, into); err != nil {
		return fmt.Errorf("the server's answer: %w", err)
	}
	return into.err()
}
