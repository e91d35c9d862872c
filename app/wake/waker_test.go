package wake_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/wake"
)

// What starts the command, and what does not.
func TestWake(t *testing.T) {
	t.Parallel()
	dead := ended(t)
	person := sayso.Responder{Kind: sayso.ByPerson, ID: "ana"}
	session := func(id string) func(*wake.Note) { return func(n *wake.Note) { n.ID = id } }
	for _, tc := range []struct {
		name string
		do   func(w *world)
		runs int
	}{
		{"answered", func(w *world) { w.answers(w.asks(nil)) }, 1},
		{"answered, and the hub starts again", func(w *world) {
			w.answers(w.asks(nil))
			pass(time.Minute)
			w.stop()
			w.start()
		}, 1},
		{"answered while the hub ends", func(w *world) {
			w.answers(w.asks(nil))
			w.stop()
			w.start()
		}, 1},
		{"answered long before the hub starts", func(w *world) {
			w.answers(w.asks(nil))
			w.stop()
			time.Sleep(time.Hour)
			w.start()
		}, 0},
		{"two answers for one session, and the agent has both", func(w *world) {
			a, b := w.asks(nil), w.asks(nil)
			w.answers(a)
			b = w.answers(b)
			w.decide(func() { // the hook of the agent takes all answers
				w.hub.Consume(context.Background(), a)
				w.hub.Consume(context.Background(), b)
			})
		}, 1},
		{"undone", func(w *world) {
			c := w.answers(w.asks(nil))
			time.Sleep(2 * time.Second)
			if _, err := w.hub.Undo(w.t.Context(), c, person); err != nil {
				w.t.Fatal(err)
			}
		}, 0},
		{"undone, and answered again", func(w *world) {
			c := w.answers(w.asks(nil))
			time.Sleep(2 * time.Second)
			c, err := w.hub.Undo(w.t.Context(), c, person)
			if err != nil {
				w.t.Fatal(err)
			}
			w.answers(c)
			time.Sleep(4 * time.Second)
			synctest.Wait()
			if w.lines()[0] != "" {
				w.t.Error("the answer could still be undone")
			}
		}, 1},
		{"the agent has it", func(w *world) {
			c := w.answers(w.asks(nil))
			time.Sleep(time.Second) // it is heard of
			if _, err := w.hub.Consume(w.t.Context(), c); err != nil {
				w.t.Fatal(err)
			}
		}, 0},
		{"declined", func(w *world) {
			w.closes(w.asks(nil), &sayso.Outcome{Status: sayso.StatusDeclined, By: person})
		}, 0},
		{"withdrawn", func(w *world) {
			w.closes(w.asks(nil), &sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}})
		}, 0},
		{"not configured", func(w *world) { w.answers(w.asks(func(n *wake.Note) { n.Agent = "codex" })) }, 0},
		{"no note", func(w *world) { w.answers(w.submits(nil)) }, 0},
		{"no note, but claims", func(w *world) {
			w.answers(w.submits(func(a *sayso.Ask) {
				a.Origin.Host = "claude-code"
				a.Metadata = map[string]any{"agent": "claude", "session": "0a1b-2c", "dir": "/", "command": []string{"touch", "ran"}}
			}))
		}, 0},
		{"the note of another ask", func(w *world) {
			other := w.submits(func(a *sayso.Ask) { a.Questions[0].Text = "Another?" })
			mine := w.asks(nil)
			from, to := noteFile(w, w.hub.Handle(mine.Address)), noteFile(w, w.hub.Handle(other.Address))
			if err := os.Rename(from, to); err != nil {
				w.t.Fatal(err)
			}
			w.answers(other)
		}, 0},
		{"an approval", func(w *world) {
			a := sayso.NewApproval(sayso.ApproveShell, "Bash", []byte(`{"command":"ls"}`), &sayso.ApprovalOptions{Command: "command"})
			a.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny}}
			t := w.submits(func(ask *sayso.Ask) { *ask = sayso.Ask{Approval: a, Dialect: sayso.ApprovalDialect} })
			w.notes.Asked(&wake.Note{Handle: w.hub.Handle(t.Address), Session: wake.Session{Agent: "claude", ID: "0a1b-2c", Dir: w.project(), Process: w.dead}})
			w.closes(t, &sayso.Outcome{Status: sayso.StatusAnswered, By: person, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{t.Ask.Approval.Allows()[0].ID}}}})
		}, 0},
		{"the agent runs", func(w *world) {
			w.answers(w.asks(func(n *wake.Note) { n.Process = wake.ProcessOf(os.Getpid()) }))
		}, 0},
		{"the agent is not known", func(w *world) { w.answers(w.asks(func(n *wake.Note) { n.Process = "elsewhere" })) }, 0},
		{"its MCP server runs", func(w *world) {
			w.answers(w.asks(func(n *wake.Note) { n.Through = wake.ProcessOf(os.Getpid()) }))
		}, 0},
		{"another process has the session", func(w *world) {
			w.notes.Began(&wake.Session{Agent: "claude", ID: "0a1b-2c", Dir: w.project(), Process: wake.ProcessOf(os.Getpid())})
			w.answers(w.asks(nil))
		}, 0},
		{"a flag", func(w *world) { w.answers(w.asks(session("--dangerously-skip-permissions"))) }, 0},
		{"a line end", func(w *world) { w.answers(w.asks(session("a\nb"))) }, 0},
		{"a path", func(w *world) { w.answers(w.asks(session("../a"))) }, 0},
		{"a blank", func(w *world) { w.answers(w.asks(session("a b"))) }, 0},
		{"a long one", func(w *world) { w.answers(w.asks(session(string(make([]byte, 129))))) }, 0},
		{"no folders", func(w *world) {
			w.config.Folders = nil
			w.answers(w.asks(nil))
		}, 0},
		{"outside", func(w *world) { w.answers(w.asks(func(n *wake.Note) { n.Dir = w.home })) }, 0},
		{"beside", func(w *world) {
			os.MkdirAll(filepath.Join(w.home, "code2"), 0o755)
			w.answers(w.asks(func(n *wake.Note) { n.Dir = filepath.Join(w.home, "code2") }))
		}, 0},
		{"a link to the outside", func(w *world) {
			link := filepath.Join(w.home, "code", "link")
			os.Symlink(w.home, link)
			w.answers(w.asks(func(n *wake.Note) { n.Dir = link }))
		}, 0},
		{"out by dots", func(w *world) {
			w.answers(w.asks(func(n *wake.Note) { n.Dir = w.project() + "/../.." }))
		}, 0},
		{"relative", func(w *world) { w.answers(w.asks(func(n *wake.Note) { n.Dir = "." })) }, 0},
		{"a folder that is a link", func(w *world) {
			os.Symlink(filepath.Join(w.home, "code"), filepath.Join(w.home, "work"))
			w.config.Folders = []string{"~/work"}
			w.answers(w.asks(nil))
		}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, dead)
				defer func() { w.stop() }()
				tc.do(w)
				w.wants(tc.runs)
			})
		})
	}
}

func noteFile(w *world, handle string) string {
	w.t.Helper()
	list, _ := filepath.Glob(filepath.Join(w.notes.Dir, "ask-*"))
	for _, name := range list {
		if n := w.notes.Note(handle); n != nil {
			return name
		}
	}
	// The name of a note that does not exist is learned by writing it.
	before := map[string]bool{}
	for _, name := range list {
		before[name] = true
	}
	w.notes.Asked(&wake.Note{Handle: handle, Session: wake.Session{ID: "x"}})
	list, _ = filepath.Glob(filepath.Join(w.notes.Dir, "ask-*"))
	for _, name := range list {
		if !before[name] {
			os.Remove(name)
			return name
		}
	}
	w.t.Fatal("no note")
	return ""
}

// The command gets the id of the session as a word, and runs in its folder.
func TestCommand(t *testing.T) {
	t.Parallel()
	dead := ended(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dead)
		defer func() { w.stop() }()
		a := w.asks(nil)
		w.answers(a)
		w.wants(1)
		real, _ := filepath.EvalSymlinks(w.project())
		if got, want := w.lines()[0], "0a1b-2c in "+real; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		runs, _ := wake.Runs(t.Context(), w.store, tenant)
		if r := runs[0]; r.Ask != a.Ask.ID || r.Agent != "claude" || r.Session != "0a1b-2c" || r.Exit != 0 || r.Ended.Before(r.At) {
			t.Errorf("%+v", r)
		}
	})
}

// A run that fails, or that cannot be started, is recorded as such, and not tried again.
func TestFails(t *testing.T) {
	t.Parallel()
	dead := ended(t)
	for name, command := range map[string][]string{
		"exit":    {"/bin/sh", "-c", "printf 'no \\033[31msuch session'; exit 3", "{session}"},
		"missing": {"/no/such/program", "{session}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, dead)
				w.config.Commands["claude"] = command
				w.answers(w.asks(nil))
				pass(time.Minute)
				w.stop()
				w.start()
				defer func() { w.stop() }()
				pass(time.Minute)
				runs, _ := wake.Runs(t.Context(), w.store, tenant)
				if len(runs) != 1 || runs[0].State() != "failed" {
					t.Fatalf("%+v", runs)
				}
				r := runs[0]
				if name == "exit" && (r.Exit != 3 || r.Output == "" || containsEscape(r.Output)) || name == "missing" && r.Error == "" {
					t.Errorf("%+v", r)
				}
			})
		})
	}
}

func containsEscape(s string) bool {
	for _, c := range s {
		if c == '\x1b' {
			return true
		}
	}
	return false
}

// Several hubs over one store that all have the notes: one of them runs the command.
func TestOnce(t *testing.T) {
	t.Parallel()
	dead := ended(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dead)
		hubs := []world{*w}
		defer func() {
			for _, one := range hubs {
				one.stop()
			}
		}()
		for range 2 {
			w.start()
			hubs = append(hubs, *w)
		}
		a := w.asks(nil)
		w.answers(a)
		w.wants(1)
	})
}
