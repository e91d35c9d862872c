package localhub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// TestAcceptLosesWhatItSays flips bits in the blocks of a store: one, which leaves no doubt about the record, or some
// behind each other. The hub refuses to start and names the commands. What Accept costs is what Harms has said before: the
// same questions, no more and no fewer.
func TestAcceptLosesWhatItSays(t *testing.T) {
	t.Parallel()
	random := testenv.Rand(t)
	sound := Places{State: filepath.Join(t.TempDir(), "state")}
	all := fillEngine(t, sound, 40)
	before := engineAsks(t, sound, all)
	if len(before) != 40 {
		t.Fatalf("%d asks", len(before))
	}
	lost := 0
	for round := range 24 {
		p := Places{State: filepath.Join(t.TempDir(), "state")}
		if err := os.CopyFS(p.State, os.DirFS(sound.State)); err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 { // as after a crash
			if err := os.Remove(filepath.Join(p.engine(), "guard", "manifest.json")); err != nil {
				t.Fatal(err)
			}
		}
		blocks, err := filepath.Glob(filepath.Join(p.engine(), "jetstream", "HUB", "streams", "[AH][SI][KS]2-*", "msgs", "*.blk"))
		if err != nil || len(blocks) == 0 {
			t.Fatal(blocks, err)
		}
		name := blocks[random.IntN(len(blocks))]
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) < 100 {
			continue
		}
		at := random.IntN(len(b) - 40)
		for i := range 1 + round%3*12 {
			b[at+i] ^= 1 << random.IntN(8)
		}
		what := fmt.Sprintf("round %d, byte %d of %s", round, at, strings.TrimPrefix(name, p.engine()))
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = OpenEngine(t.Context(), p, nil, nil)
		var damaged *natsserver.DamagedError
		if !errors.As(err, &damaged) {
			t.Fatalf("%s: the hub starts: %v", what, err)
		}
		for _, command := range []string{"sayso verify", "sayso accept", "sayso restore"} {
			if !strings.Contains(err.Error(), command) {
				t.Errorf("%s: the refusal does not name %q: %v", what, command, err)
			}
		}
		harms, err := p.Harms(t.Context())
		if err != nil || len(harms) == 0 {
			t.Fatalf("%s: %v, %v", what, harms, err)
		}
		want := maps.Clone(before)
		unknown := 0
		for _, h := range harms {
			if h.Unknown {
				unknown += int(h.Records)
			}
			if h.Lost {
				delete(want, h.ID)
				lost++
			}
		}
		again, err := p.Harms(t.Context())
		if err != nil || !slices.Equal(harms, again) {
			t.Errorf("%s: looking changed something: %v, %v", what, again, err)
		}
		quarantine, err := p.Accept(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if all, err := os.ReadDir(quarantine); err != nil || len(all) == 0 {
			t.Errorf("%s: the quarantine has %v, %v", what, all, err)
		}
		got := engineAsks(t, p, all)
		if unknown > 0 && round%3 == 0 {
			t.Errorf("%s: one bit is another, and it cannot be told what is lost: %+v", what, harms)
		}
		if unknown > 0 {
			if n := len(want) - len(got); n < 0 || n > unknown {
				t.Errorf("%s: %d more are lost, and %d could be: %+v", what, n, unknown, harms)
			}
			continue
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: Accept was to cost\n%+v\nand there are %d asks, want %d:\n%s", what, harms, len(got), len(want), difference(got, want))
		}
	}
	if lost == 0 {
		t.Error("no round lost anything")
	}
}

func difference(got, want map[string]string) (text string) {
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if got[id] != want[id] {
			text += fmt.Sprintf("%s is %q, want %q\n", id, got[id], want[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if want[id] == "" {
			text += fmt.Sprintf("%s is there as %q\n", id, got[id])
		}
	}
	return text
}

// fillEngine asks, answers most and delivers some.
func fillEngine(t *testing.T, p Places, n int) (all []hub.Address) {
	t.Helper()
	e := openEngine(t, p)
	defer closeEngine(t, e)
	for i := range n {
		a := ask(fmt.Sprint("q", i), strings.Repeat("Which database? ", 5))
		a.Origin.Conversation = fmt.Sprint("talk", i/5)
		ticket, err := e.Hub.Submit(t.Context(), Tenant, a)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ticket.Address)
		if i%4 != 0 {
			o := answer("SQLite")
			o.By = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}
			if ticket, err = e.Hub.Close(t.Context(), ticket, o, nil); err != nil {
				t.Fatal(err)
			}
		}
		if i%4 == 3 {
			if _, err = e.Hub.Consume(t.Context(), ticket); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := e.NATS().ExportAudit(t.Context(), t.TempDir()); err != nil { // until the archive has them
		t.Fatal(err)
	}
	return all
}

func openEngine(t *testing.T, p Places) *Engine {
	t.Helper()
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		t.Fatal(err)
	}
	e, err := OpenEngine(t.Context(), p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func closeEngine(t *testing.T, e *Engine) {
	t.Helper()
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// engineAsks returns the status of those asks that can be read, by their ids.
func engineAsks(t *testing.T, p Places, all []hub.Address) map[string]string {
	t.Helper()
	e := openEngine(t, p)
	defer closeEngine(t, e)
	got := map[string]string{}
	for _, addr := range all {
		ticket, err := e.Hub.Get(t.Context(), addr)
		switch {
		case err == nil:
			got[addr.ID] = string(ticket.Status())
		case !errors.Is(err, hub.ErrNotFound):
			t.Fatal(err)
		}
	}
	return got
}
