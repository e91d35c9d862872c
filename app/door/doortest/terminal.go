package doortest

import "github.com/saysohq/sayso/app/tmuxtest"

// Terminal starts a program in a terminal, in the project's folder.
func (w *World) Terminal(env []string, program string, args ...string) *tmuxtest.Terminal {
	w.t.Helper()
	return tmuxtest.Start(w.t, &tmuxtest.Options{Env: env, Dir: w.Project}, program, args...)
}
