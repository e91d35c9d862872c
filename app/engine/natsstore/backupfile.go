package natsstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// BackupSink takes the files of a backup, one at a time. What was written is safe once Close returns.
type BackupSink interface {
	Create(name string) (io.WriteCloser, error)
}

// BackupSource gives the files of a backup. Restore opens the manifest first, and then each file once, in the order of the
// manifest, so that a stream can be a source.
type BackupSource interface {
	Open(name string) (io.ReadCloser, error)
}

// BackupFolder is a backup in a folder.
type BackupFolder string

// Create makes a file in the folder, which is made too. One that is there is an error.
func (dir BackupFolder) Create(name string) (io.WriteCloser, error) {
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return nil, err
	}
	if name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("%q is not the name of a file of a backup", name)
	}
	f, err := os.OpenFile(filepath.Join(string(dir), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return syncedFile{f, string(dir)}, nil
}

// Open opens a file of the folder.
func (dir BackupFolder) Open(name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(dir), name))
}

// Empty returns an error if the folder has anything in it.
func (dir BackupFolder) Empty() error {
	all, err := os.ReadDir(string(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(all) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	return err
}

type syncedFile struct {
	*os.File
	dir string
}

// Close makes sure that the file is on the disk.
func (f syncedFile) Close() error { return errors.Join(f.Sync(), f.File.Close(), syncDir(f.dir)) }

// backup is the manifest of a backup. It is written last: a folder without it is not a backup.
type backup struct {
	Version int            `json:"version"`
	Layout  int            `json:"layout"`
	Prefix  string         `json:"prefix,omitempty"`
	Shards  int            `json:"shards"`
	Taken   time.Time      `json:"taken"`
	Files   []backupFile   `json:"files,omitempty"` // of the hub, beside its streams
	Streams []backupStream `json:"streams"`         // in the order in which they are restored
	Sum     string         `json:"sum"`             // of the manifest without it
}

// backupFile is a small file of a backup.
type backupFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// backupStream is one stream of a backup and the file that holds it.
type backupStream struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
	State  json.RawMessage `json:"state"`
	Bytes  int64           `json:"bytes"`
	SHA256 string          `json:"sha256"`
}

func (b *backupStream) file() string { return b.Name + ".snapshot" }

const (
	backupVersion  = 2
	backupManifest = "manifest.json"

	maxManifest  = 64 << 20
	maxSmallFile = 256 << 20
)

// text is the manifest as it is in its file.
func (b *backup) text() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", "\t")
	return append(text, '\n'), err
}

// sum covers what no other sum does: the names and configurations of the streams.
func (b backup) sum() (string, error) {
	b.Sum = ""
	text, err := json.Marshal(b)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// write writes the manifest.
func (b *backup) write(to BackupSink) (err error) {
	if b.Sum, err = b.sum(); err != nil {
		return err
	}
	text, err := b.text()
	if err != nil {
		return err
	}
	return writeTo(to, backupManifest, text)
}

func writeTo(to BackupSink, name string, b []byte) error {
	w, err := to.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return errors.Join(err, w.Close())
}

// readManifest reads the manifest and checks it to the last bit.
func readManifest(from BackupSource) (*backup, error) {
	text, err := readFrom(from, backupManifest, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("this is not a whole backup: %w", err)
	}
	var b backup
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", backupManifest, err)
	}
	if b.Version != backupVersion || b.Layout > LayoutVersion {
		return nil, fmt.Errorf("the backup has version %d and layout %d; this program reads version %d and layouts up to %d", b.Version, b.Layout, backupVersion, LayoutVersion)
	}
	if sum, err := b.sum(); err != nil || sum != b.Sum {
		return nil, errors.Join(fmt.Errorf("%s is damaged: its content is not what was written", backupManifest), err)
	}
	// JSON can be written in many ways. Only the one in which it was written has no flipped bit.
	if again, err := b.text(); err != nil || !bytes.Equal(again, text) {
		return nil, errors.Join(fmt.Errorf("%s is damaged: it is not written as it was", backupManifest), err)
	}
	return &b, nil
}

func readFrom(from BackupSource, name string, most int64) ([]byte, error) {
	r, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return b, errors.Join(err, r.Close())
}

// summed counts and sums what is written to it.
type summed struct {
	n   int64
	sum hash.Hash
}

func summing() *summed { return &summed{sum: sha256.New()} }

func (s *summed) Write(p []byte) (int, error) {
	s.n += int64(len(p))
	return s.sum.Write(p)
}

func (s *summed) hex() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// is returns an error if that is not what the manifest says.
func (s *summed) is(name string, bytes int64, sum string) error {
	if s.n != bytes || s.hex() != sum {
		return fmt.Errorf("%s is damaged: its content is not what was backed up", name)
	}
	return nil
}
