package console

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestAttach(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		code int
		out  string
	}{
		{"the version", []string{"--version"}, 0, "prog v1.2.3\n"},
		{"a command", []string{"one", "x"}, 0, ""},
		{"a flag that is not there", []string{"one", "--nonsense"}, 2, ""},
		{"an argument too many", []string{"one", "x", "y"}, 2, ""},
		{"any arguments", []string{"any", "x", "y"}, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out, errs strings.Builder
			w := &World{In: strings.NewReader(""), Out: &out, Err: &errs}
			run := func(*cobra.Command, []string) error { return nil }
			root := &cobra.Command{Use: "prog [flags] WORDS", Version: "v1.2.3", RunE: run}
			root.AddCommand(
				&cobra.Command{Use: "one X", Args: Arg("an x", ""), RunE: run},
				&cobra.Command{Use: "any", RunE: run},
			)
			w.Attach(root)
			root.SetArgs(tc.args)
			if code := Code(root.Execute()); code != tc.code || out.String() != tc.out || errs.Len() > 0 {
				t.Errorf("code %d, prints %q, says %q", code, out.String(), errs.String())
			}
		})
	}
	if Version() == "" {
		t.Error("a program that was not released has no version")
	}
}
