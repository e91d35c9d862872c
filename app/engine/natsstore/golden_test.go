package natsstore_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

var update = flag.Bool("update", false, "write the golden data folder of this version, if there is none")

const century = 100 * 365 * 24 * time.Hour

// goldenOptions keep everything for so long that the folder does not age.
func goldenOptions() *natsstore.Options {
	return &natsstore.Options{Shards: 2, DraftAge: century, AuditAge: century}
}

// Every later version opens the folders that earlier ones left.
func TestGoldenFolders(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("testdata/v2.tar.gz"); os.IsNotExist(err) && *update {
		writeGolden(t, "v2")
	}
	folders, err := filepath.Glob("testdata/v*.tar.gz")
	must(t, err)
	if len(folders) < natsstore.LayoutVersion {
		t.Errorf("there are %d golden folders, and layout %d; run with -update", len(folders), natsstore.LayoutVersion)
	}
	for _, name := range folders {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			openGolden(t, name[:len(name)-len(".tar.gz")])
		})
	}
}

func openGolden(t *testing.T, name string) {
	dir := t.TempDir()
	testenv.Untar(t, name+".tar.gz", dir)
	_, nc := serveDir(t, dir)
	s := open(t, nc, goldenOptions())
	var want map[string]hub.Record
	b, err := os.ReadFile(name + ".json")
	must(t, err)
	must(t, json.Unmarshal(b, &want))
	got := everything(t, s)
	for _, w := range want { // what was moved has other revisions, and a little less time left
		key := fmt.Sprintf("%s %q", w.Kind, w.Address)
		g, ok := got[key]
		if !ok || !bytes.Equal(g.Data, w.Data) || g.Closed != w.Closed || !g.Due.Equal(w.Due) || (g.TTL == 0) != (w.TTL == 0) || w.TTL-g.TTL > century/2 {
			t.Errorf("%s is %+v, want %+v", key, g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}

	// The rules can read and change what they find.
	h := room(t, s)
	open, err := h.List(t.Context(), "acme", nil)
	must(t, err)
	if len(open.Tickets) != 2 || len(open.Damaged) > 0 {
		t.Fatalf("%d open tickets, want 2; damaged: %v", len(open.Tickets), open.Damaged)
	}
	for _, tk := range open.Tickets {
		_, err := h.Close(t.Context(), tk, reply("carol"), nil)
		must(t, err)
	}
	exported(t, s, t.TempDir(), 4)
}

// writeGolden leaves two answered and two open tickets, one with a deadline, and a draft.
func writeGolden(t *testing.T, version string) {
	dir := t.TempDir()
	srv, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir})
	must(t, err)
	nc, err := srv.Conn(t.Context(), "")
	must(t, err)
	o := goldenOptions()
	o.Mark = srv
	s, err := natsstore.Open(t.Context(), nc, o)
	must(t, err)
	h, err := hub.Open(t.Context(), s, &hub.Options{Keep: century})
	must(t, err)
	for i, id := range []string{"ask_answered", "ask/ännother", "ask_open", "ask_due"} {
		a := question(id, []string{"ann", "", "carol", ""}[i], "conv 1") // in both shards
		if id == "ask_due" {
			a.Deadline = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		tk, err := h.Submit(t.Context(), "acme", a)
		must(t, err)
		if i < 2 {
			_, err = h.Close(t.Context(), tk, reply("ann"), nil)
			must(t, err)
		} else if i == 2 {
			must(t, h.SaveDraft(t.Context(), tk.Address, "carol", &hub.Draft{Answers: []sayso.Answer{{QuestionID: "q1", Other: "well"}}}))
		}
	}
	exported(t, s, t.TempDir(), 2)
	b, err := json.MarshalIndent(everything(t, s), "", "\t")
	must(t, err)
	h.Stop()
	must(t, s.Close())
	must(t, srv.Close(context.Background()))
	must(t, os.MkdirAll("testdata", 0o755))
	must(t, os.WriteFile("testdata/"+version+".json", append(b, '\n'), 0o644))
	must(t, os.WriteFile("testdata/"+version+".tar.gz", pack(t, dir), 0o644))
}

func pack(t *testing.T, dir string) []byte {
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	must(t, err)
	w := tar.NewWriter(z)
	must(t, w.AddFS(os.DirFS(dir)))
	must(t, w.Close())
	must(t, z.Close())
	return buf.Bytes()
}
