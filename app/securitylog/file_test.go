package securitylog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "security.log")
	if err := os.WriteFile(path, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Note(Event{Name: KeyCreated, Key: "k1"})
	if err := l.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	lines, _ := os.ReadFile(path)
	if n := bytes.Count(lines, []byte("\n")); n != 2 || !bytes.Contains(lines, []byte(`"key":"k1"`)) {
		t.Errorf("the file has\n%s", lines)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if _, err := Open(t.TempDir(), nil); err == nil {
		t.Error("a folder is a log")
	}
}

// TestRotate: two processes fill a file, and no line is lost or mixed with another.
func TestRotate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "security.log")
	const each, most = 400, 60_000 // 100 bytes a line: the file is full once
	var work sync.WaitGroup
	for w := range 2 {
		work.Go(func() {
			f := &file{path: path, most: most}
			defer f.close()
			for i := range each {
				e := Event{Name: KeyCreated, Key: fmt.Sprintf("k%d-%d", w, i)}
				e.Tenant = "a-tenant-with-a-name"
				if err := f.write(e.line(day)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	seen := map[string]bool{}
	for _, name := range []string{path, path + ".1"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > most+300 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		for one := range bytes.Lines(data) {
			var l line
			if err := json.Unmarshal(one, &l); err != nil {
				t.Fatalf("%v: %s", err, one)
			}
			seen[l.Key] = true
		}
	}
	if len(seen) != 2*each {
		t.Errorf("%d of %d lines are there", len(seen), 2*each)
	}
}

// TestRemoved: another program may take the file away.
func TestRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "security.log")
	f := &file{path: path, most: 1000}
	defer f.close()
	for _, key := range []string{"k1", "k2"} {
		e := Event{Name: KeyCreated, Key: key}
		if err := f.write(e.line(day)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || !bytes.Contains(data, []byte(key)) || bytes.Count(data, []byte("\n")) != 1 {
			t.Fatalf("%v: %s", err, data)
		}
		os.Remove(path)
	}
}
