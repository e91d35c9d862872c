package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// TestBlocked: the list tells how much waits behind an ask, and orders by it; the
// page of the ask tells what. It is the asker's text, and no more than that.
func TestBlocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	begin := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	pages := map[string]string{}
	ask := func(text string, minute int, blocked any) {
		a := &sayso.Ask{Questions: []sayso.Question{{Text: text}}, AskedAt: begin.Add(time.Duration(minute) * time.Minute)}
		if blocked != nil {
			a.Metadata = map[string]any{"blocked": blocked}
		}
		_, pages[text] = w.ask(a)
	}
	ask("First?", 0, nil)
	if body := w.get(w.c, "/").body; strings.Contains(body, "Holds up") {
		t.Error("nothing is held up, and the list offers to order by it")
	}
	ask("Second?", 1, map[string]any{"tools": []any{"write"}})
	ask("Third?", 2, map[string]any{"tools": []any{"a", "b", "c", "d", "e", "<b>f", "\x1b[2Jg"}, "agents": []any{"main", 7, " "}})
	ask("Strange?", 3, []any{"x"})
	for order, want := range map[string][]string{
		"/":               {"First?", "Second?", "Third?", "Strange?"},
		"/?order=blocked": {"Third?", "Second?", "First?", "Strange?"},
	} {
		body := w.get(w.c, order).body
		at := 0
		for _, text := range want {
			i := strings.Index(body[at:], `<span class="t" dir="auto">`+text)
			if i < 0 {
				t.Fatalf("%s: no %s behind the one before in\n%s", order, text, body)
			}
			at += i
		}
		if !strings.Contains(body, "holds up 1<") || !strings.Contains(body, "holds up 8<") || strings.Count(body, "holds up") != 2 {
			t.Errorf("%s: it is not said how much is held up:\n%s", order, body)
		}
	}
	if body := w.get(w.c, pages["Third?"]).body; !strings.Contains(body, "Held up until you answer: next: a, b, c, d, e and 2 more; waiting: main") {
		t.Errorf("it is not said what is held up:\n%s", body)
	}
	for _, text := range []string{"First?", "Strange?"} {
		if body := w.get(w.c, pages[text]).body; strings.Contains(body, "Held up") {
			t.Errorf("%s holds nothing up", text)
		}
	}
}
