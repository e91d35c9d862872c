package auth

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// TestKeyFile: the keys that are made while no hub runs hold once one does, with
// what became of them. The file is taken over once.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "keys.json")
	file, store := &KeyFile{Path: path}, hub.NewMemory(nil)
	if n, err := file.Import(t.Context(), store); n != 0 || err != nil {
		t.Fatalf("no file: %d keys, %v", n, err)
	}
	var secrets []string
	for range 100 {
		secret, _, err := file.Create(t.Context(), KeySpec{Role: Answerer, Tenant: "acme", Subject: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, secret)
	}
	was := listed(t, file)
	if _, err := file.Revoke(t.Context(), was[1].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Revoke(t.Context(), "nobody"); !errors.Is(err, ErrNoKey) {
		t.Error(err)
	}
	if runtime.GOOS != "windows" {
		filepath.WalkDir(filepath.Dir(path), func(name string, d fs.DirEntry, _ error) error {
			info, err := d.Info()
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %v", name, info.Mode())
			}
			return nil
		})
	}
	was = listed(t, file)
	saved, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(saved), secrets[0][len(secrets[0])-52:]) {
		t.Fatalf("the file holds the key: %v", err)
	}
	if n, err := file.Import(t.Context(), store); n != 100 || err != nil {
		t.Fatalf("%d keys, %v", n, err)
	}
	k := openKeys(t, store, nil)
	for i, key := range listed(t, k) {
		if key != was[i] {
			t.Errorf("key %d is %+v, want %+v", i, key, was[i])
		}
	}
	for i, secret := range secrets[:3] {
		if _, err := k.Authenticate(with(secret)); (err != nil) != (i == 1) {
			t.Errorf("key %d: %v", i, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file is still there:", err)
	}
	// A process that ended before it renamed the file does it again, and nothing that
	// was revoked since comes back.
	if _, err := k.Revoke(t.Context(), was[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, saved, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := file.Import(t.Context(), store); n != 100 || err != nil {
		t.Fatalf("again: %d keys, %v", n, err)
	}
	if list := listed(t, openKeys(t, store, nil)); len(list) != 100 || list[0].Revoked.IsZero() {
		t.Errorf("%d keys, the first is %+v", len(list), list[0])
	}
}

// Keys that others could read are not used.
func TestKeyFileIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs file modes, which Windows has not: the access list of the folder holds")
	}
	file := &KeyFile{Path: filepath.Join(t.TempDir(), "keys.json")}
	if _, _, err := file.Create(t.Context(), KeySpec{Role: Asker, Tenant: "acme"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file.Path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Import(t.Context(), hub.NewMemory(nil)); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
	for _, text := range []string{"", "{}", `{"version":2}`, `{"version":1,"keys":[{"id":"x","role":"god"}]}`, `{"version":1,"keys":[{"id":"x","role":"asker","sha256":"00"}]}`} {
		bad := &KeyFile{Path: filepath.Join(t.TempDir(), "keys.json")}
		if err := os.WriteFile(bad.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := bad.Import(t.Context(), hub.NewMemory(nil)); err == nil {
			t.Errorf("%q is read as keys", text)
		}
	}
}

// Several processes may change the file at once; none loses the other's change.
func TestKeyFileTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	var work sync.WaitGroup
	for range 4 {
		file := &KeyFile{Path: path}
		work.Go(func() {
			for range 5 {
				if _, _, err := file.Create(t.Context(), KeySpec{Role: Asker, Tenant: "acme"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if n := len(listed(t, &KeyFile{Path: path})); n != 20 {
		t.Errorf("%d keys, want 20", n)
	}
}

// TestSharedSecret: all processes over a store have the same secret, and one of an
// earlier version is taken over.
func TestSharedSecret(t *testing.T) {
	t.Parallel()
	earlier := filepath.Join(t.TempDir(), "handle.key")
	if err := os.WriteFile(earlier, []byte("of old"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := hub.NewMemory(nil)
	var mu sync.Mutex
	got := map[string]int{}
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			b, err := SharedSecret(t.Context(), store, "new", filepath.Join(t.TempDir(), "none"))
			if err != nil || len(b) < 40 {
				t.Errorf("%q, %v", b, err)
			}
			mu.Lock()
			defer mu.Unlock()
			got[string(b)]++
		})
	}
	work.Wait()
	if len(got) != 1 {
		t.Errorf("%d secrets of one name", len(got))
	}
	for range 2 {
		if b, err := SharedSecret(t.Context(), store, "handle", earlier); err != nil || string(b) != "of old" {
			t.Errorf("%q, %v", b, err)
		}
		if err := os.WriteFile(earlier, []byte("of another machine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A key of an earlier version that holds for longer than a new one can goes on to.
func TestKeyFileOverlong(t *testing.T) {
	t.Parallel()
	file, store := &KeyFile{Path: filepath.Join(t.TempDir(), "keys.json")}, hub.NewMemory(nil)
	old := keyLine{ID: "old", Role: "asker", Tenant: "acme", Subject: "bot", SHA256: strings.Repeat("00", 32),
		Created: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Expires: time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC)}
	if err := file.change(func(f *keyFile) error { f.Keys = append(f.Keys, old); return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Import(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	if list := listed(t, openKeys(t, store, nil)); len(list) != 1 || !list[0].Overlong() {
		t.Errorf("%+v", list)
	}
}
