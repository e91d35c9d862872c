package storecheck

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files, and the store of this nats-server if there is none")

// fixture is the store that a version of nats-server wrote, and its golden file what is read of it.
func fixture(version string) string { return filepath.Join("testdata", "nats-server-"+version) }

// TestFixtures reads what earlier versions of nats-server wrote, and this one: a new program opens old stores.
func TestFixtures(t *testing.T) {
	if _, err := os.Stat(fixture(serverVersion)); os.IsNotExist(err) && *update {
		writeStore(t, fixture(serverVersion))
	}
	all, err := filepath.Glob(fixture("*"))
	must(t, err)
	all = slices.DeleteFunc(all, func(path string) bool { return filepath.Ext(path) == ".golden" })
	if !slices.Contains(all, fixture(serverVersion)) {
		t.Errorf("there is no store of nats-server %s: run this test with -update", serverVersion)
	}
	for _, store := range all {
		t.Run(filepath.Base(store), func(t *testing.T) {
			dir := t.TempDir() // the check may change what it reads
			must(t, os.CopyFS(dir, os.DirFS(store)))
			got := readStore(t, dir)
			if *update {
				must(t, os.WriteFile(store+".golden", []byte(got), 0o644))
			}
			compareTo(t, store+".golden", got)
			checkStore(t, dir)
		})
	}
}

// TestFreshServer reads what the nats-server that is linked into this test writes now.
func TestFreshServer(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir)
	compareTo(t, fixture(serverVersion)+".golden", readStore(t, dir))
	checkStore(t, dir)
	b, err := os.ReadFile(filepath.Join(dir, rootDir, "$G", streamsDir, "AUD", consumersDir, "export", positionFile))
	must(t, err)
	if b[0] != positionMagic || b[1] != positionNewest || !possiblePosition(b, 5) || possiblePosition(b, 4) {
		t.Errorf("the position is % x: want %d %d, and that it stands at 5", b, positionMagic, positionNewest)
	}
}

// TestFreshCluster reads what three of them write: the stream, which is the same on each, and the logs of the Raft groups.
func TestFreshCluster(t *testing.T) {
	dirs := [3]string{t.TempDir(), t.TempDir(), t.TempDir()}
	writeThree(t, dirs)
	want := "$G/ASK: retention limits, discard new, max per subject 1, replicas 3, ttl true, sources 0\n  1.blk\n"
	for i := range 6 {
		want += fmt.Sprintf("    %d ask.%d replaces 0\n", i+1, i+1)
	}
	for _, dir := range dirs {
		got := readStore(t, dir)
		if !strings.HasPrefix(got, want) {
			t.Errorf("the store reads\n%s\nit does not begin with\n%s", got, want)
		}
		for _, group := range []string{"\nraft/_meta_: ", "\nraft/S-R3F-"} {
			if strings.Count(got, group) != 1 {
				t.Errorf("the store reads\n%s\nthere is not one log %q", got, group)
			}
		}
		checkStore(t, dir)
	}
}

// readStore writes down all that this package reads of a store, without times, and which files there are.
func readStore(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	root := filepath.Join(dir, rootDir)
	all, err := folders(root)
	must(t, err)
	for _, f := range all {
		c, err := f.describe()
		must(t, err)
		if c.Name != f.name || c.Created.IsZero() {
			t.Errorf("%s: the description says name %q, created %v", f.id, c.Name, c.Created)
		}
		fmt.Fprintf(&out, "%s: retention %s, discard %s, max per subject %d, replicas %d, ttl %v, sources %d\n", f.id, c.Retention, c.Discard, c.PerSubject, c.Replicas, c.TTL, len(c.Sources))
		indexes, err := f.blocks()
		must(t, err)
		for _, i := range indexes {
			fmt.Fprintf(&out, "  %s\n", blockName(i))
			buf, err := readFile(f.blockPath(i), nil)
			must(t, err)
			for len(buf) > 0 {
				r, ok := readRecord(buf, blockHash(f.name, i))
				if !ok {
					t.Fatalf("%s: the last %d bytes of %s cannot be read", f.id, len(buf), blockName(i))
				}
				fmt.Fprintf(&out, "    %s\n", describeRecord(r))
				buf = buf[r.size:]
			}
		}
		consumers, err := os.ReadDir(filepath.Join(f.path, consumersDir))
		if !errors.Is(err, fs.ErrNotExist) {
			must(t, err)
		}
		for _, c := range consumers {
			_, err := readSummed(filepath.Join(f.path, consumersDir, c.Name()), consumerKey(f.name, c.Name()))
			must(t, err)
			fmt.Fprintf(&out, "  consumer %s\n", c.Name())
		}
	}
	out.WriteString("files\n")
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		must(t, err)
		fmt.Fprintf(&out, "  %s%s\n", filepath.ToSlash(rel), magicOf(t, path))
		return nil
	}))
	return out.String()
}

func describeRecord(r record) string {
	s := fmt.Sprintf("%d %s", r.seq, r.subject)
	if v := headerValue(r.header, expectedHeader); v != "" {
		s += " replaces " + v
	}
	if r.tomb {
		s += "tombstone"
	}
	if r.erased {
		s += "erased"
	}
	return s
}

// magicOf returns the first bytes of a file that begins with a magic number, and most often a version.
func magicOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	switch base := filepath.Base(path); {
	case base == filepath.Base(indexFile) || base == positionFile:
		return fmt.Sprintf(" %d", b[:2])
	case derived(path):
		return fmt.Sprintf(" %d", b[:1])
	}
	return ""
}

// checkStore wants a sound store to be served.
func checkStore(t *testing.T, dir string) {
	t.Helper()
	g, err := Open(dir, "")
	must(t, err)
	defer g.Close()
	if r, err := g.Check(t.Context()); err != nil || r.Records == 0 {
		t.Errorf("the check of a sound store: %+v, %v", r, err)
	}
}

func compareTo(t *testing.T, golden, got string) {
	t.Helper()
	want, err := os.ReadFile(golden)
	must(t, err)
	if got != string(want) {
		t.Errorf("the store reads\n%s\n%s has\n%s\n%s", got, golden, want, checklist(t))
	}
}
