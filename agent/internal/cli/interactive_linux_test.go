package cli_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

func show(t *testing.T, p *terminal) {
	t.Helper()
	if os.Getenv("SAYSO_SCREEN") != "" {
		t.Logf("\n%s", p.text())
	}
}

// A person talks to the agent, answers in the dialog below what was said, looks at
// the questions, goes back to before one, and leaves.
func TestInteractive(t *testing.T) {
	t.Parallel()
	h := newHome(t, modeltest.Steps(
		modeltest.Reply{Text: "I will set up a service. One thing first.", Calls: asks(question("Which database?", "PostgreSQL", "SQLite")).Calls},
		modeltest.Say("All set up."),
	))
	p := newTerminal(t)
	cmd := p.start(h)
	p.waitFor("›")
	p.typed("Set up a service\r")
	p.waitFor("I will set up a service.")
	p.waitFor("Which database?")
	show(t, p)
	p.choose("2", "SQLite")
	p.waitFor("All set up.")
	show(t, p)
	h.model.WantResults(t, `{"answers":{"Which database?":"SQLite"}}`)
	p.typed("/questions\r")
	p.waitFor("1. ✓ Which database?: SQLite")
	p.typed("/branch 1\r")
	p.waitFor("conversation ")
	p.choose("1", "PostgreSQL")
	p.waitFor("PostgreSQL (")
	p.typed("/sessions\r")
	p.waitFor("idle  Set up a service")
	p.typed("/nonsense\r")
	p.waitFor("unknown command /nonsense")
	show(t, p)
	p.typed("/quit\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.text())
	}
}

// The files that -p left are removed; the question stays open and can be answered.
func TestQuestionsClear(t *testing.T) {
	t.Parallel()
	h := newHome(t, modeltest.Steps(asks(question("Which database?", "PostgreSQL", "SQLite")), modeltest.Say("All set up.")))
	h.want(75, "", "-p", "Set up a service")
	if _, err := os.Stat(h.file()); err != nil {
		t.Fatal(err)
	}
	p := newTerminal(t)
	cmd := p.start(h, "-c")
	p.waitFor("Which database?")
	p.later()
	p.typed("/questions clear\r")
	p.waitFor("Removed the files of pending questions.")
	h.noFile()
	p.choose("2", "SQLite")
	p.waitFor("All set up.")
	h.model.WantResults(t, `{"answers":{"Which database?":"SQLite"}}`)
	show(t, p)
	p.typed("/quit\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.text())
	}
}

// What is left for later is answered elsewhere, while the person is at the prompt;
// the agent goes on at once. An interrupt stops it.
func TestInteractiveLater(t *testing.T) {
	t.Parallel()
	slow := make(chan struct{})
	t.Cleanup(func() { close(slow) })
	play := service()
	h := newHome(t, func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
		if r.Last == "Think" {
			select {
			case <-slow:
			case <-ctx.Done():
			}
		}
		return play(ctx, r)
	})
	p := newTerminal(t)
	cmd := p.start(h, "Set up a service")
	p.waitFor("Which database?")
	p.later()
	show(t, p)
	p.typed("Think\r")
	if _, err := h.model.Await(t.Context(), func(r *modeltest.Request) bool { return r.Last == "Think" }); err != nil {
		t.Fatal(err)
	}
	p.typed("\x03")
	p.waitFor("(stopped)")
	p.typed("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.text())
	}
	if !strings.Contains(p.text(), "(stopped)") {
		t.Error(p.text())
	}
	show(t, p)
}

// The answer comes from elsewhere: while the dialog is on the screen, which closes,
// and while the person is at the prompt.
func TestInteractiveElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	room := elsewhere(t, h)
	p := newTerminal(t)
	cmd := p.start(h, "Set up a service")
	p.waitFor("Which database?")
	answerAt(t, room, sqlite())
	p.waitFor("done")
	p.typed("/branch 1\r")
	p.waitFor("conversation ")
	p.later()
	answerAt(t, room, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "as before"})
	if _, err := h.model.Await(t.Context(), func(r *modeltest.Request) bool {
		return len(r.Results) > 0 && strings.Contains(r.Results[0].Text, "as before")
	}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); strings.Count(p.text(), "done") < 2; <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the agent does not go on:\n%s", p.text())
		}
	}
	show(t, p)
	p.typed("/quit\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.text())
	}
}
