package wake

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// ofAgents are variables by which an agent tells what it starts about itself. A hub that
// was started by an agent has them, and what it starts must not.
var ofAgents = []string{
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE",
	"CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI",
}

func environment(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofAgents, name)
	})
}

// resume runs the command of a run that is recorded, and records how it ends. It
// returns when the command has ended, or when ctx has: the command goes on then.
func (w *Waker) resume(ctx context.Context, r *Run, revision *uint64, log *slog.Logger) {
	cmd, out, err := w.start(r)
	if err != nil {
		log.Warn("the session could not be resumed", "error", err)
		r.Ended, r.Exit, r.Error = w.o.Now().UTC().Round(0), -1, sayso.SafeText(err.Error())
		w.note(ctx, r, revision, log)
		return
	}
	log.Info("the session is resumed", "command", r.Command[0], "pid", cmd.Process.Pid)
	r.Process = ProcessOf(cmd.Process.Pid)
	w.note(ctx, r, revision, log)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // it may outlive the waker: the command does
	select {
	case err = <-ended:
	case <-ctx.Done():
		return
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		r.Error = sayso.SafeText(err.Error())
	}
	r.Ended, r.Exit = w.o.Now().UTC().Round(0), cmd.ProcessState.ExitCode()
	r.Output = tail(out)
	os.Remove(out)
	log.Info("the session that was resumed has ended", "exit", r.Exit)
	w.note(ctx, r, revision, log)
}

// note records what is new of a run.
func (w *Waker) note(ctx context.Context, r *Run, revision *uint64, log *slog.Logger) {
	if ours, err := w.record(ctx, r, revision); err != nil || !ours {
		log.Warn("what became of the session that was resumed cannot be recorded", "error", err)
	}
}

// start starts the command. What it writes is in a file, so that it can go on when the
// hub ends.
func (w *Waker) start(r *Run) (cmd *exec.Cmd, out string, err error) {
	if err := os.MkdirAll(w.o.Notes.Dir, 0o700); err != nil {
		return nil, "", err
	}
	f, err := os.CreateTemp(w.o.Notes.Dir, "output-")
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	cmd = exec.Command(r.Command[0], r.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.Dir, w.o.Env, f, f
	detach(cmd)
	if err := cmd.Start(); err != nil {
		os.Remove(f.Name())
		return nil, "", err
	}
	return cmd, f.Name(), nil
}

// tail returns the last lines of a file, without what could do something to a terminal.
func tail(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	from := max(0, info.Size()-maxOutput)
	data := make([]byte, info.Size()-from)
	n, _ := f.ReadAt(data, from)
	text := string(data[:n])
	if from > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	return strings.TrimSpace(sayso.SafeText(strings.ToValidUTF8(text, "?")))
}
