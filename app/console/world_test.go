package console

import (
	"os"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if v, ok := strings.CutPrefix(p, name+"="); ok {
				return v
			}
		}
		return ""
	}
}

func TestPlainAndLocale(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env    []string
		plain  bool
		locale string
	}{
		{nil, false, ""},
		{[]string{"TERM=xterm", "LANG=en_US.UTF-8"}, false, "en_US.UTF-8"},
		{[]string{"TERM=dumb", "LANG=en", "LC_MESSAGES=de"}, true, "de"},
		{[]string{"ACCESSIBLE=1", "LANG=en", "LC_MESSAGES=de", "LC_ALL=fr"}, true, "fr"},
		{[]string{"ACCESSIBLE=0"}, false, ""},
	} {
		w := &World{Getenv: env(tc.env...)}
		if w.Plain() != tc.plain || w.Locale() != tc.locale {
			t.Errorf("%v: %v, %q", tc.env, w.Plain(), w.Locale())
		}
	}
}

func TestIsTerminal(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, stream := range []any{nil, &strings.Builder{}, (*os.File)(nil), w} {
		if IsTerminal(stream) {
			t.Errorf("%T is a terminal", stream)
		}
	}
}
