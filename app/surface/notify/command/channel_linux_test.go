package command_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/command"
)

var update = flag.Bool("update", false, "rewrite golden files")

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func contact() *notify.Contact {
	return &notify.Contact{Tenant: "home", ID: "command-1", Kind: notify.Command, Detail: notify.DetailText}
}

func note() *notify.Note {
	return &notify.Note{
		Key: "k1", Token: "TOKEN", Alert: true, Title: "claude-code asks", Body: "Which database?", URL: "https://hub.example/ask/1",
		Text: "Which <b>database</b> & why?\n1. PostgreSQL\n2. SQLite", Waiting: 1, Until: time.Date(2026, 11, 17, 12, 0, 0, 0, time.FixedZone("", 3600)),
		Buttons: []notify.Button{{Label: "PostgreSQL", Data: "DATA", Answer: true}},
	}
}

// shell runs a script; "$1" is a file in the folder.
func shell(dir, script string) *command.Options {
	return &command.Options{Args: []string{"sh", "-c", script, "sh", filepath.Join(dir, "out")}}
}

// TestJSON keeps what the program reads: people write programs for it.
func TestJSON(t *testing.T) {
	dir := t.TempDir()
	c := command.New(shell(dir, `cat >>"$1"`))
	changed, reminder, over, test := note(), note(), note(), note()
	changed.Alert, changed.Text = false, ""
	reminder.Round, reminder.Urgent = 1, true
	over.Over, over.Alert, over.Waiting, over.Text = true, false, 0, "Answered in the browser by bob: SQLite"
	test.Test, test.Until, test.Text = true, time.Time{}, ""
	where := ""
	for _, n := range []*notify.Note{note(), changed, reminder, over, test} {
		var err error
		where, err = c.Put(t.Context(), contact(), n, where)
		must(t, err)
		if n.Over != (where == "") {
			t.Errorf("%+v is at %q", n, where)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	must(t, err)
	const file = "testdata/notifications.jsonl"
	if *update {
		must(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(string(got)) {
		var n command.Notification
		must(t, json.Unmarshal([]byte(line), &n))
	}
	if s := string(got); strings.Contains(s, "TOKEN") || strings.Contains(s, "DATA") {
		t.Error("it has what answers")
	}
}

// TestOutside wants nothing of an ask, and no key, to be anywhere but on standard input.
func TestOutside(t *testing.T) {
	t.Setenv("SAYSO_SLACK_TOKEN", "SECRET")
	t.Setenv("LANG", "de_DE.UTF-8")
	dir := t.TempDir()
	c := command.New(shell(dir, `env >"$1"; tr '\0' '\n' </proc/self/cmdline >>"$1"; echo "$@" >>"$1"; cat >/dev/null`))
	_, err := c.Put(t.Context(), contact(), note(), "")
	must(t, err)
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	must(t, err)
	if !strings.Contains(string(got), "LANG=de_DE.UTF-8") {
		t.Error("the environment does not come along")
	}
	for _, s := range []string{"SECRET", "database", "claude", "PostgreSQL", "hub.example"} {
		if strings.Contains(string(got), s) {
			t.Errorf("%q is to be seen from outside:\n%s", s, got)
		}
	}
}

func TestFails(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		name string
		o    *command.Options
		want string
	}{
		{"none", nil, "no notify-command is set"},
		{"not there", &command.Options{Args: []string{dir + "/none"}}, "no such file"},
		{"a line of nothing", &command.Options{Args: command.Shell(" ")}, "no notify-command is set"},
		{"a line", &command.Options{Args: command.Shell("echo $((6*7)) >&2; exit 1")}, "exit status 1: 42"},
		{"it says why", shell(dir, `cat >/dev/null; echo "no \033[31mmodem" >&2; exit 3`), "exit status 3: no ␛[31mmodem"},
		{"it reads nothing", shell(dir, `exit 0`), ""},
		{"it says too much", shell(dir, `head -c 100000 /dev/zero | tr '\0' x >&2; exit 1`), "exit status 1: " + strings.Repeat("x", 1000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := command.New(test.o).Put(t.Context(), contact(), note(), "")
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || err != nil && len(err.Error()) > 2000 {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestTooLong has a program start another one and wait for it.
func TestTooLong(t *testing.T) {
	dir := t.TempDir()
	o := shell(dir, `sleep 600 & echo $! >"$1.new"; mv "$1.new" "$1"; wait`)
	o.Limit = 2 * time.Second
	_, err := command.New(o).Put(t.Context(), contact(), note(), "")
	if err == nil || !strings.Contains(err.Error(), "did not end within 2s") {
		t.Errorf("%v", err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "out"))
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	must(t, err)
	for end := time.Now().Add(time.Minute); ; <-time.After(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") || syscall.Kill(pid, 0) != nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("what it has started lives on")
		}
	}
}

func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := command.New(shell(dir, `sleep 600`)).Put(ctx, contact(), note(), ""); err == nil {
		t.Error("it goes on")
	}
}
