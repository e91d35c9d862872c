package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func TestResolverOnTheTerminal(t *testing.T) {
	d := newDesk(t, "plain", "")
	d.waitFor("Answer in your own words")
	d.types("2\r")
	d.end()
	if o := d.result.Outcome; o == nil || o.Status != sayso.StatusAnswered || o.Answers[0].Selected[0] != "o2" || o.By.Surface != "terminal" {
		t.Errorf("outcome %+v, %s", o, d.result.Err)
	}
	d.waitFor("✓ Database: SQLite")
	if s := d.sees(); strings.Contains(s, "MongoDB") {
		t.Errorf("the dialog is still there:\n%s", s)
	}
}

// What was typed before the dialog appeared, and right after, answers nothing.
func TestResolverDropsTypeAhead(t *testing.T) {
	d := newDesk(t, "guard", "2\r2\r")
	d.waitFor("Answer in your own words")
	d.types("2\r")
	d.types("\x1b") // Esc within the guard
	select {
	case <-d.ended:
		t.Fatalf("answered by type-ahead: %+v", d.result.Outcome)
	case <-time.After(longGuard + time.Second): // the program's clock is real: what is typed next comes after the guard
	}
	if strings.Contains(d.sees(), "●") {
		t.Errorf("something is chosen:\n%s", d.sees())
	}
	d.types("\x03") // nothing is lost by it
	d.end()
	if o := d.result.Outcome; o == nil || o.Status != sayso.StatusCancelled {
		t.Errorf("outcome %+v", o)
	}
	d.waitFor("✗ Database: Cancelled")
}

func TestResolverLosesARace(t *testing.T) {
	d := newDesk(t, "lose", "")
	d.waitFor("Answer in your own words")
	d.types("0half a sentence")
	d.waitFor("half a sentence")
	fmt.Fprintln(d.in)
	d.end()
	if !d.result.Lost || d.result.Outcome != nil {
		t.Errorf("result %+v", d.result)
	}
	d.waitFor("✓ Answered in the browser by ann: SQLite")
	d.waitFor("What you had typed:") // nobody keeps drafts here
	d.waitFor("half a sentence")
}

func TestResolverWithoutATerminal(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asking+"=plain", "TERM=xterm")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"Unreachable":true`) {
		t.Errorf("%s", out)
	}
}

func TestResolverRefuses(t *testing.T) {
	r := NewResolver(nil)
	a := databases()
	a.MinAssurance = sayso.AssuranceLogin
	if _, err := r.Ask(t.Context(), a); !errors.Is(err, sayso.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
	if _, err := r.Ask(t.Context(), &sayso.Ask{}); err == nil || errors.Is(err, sayso.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Ask(ctx, databases()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	t.Setenv("TERM", "dumb")
	if _, err := r.Ask(t.Context(), databases()); !errors.Is(err, sayso.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
}

// TestFigure_T1 measures how long a person waits for the first frame, from the
// start of the process on.
func TestFigure_T1(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	var took []time.Duration
	for range 21 {
		begin := time.Now()
		d := newDesk(t, "plain", "")
		d.waitFor("esc cancel")
		took = append(took, time.Since(begin))
		d.types("\x03")
		d.end()
	}
	slices.Sort(took)
	t.Logf("FIGURE T1 %d ms", took[len(took)/2].Milliseconds())
}

func TestRunInboxOnTheTerminal(t *testing.T) {
	d := newDesk(t, "inbox", "")
	d.waitFor("Waiting for you 2")
	d.types("\r")
	d.waitFor("1 more waiting")
	d.types("1\r")
	d.waitFor("✓ Cleanup: Keep it") // above the keys of the next
	d.types("\x1b")
	d.waitFor("not answered yet")
	d.types("q")
	d.end()
	if d.result.Err != "" {
		t.Error(d.result.Err)
	}
	d.waitFor("✓ Cleanup: Keep it")
	if s := d.sees(); strings.Contains(s, "Waiting for you") {
		t.Errorf("the inbox is still there:\n%s", s)
	}
}
