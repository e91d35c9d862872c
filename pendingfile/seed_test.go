package pendingfile

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var seedTime = time.Date(2026, 2, 4, 22, 16, 32, 0, time.UTC)

// seedAsk is the example of seed 1.
func seedAsk() *sayso.Ask {
	a := &sayso.Ask{
		Questions: []sayso.Question{
			{Text: "Which database should we use?", Header: "Database Selection", Options: []sayso.Option{
				{Label: "PostgreSQL (Recommended)", Description: "Battle-tested relational DB"},
				{Label: "SQLite", Description: "Lightweight, file-based"},
				{Label: "MongoDB", Description: "Document store"},
			}},
			{Text: "What should we name this service?", Header: "Service Setup"},
		},
		Origin:   sayso.Origin{Conversation: "abc123", ToolCall: "call_1"},
		Dialect:  "pi",
		Metadata: map[string]any{"source": "project-setup"},
	}
	a.Normalize()
	a.ID = a.DeriveID()
	return a
}

// asks returns n asks that differ.
func asks(n int) []*sayso.Ask {
	all := make([]*sayso.Ask, n)
	for i := range all {
		a := seedAsk()
		a.Origin.ToolCall = string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		a.ID = a.DeriveID()
		all[i] = a
	}
	return all
}

// place is a workspace in a temporary folder.
type place struct {
	*Dir
	path string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return placeAt(t, t.TempDir())
}

func placeAt(t testing.TB, path string) *place {
	t.Helper()
	root, err := os.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &place{New(root, &Options{Now: func() time.Time { return seedTime }}), path}
}

func (p *place) file(name string) string { return filepath.Join(p.path, DefaultFolder, name) }

// edit replaces a text in a file, as a person with an editor would.
func (p *place) edit(t testing.TB, name string, oldnew ...string) {
	t.Helper()
	data, err := os.ReadFile(p.file(name))
	if err != nil {
		t.Fatal(err)
	}
	for ; len(oldnew) > 0; oldnew = oldnew[2:] {
		if !bytes.Contains(data, []byte(oldnew[0])) {
			t.Fatalf("%s has no %q", name, oldnew[0])
		}
		data = bytes.Replace(data, []byte(oldnew[0]), []byte(oldnew[1]), 1)
	}
	if err := os.WriteFile(p.file(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(p.file(name), seedTime, seedTime); err != nil {
		t.Fatal(err)
	}
}

func (p *place) write(t testing.TB, a *sayso.Ask) *Pending {
	t.Helper()
	pending, err := p.Write(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return pending
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

func TestSeedFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pending := p.write(t, seedAsk())
	if pending.File != ".sayso/pending-questions.json" {
		t.Errorf("the file is %s", pending.File)
	}
	data, err := os.ReadFile(p.file(DefaultFile))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "written.golden.json", data)
	golden(t, "instructions.golden.txt", []byte(pending.Instructions()+"\n"))
	open, err := pending.FromFile()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "wait.golden.txt", []byte(open.Reason+"\n")) // what a model reads

	// Without what we add, it is the file of the seed.
	got, err := strictjson.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := os.ReadFile("testdata/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := strictjson.Parse(seed)
	if err != nil {
		t.Fatal(err)
	}
	file := got.Any().(map[string]any)
	for _, name := range []string{"about", "sayso", "digest", "ask"} {
		delete(file, name)
	}
	for _, q := range file["questions"].([]any) {
		for _, name := range []string{"id", "header", "details"} {
			delete(q.(map[string]any), name)
		}
	}
	if !reflect.DeepEqual(file, want.Any()) {
		t.Errorf("the fields of the seed are\n%v\nwant\n%v", file, want.Any())
	}
}

func TestSeedFilesRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, seedAsk()) // makes the folder
	put := func(from string) *Pending {
		data, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.file(DefaultFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		pending, err := p.Read("")
		if err != nil {
			t.Fatal(err)
		}
		return pending
	}
	plain := put("seed.json")
	if o, err := plain.FromFile(); err != nil || o.Status != sayso.StatusPending {
		t.Errorf("the seed's file gives %+v, %v", o, err)
	}
	o, err := plain.FromList([]byte(`["PostgreSQL (Recommended)", "order-processor"]`))
	if err != nil || o.Answers[0].Selected[0] != "o1" || o.Answers[1].Other != "order-processor" {
		t.Errorf("the seed's flag gives %+v, %v", o, err)
	}
	if _, err := p.Close(t.Context(), plain, o); err != nil {
		t.Errorf("closing a plain file: %v", err)
	}
	edited := put("seed-edited.json")
	o, err = edited.FromFile()
	if err != nil || o.Status != sayso.StatusAnswered || o.Answers[0].Other != "PostgreSQL (Recommended)" {
		t.Errorf("the seed's edited file gives %+v, %v", o, err)
	}
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if _, err := p.Read(""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read says %v", err)
	}
	if all, err := p.List(); len(all) != 0 || err != nil {
		t.Errorf("List says %v, %v", all, err)
	}
	if err := errors.Join(p.Clear(t.Context(), ""), p.ClearAll(t.Context())); err != nil {
		t.Errorf("Clear says %v", err)
	}
	if _, err := os.Lstat(filepath.Join(p.path, DefaultFolder)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking has made the folder: %v", err)
	}
	for _, name := range []string{"../x", "x", ".pending-questions.tmp1", "pending-questions-../x.json", "sub/pending-questions.json"} {
		if _, err := p.Read(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read(%q) says %v", name, err)
		}
	}
}
