package reachtest

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli"
	"github.com/saysohq/sayso/app/ownhub"
	"github.com/saysohq/sayso/client"
)

const roleEnv = "SAYSO_REACH_ROLE"

// TestMain makes this test program sayso, if it was started as that.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "" {
		os.Exit(m.Run())
	}
	os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
}

// home is a fresh home with a hub that runs.
type home struct {
	*testing.T
	dir    string
	client *client.Client
}

// newHome starts "sayso serve" with these flags.
func newHome(t *testing.T, flags ...string) *home {
	h := &home{T: t, dir: t.TempDir()}
	for name, value := range map[string]string{
		"HOME": h.dir, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": filepath.Join(h.dir, "run"), "SAYSO_NOTIFY_ALLOW": "127.0.0.1,localhost",
	} {
		t.Setenv(name, value)
	}
	if err := os.Mkdir(filepath.Join(h.dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := h.command(append([]string{"serve"}, flags...)...)
	log, err := os.Create(filepath.Join(h.dir, "serve.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("%s", said)
		}
		log.Close()
	})
	h.until("the hub serves", func() bool { return h.try("notify") == nil })
	own, err := ownhub.Open(console.System())
	if err != nil {
		t.Fatal(err)
	}
	if h.client, err = own.Connect(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleEnv+"=1")
	cmd.Dir = h.dir
	return cmd
}

func (h *home) try(args ...string) error { return h.command(args...).Run() }

// run runs sayso and returns what it prints.
func (h *home) run(args ...string) string {
	h.Helper()
	cmd := h.command(args...)
	var says strings.Builder
	cmd.Stderr = &says
	out, err := cmd.Output()
	if err != nil {
		h.Fatalf("sayso %s: %v\n%s%s", strings.Join(args, " "), err, out, says.String())
	}
	return strings.TrimSpace(string(out))
}

// file writes a file that only its owner can read.
func (h *home) file(name, text string) string {
	h.Helper()
	name = filepath.Join(h.dir, name)
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		h.Fatal(err)
	}
	return name
}

// until waits for a condition, and looks often enough to measure it.
func (h *home) until(what string, is func() bool) time.Time {
	h.Helper()
	for end := time.Now().Add(2 * time.Minute); ; <-time.After(time.Millisecond) {
		if is() {
			return time.Now()
		}
		if time.Now().After(end) {
			h.Fatalf("never: %s", what)
		}
	}
}

// question is an ask with two options.
func question(name string, to ...string) *sayso.Ask {
	a := &sayso.Ask{ID: name, To: to, Origin: sayso.Origin{Conversation: name, Host: "some-agent"}, Questions: []sayso.Question{{
		Text: "Which database, " + name + "?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	a.Normalize()
	return a
}

// report prints the median and the 99th percentile, in milliseconds.
func report(t *testing.T, id string, took []time.Duration) {
	t.Helper()
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	at := func(p float64) float64 {
		return float64(took[min(len(took)-1, int(math.Ceil(p*float64(len(took))))-1)]) / float64(time.Millisecond)
	}
	t.Logf("FIGURE %s-p50 %.0f ms", id, at(0.5))
	t.Logf("FIGURE %s-p99 %.0f ms", id, at(0.99))
	t.Logf("FIGURE %s-count %d", id, len(took))
}

func figures(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=REACH")
	}
}
