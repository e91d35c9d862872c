package auth

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// record is a key as it is checked.
type record struct {
	key  Key
	sum  [32]byte
	life context.Context // ends when the key is revoked, expires or disappears
	end  context.CancelFunc
}

// keyFile is what the file holds.
type keyFile struct {
	Version int       `json:"version"`
	Keys    []keyLine `json:"keys"`
}

type keyLine struct {
	ID      string    `json:"id"`
	Role    string    `json:"role"`
	Tenant  string    `json:"tenant"`
	Subject string    `json:"subject"`
	SHA256  string    `json:"sha256"` // of the whole key, in hex
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Revoked time.Time `json:"revoked,omitzero"`
}

// fileID tells one content of the file from another. Every change is a new file
// in the old one's place.
type fileID struct {
	info fs.FileInfo
}

func (a fileID) same(info fs.FileInfo) bool {
	if a.info == nil || info == nil {
		return a.info == nil && info == nil
	}
	return os.SameFile(a.info, info) && a.info.ModTime().Equal(info.ModTime()) && a.info.Size() == info.Size()
}

// change reads the file, changes it and puts it in place, while no other process
// does.
func (k *Keys) change(edit func(*keyFile) error) error {
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return fmt.Errorf("auth: making the folder of the keys: %w", err)
	}
	unlock, err := lock(k.path + ".lock")
	if err != nil {
		return fmt.Errorf("auth: locking the keys: %w", err)
	}
	defer unlock()
	f, _, err := readKeys(k.path)
	if err != nil {
		return err
	}
	if err := edit(f); err != nil {
		return err
	}
	if err := writeKeys(k.path, f); err != nil {
		return err
	}
	return k.load()
}

// load takes over what the file holds, and ends what no longer does.
func (k *Keys) load() error {
	f, info, err := readKeys(k.path)
	if err != nil {
		return err
	}
	records := make([]*record, len(f.Keys))
	for i := range f.Keys {
		if records[i], err = f.Keys[i].record(); err != nil {
			return fmt.Errorf("auth: %s: key %d: %w", k.path, i, err)
		}
	}
	now := k.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, order := make(map[string]*record, len(records)), make([]string, 0, len(records))
	for _, rec := range records {
		if was := k.keys[rec.key.ID]; was != nil && was.sum == rec.sum {
			rec.life, rec.end = was.life, was.end
		} else {
			rec.life, rec.end = context.WithCancel(context.Background())
		}
		if !rec.key.Revoked.IsZero() || !now.Before(rec.key.Expires) {
			rec.end()
		}
		keys[rec.key.ID] = rec
		order = append(order, rec.key.ID)
	}
	for id, was := range k.keys {
		if is := keys[id]; is == nil || is.sum != was.sum {
			was.end()
		}
	}
	k.keys, k.order, k.seen = keys, order, fileID{info}
	return nil
}

// follow looks for changes of the file and for keys that expire. A file that
// cannot be read for a moment changes nothing: the keys hold as they are.
func (k *Keys) follow(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-ticker.C:
		}
		k.mu.RLock()
		now := k.now()
		for _, rec := range k.keys {
			if !now.Before(rec.key.Expires) {
				rec.end()
			}
		}
		k.mu.RUnlock()
		k.refresh()
	}
}

// refresh reads the file again if another process has changed it.
func (k *Keys) refresh() {
	info, err := os.Stat(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = nil, nil
	}
	k.mu.RLock()
	same := err != nil || k.seen.same(info)
	k.mu.RUnlock()
	if !same {
		k.load()
	}
}

func (l *keyLine) record() (*record, error) {
	role, err := ParseRole(l.Role)
	if err != nil {
		return nil, err
	}
	rec := &record{key: Key{
		ID: l.ID, Role: role, Tenant: l.Tenant, Subject: l.Subject,
		Created: l.Created, Expires: l.Expires, Revoked: l.Revoked,
	}}
	n, err := hex.Decode(rec.sum[:], []byte(l.SHA256[:min(len(l.SHA256), 64)]))
	if err != nil || n != len(rec.sum) || l.ID == "" || l.Tenant == "" || l.Subject == "" {
		return nil, errors.New("is incomplete")
	}
	return rec, nil
}

// readKeys reads the file; one that is not there holds no keys.
func readKeys(path string) (*keyFile, fs.FileInfo, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &keyFile{Version: 1}, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("auth: opening the keys: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("auth: looking at the keys: %w", err)
	}
	if err := private(info); err != nil {
		return nil, nil, fmt.Errorf("auth: %s: %w", path, err)
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
		return nil, nil, fmt.Errorf("auth: reading %s: %w", path, err)
	}
	return &f, info, nil
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
