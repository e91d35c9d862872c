package localhub

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/client"
)

var update = flag.Bool("update", false, "write the data folder of this format, if there is none")

// handedOut is what people and agents hold of a hub: it is good as long as it was meant to be.
type handedOut struct {
	Asker, Answerer string // keys
	Handle          string // of an open question
}

// TestUpgrade opens the data folders that earlier versions left, with the keys and
// handles that they gave out.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("testdata/v0.2.tar.gz"); errors.Is(err, fs.ErrNotExist) && *update {
		leaveFolder(t, "testdata/v0.2")
	}
	folders, err := filepath.Glob("testdata/v*.tar.gz")
	if err != nil || len(folders) < Format {
		t.Fatalf("there are %d data folders, and format %d (%v); run with -update", len(folders), Format, err)
	}
	for _, name := range folders {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			var held handedOut
			b, err := os.ReadFile(strings.TrimSuffix(name, ".tar.gz") + ".json")
			must(t, err)
			must(t, json.Unmarshal(b, &held))
			p := newPlace(t, settings{Listen: "127.0.0.1:0"})
			testenv.Untar(t, name, p.Places.State)
			conn, err := p.Dial(t.Context()) // starts the hub
			must(t, err)
			conn.Close()

			asker, person := p.with(held.Asker), p.with(held.Answerer)
			tk, err := asker.Get(t.Context(), held.Handle)
			if err != nil || tk.Ask.Questions[0].Text != "Which database?" || tk.Status() != sayso.StatusPending {
				t.Fatalf("the handle finds %+v, %v", tk, err)
			}
			page, err := person.List(t.Context(), nil)
			if err != nil || len(page.Tickets) != 1 {
				t.Fatalf("the answerer sees %+v, %v", page, err)
			}
			_, err = person.Answer(t.Context(), page.Tickets[0], answer("SQLite"))
			must(t, err)
			tk, err = asker.Wait(t.Context(), held.Handle)
			if err != nil || tk.Outcome.Answers[0].Other != "SQLite" {
				t.Errorf("the asker gets %+v, %v", tk, err)
			}
			if b, err := os.ReadFile(p.Places.format()); err != nil || string(b) != fmt.Sprintln(Format) {
				t.Errorf("the folder has format %q, %v", b, err)
			}
		})
	}
}

// A folder that a newer program wrote is left alone.
func TestNewerFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{})
	for _, tt := range []struct{ format, says, hint string }{
		{"3\n", "was written by a newer sayso (format 3, this program reads 2)", "Install the newer version again"},
		{"one", `holds "one" and not a format`, "rm "},
	} {
		must(t, os.MkdirAll(p.Places.State, 0o700))
		must(t, os.WriteFile(p.Places.format(), []byte(tt.format), 0o600))
		_, started := p.Dial(t.Context())
		_, opened := OpenEngine(t.Context(), p.Places, nil, nil)
		for _, err := range []error{started, opened} {
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(console.Hint(err), tt.hint) || console.Code(err) != console.ExitUnreachable {
				t.Errorf("format %q: %v (%s, exit code %d)", tt.format, err, console.Hint(err), console.Code(err))
			}
		}
	}
	files, err := os.ReadDir(p.Places.State)
	if err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v, %v; want only its format", files, err)
	}
}

// with returns a client over TCP that has only a key.
func (p *place) with(key string) *client.Client {
	p.t.Helper()
	c, err := client.New(p.url(), &client.Options{Key: key})
	must(p.t, err)
	p.t.Cleanup(c.Close)
	return c
}

// leaveFolder writes the data folder that a hub of this version leaves, with an open
// question, and what it gave out. The keys are for this test alone, and hold till 2100.
func leaveFolder(t *testing.T, name string) {
	p := newPlace(t, settings{Listen: "127.0.0.1:0"})
	must(t, os.MkdirAll(p.Places.State, 0o700))
	keys := &auth.KeyFile{Path: p.Places.Keys()}
	var held handedOut
	var err error
	held.Asker, _, err = keys.Create(t.Context(), auth.KeySpec{Role: auth.Asker, Tenant: Tenant, Subject: "agent"})
	must(t, err)
	held.Answerer, _, err = keys.Create(t.Context(), auth.KeySpec{Role: auth.Answerer, Tenant: Tenant, Subject: "ada"})
	must(t, err)
	stretchKeys(t, p.Places.Keys())
	conn, err := p.Dial(t.Context())
	must(t, err)
	conn.Close()
	tk, err := p.with(held.Asker).Submit(t.Context(), ask("golden", "Which database?"))
	must(t, err)
	held.Handle = tk.Handle
	p.kill()
	b, err := json.MarshalIndent(held, "", "\t")
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name+".json", append(b, '\n'), 0o644))
	for _, other := range []string{p.Places.Log(), p.Places.SecurityLog()} {
		must(t, os.Remove(other))
	}
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	must(t, err)
	w := tar.NewWriter(z)
	must(t, w.AddFS(os.DirFS(p.Places.State)))
	must(t, w.Close())
	must(t, z.Close())
	must(t, os.WriteFile(name+".tar.gz", buf.Bytes(), 0o644))
}

func stretchKeys(t *testing.T, name string) {
	var file map[string]any
	b, err := os.ReadFile(name)
	must(t, err)
	must(t, json.Unmarshal(b, &file))
	for _, key := range file["keys"].([]any) {
		key.(map[string]any)["expires"] = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	b, err = json.MarshalIndent(file, "", "  ")
	must(t, err)
	must(t, os.WriteFile(name, b, 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
