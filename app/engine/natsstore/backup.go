package natsstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
)

// backup is the manifest of a backup. It is written last: a folder without it is not a backup.
type backup struct {
	Version int            `json:"version"`
	Layout  int            `json:"layout"`
	Prefix  string         `json:"prefix,omitempty"`
	Taken   time.Time      `json:"taken"`
	Streams []backupStream `json:"streams"` // in the order in which they are restored
	Sum     string         `json:"sum"`     // of the manifest without it
}

// backupStream is one stream of a backup and the file that holds it.
type backupStream struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
	State  json.RawMessage `json:"state"`
	Bytes  int64           `json:"bytes"`
	SHA256 string          `json:"sha256"`
}

const (
	backupVersion  = 1
	backupManifest = "manifest.json"

	backupHold = time.Hour // more than a shard takes
)

func (b *backupStream) file() string { return b.Name + ".snapshot" }

// Backup writes the streams into dir, which must not exist or be empty. The store goes on meanwhile: of each stream the
// backup has what was acknowledged when its turn came. A record that cannot be read ends the backup with an error.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.backup(ctx, dir); err != nil {
		return fmt.Errorf("natsstore: backup: %w", err)
	}
	return nil
}

func (s *Store) backup(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty", dir))
	}
	b := backup{Version: backupVersion, Layout: LayoutVersion, Prefix: s.opts.Prefix, Taken: time.Now().UTC()}
	for _, sh := range s.shards {
		// A copy is taken before its source, so that it has nothing that the source has not, and the bookmark before the
		// copy. The stream of small records is left out: a session that was ended since must not come back with a
		// restore, so people sign in again.
		order := []string{sh.due, sh.draft, sh.ask}
		if !s.opts.NoAudit {
			// What is copied after the archive had its turn must not be removed before the tickets have theirs.
			if err := s.hold(ctx, sh, backupHold); err != nil {
				return err
			}
			order = []string{sh.due, sh.archive, sh.draft, sh.ask}
		}
		var part []backupStream
		for _, name := range order {
			st, err := s.snapshot(ctx, name, dir)
			if err != nil {
				return fmt.Errorf("stream %s: %w", name, err)
			}
			part = append([]backupStream{st}, part...)
		}
		b.Streams = append(b.Streams, part...)
		if !s.opts.NoAudit {
			if err := s.hold(ctx, sh, 0); err != nil {
				return err
			}
		}
	}
	for _, name := range s.earlierStreams() {
		st, err := s.snapshot(ctx, name, dir)
		if err != nil && !missing(err) { // it may have aged out
			return fmt.Errorf("stream %s: %w", name, err)
		}
		if err == nil {
			b.Streams = append(b.Streams, st)
		}
	}
	return b.write(dir)
}

// write writes the manifest.
func (b *backup) write(dir string) (err error) {
	if b.Sum, err = b.sum(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return err
	}
	return errors.Join(writeFile(filepath.Join(dir, backupManifest), text), syncDir(dir))
}

// sum covers what no other sum does: the names and configurations of the streams.
func (b backup) sum() (string, error) {
	b.Sum = ""
	text, err := json.Marshal(b)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// snapshot writes one stream into its file.
func (s *Store) snapshot(ctx context.Context, name, dir string) (st backupStream, err error) {
	st = backupStream{Name: name}
	f, err := os.OpenFile(filepath.Join(dir, st.file()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
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
	sum := sha256.New()
	if st.Bytes, err = s.receive(ctx, sub, io.MultiWriter(f, sum)); err != nil {
		return st, err
	}
	st.SHA256 = hexSum(sum)
	return st, f.Sync()
}

// receive writes the chunks of a snapshot until the server says that there are no more.
func (s *Store) receive(ctx context.Context, sub *nats.Subscription, w io.Writer) (size int64, err error) {
	for {
		next, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		m, err := sub.NextMsgWithContext(next)
		cancel()
		if err != nil {
			return size, err
		}
		if len(m.Data) == 0 {
			if code := first(m.Header, headStatus); code != "" && code != "204" {
				return size, fmt.Errorf("the server ended the snapshot: %s %s", code, first(m.Header, headDescription))
			}
			return size, nil
		}
		n, err := w.Write(m.Data)
		size += int64(n)
		if err != nil {
			return size, err
		}
		if m.Reply != "" {
			if err := s.nc.Publish(m.Reply, nil); err != nil {
				return size, err
			}
		}
	}
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

func writeFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close())
}
