package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/saysohq/sayso/hub"
)

// KeyFile is a file of keys for a hub that does not run yet: it takes them over with
// [KeyFile.Import] when it starts. Earlier versions had all keys in such a file.
// Several processes may use one.
type KeyFile struct {
	Path string
	Now  func() time.Time // default: time.Now
}

// keyFile is what the file holds.
type keyFile struct {
	Version int       `json:"version"`
	Keys    []keyLine `json:"keys"`
}

// keyLine is one key, in the file and in a record of the store.
type keyLine struct {
	ID      string    `json:"id"`
	Role    string    `json:"role"`
	Tenant  string    `json:"tenant"`
	Subject string    `json:"subject"`
	SHA256  string    `json:"sha256"` // of the whole key, in hex
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Revoked time.Time `json:"revoked,omitzero"`
	Used    time.Time `json:"used,omitzero"`
	Order   int64     `json:"order,omitempty"` // a key with a higher one was made later
}

func newLine(key Key, sum [sha256.Size]byte) keyLine {
	return keyLine{
		ID: key.ID, Role: key.Role.String(), Tenant: key.Tenant, Subject: key.Subject,
		SHA256: hex.EncodeToString(sum[:]), Created: key.Created, Expires: key.Expires,
	}
}

// parse checks a key that was read.
func (l *keyLine) parse() (*record, error) {
	role, err := ParseRole(l.Role)
	if err != nil {
		return nil, err
	}
	rec := &record{line: *l, key: Key{
		ID: l.ID, Role: role, Tenant: l.Tenant, Subject: l.Subject,
		Created: l.Created, Expires: l.Expires, Revoked: l.Revoked, Used: l.Used,
	}}
	n, err := hex.Decode(rec.sum[:], []byte(l.SHA256[:min(len(l.SHA256), 64)]))
	if err != nil || n != len(rec.sum) || l.ID == "" || l.Tenant == "" || l.Subject == "" {
		return nil, errors.New("is incomplete")
	}
	return rec, nil
}

// Create makes a key, like [Keys.Create].
func (f *KeyFile) Create(_ context.Context, spec KeySpec) (secret string, key Key, err error) {
	secret, key, err = newKey(spec, f.now())
	if err != nil {
		return "", Key{}, err
	}
	err = f.change(func(file *keyFile) error {
		file.Keys = append(file.Keys, newLine(key, sha256.Sum256([]byte(secret))))
		return nil
	})
	if err != nil {
		return "", Key{}, err
	}
	return secret, key, nil
}

// List returns all keys in the file, in the order they were made.
func (f *KeyFile) List(context.Context) ([]Key, error) {
	file, err := readKeys(f.Path)
	if err != nil {
		return nil, err
	}
	list := make([]Key, len(file.Keys))
	for i := range file.Keys {
		rec, err := file.Keys[i].parse()
		if err != nil {
			return nil, fmt.Errorf("auth: %s: key %d: %w", f.Path, i, err)
		}
		list[i] = rec.key
	}
	return list, nil
}

// Revoke ends a key, like [Keys.Revoke].
func (f *KeyFile) Revoke(_ context.Context, id string) (key Key, err error) {
	err = f.change(func(file *keyFile) error {
		for i := range file.Keys {
			l := &file.Keys[i]
			if l.ID != id {
				continue
			}
			if l.Revoked.IsZero() {
				l.Revoked = f.now().UTC().Truncate(time.Second)
			}
			rec, err := l.parse()
			if err == nil {
				key = rec.key
			}
			return err
		}
		return ErrNoKey
	})
	return key, err
}

// Imported is what is added to the name of a file whose keys are in a store.
const Imported = ".imported"

// importAtOnce is how many keys are written at a time.
const importAtOnce = 32

// Import puts the keys into the store and renames the file, so that it is done once.
// A key that the store has stays as it is there: it may have been revoked since. No
// file is no error.
func (f *KeyFile) Import(ctx context.Context, store hub.Store) (n int, err error) {
	if _, err := os.Lstat(f.Path); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	unlock, err := lock(f.Path + ".lock")
	if err != nil {
		return 0, fmt.Errorf("auth: locking the keys: %w", err)
	}
	defer unlock()
	all, err := f.List(ctx) // checks every one before the first is written
	if err != nil {
		return 0, err
	}
	file, err := readKeys(f.Path)
	if err != nil {
		return 0, err
	}
	order := f.now().UnixNano() - int64(len(all))
	errs := make(chan error, importAtOnce)
	next := make(chan int)
	for range importAtOnce {
		go func() {
			var first error
			for i := range next {
				line := file.Keys[i]
				line.Order = order + int64(i)
				_, err := store.Put(ctx, line.stored(), 0)
				if err != nil && !errors.Is(err, hub.ErrConflict) && first == nil {
					first = err
				}
			}
			errs <- first
		}()
	}
	for i := range file.Keys {
		next <- i
	}
	close(next)
	for range importAtOnce {
		err = errors.Join(err, <-errs)
	}
	if err != nil {
		return 0, fmt.Errorf("auth: taking over the keys of %s: %w", f.Path, err)
	}
	if err := os.Rename(f.Path, f.Path+Imported); err != nil {
		return 0, fmt.Errorf("auth: taking over the keys: %w", err)
	}
	return len(all), syncFolder(filepath.Dir(f.Path))
}

func (f *KeyFile) now() time.Time {
	if f.Now == nil {
		return time.Now()
	}
	return f.Now()
}

// change reads the file, changes it and puts it in place, while no other process
// does.
func (f *KeyFile) change(edit func(*keyFile) error) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("auth: making the folder of the keys: %w", err)
	}
	unlock, err := lock(f.Path + ".lock")
	if err != nil {
		return fmt.Errorf("auth: locking the keys: %w", err)
	}
	defer unlock()
	file, err := readKeys(f.Path)
	if err != nil {
		return err
	}
	if err := edit(file); err != nil {
		return err
	}
	return writeKeys(f.Path, file)
}

// readKeys reads the file; one that is not there holds no keys.
func readKeys(path string) (*keyFile, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &keyFile{Version: 1}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("auth: opening the keys: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("auth: looking at the keys: %w", err)
	}
	if err := private(info); err != nil {
		return nil, fmt.Errorf("auth: %s: %w", path, err)
	}
	var f keyFile
	data, err := io.ReadAll(file)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err == nil && f.Version != 1 {
		err = fmt.Errorf("this keys file needs a newer sayso (file version %d, this program reads 1)", f.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("auth: reading %s: %w", path, err)
	}
	return &f, nil
}

// writeKeys puts a new file in the place of the old one, whole or not at all.
func writeKeys(path string, f *keyFile) (err error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("auth: encoding the keys: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".keys-*") // 0600
	if err != nil {
		return fmt.Errorf("auth: writing the keys: %w", err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
			err = fmt.Errorf("auth: writing the keys: %w", err)
		}
	}()
	if _, err = tmp.Write(append(data, '\n')); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}
