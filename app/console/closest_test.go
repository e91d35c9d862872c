package console

import "testing"

func TestClosest(t *testing.T) {
	t.Parallel()
	commands := []string{"answer", "ask", "inbox", "list", "serve", "setup", "show", "stop", "wait", "web"}
	for _, tc := range []struct{ typed, want string }{
		{"lst", "list"},
		{"inbx", "inbox"},
		{"Inbox", "inbox"},
		{"aks", "ask"},       // swapped
		{"anwsre", "answer"}, // swapped twice
		{"shwo", "show"},
		{"setupp", "setup"},
		{"ans", "answer"}, // begun
		{"stip", "stop"},
		{"we", "web"},
		{"xyz", ""},
		{"purge", ""},
		{"", ""},
		{"Wärt", "wait"},
	} {
		if got := Closest(tc.typed, commands); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.typed, got, tc.want)
		}
	}
	if got := DidYouMean("lst", commands); got != `Did you mean "list"? ` {
		t.Error(got)
	}
	if got := DidYouMean("purge", commands); got != "" {
		t.Error(got)
	}
}
