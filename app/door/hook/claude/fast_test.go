package claude_test

import (
	"testing"
	"testing/synctest"
)

// TestRanFast plays what a busy machine mixes up. The runs that kill processes at random
// found both.
func TestRanFast(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(w *world){
		"it ran before the hook could ask": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			w.send(ended("toolu_1", "Bash", shell)).end()
			w.send(wants("Bash", shell)).says("nothing")
			w.want(map[string]int{})
		},
		"the next equal call is asked for": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			w.send(ended("toolu_1", "Bash", shell)).end()
			w.send(began("toolu_2", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			w.decides(0, "allow")
			c.says("allow")
		},
		"an equal request is left whose call is not known": func(w *world) {
			c := w.send(wants("Bash", shell))
			w.decides(0, "deny")
			c.says("deny")
			w.send(began("toolu_2", "Bash", shell)).end()
			c = w.send(wants("Bash", shell))
			w.decides(0, "deny")
			c.says("deny")
			w.send(ended("toolu_2", "Bash", shell)).end()
			w.want(map[string]int{"deny on phone": 2, "late: allow on claude-code": 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := noted(t, dir)
				defer w.close()
				play(w)
			})
		})
	}
}
