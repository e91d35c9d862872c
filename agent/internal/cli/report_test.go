package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
)

// TestReport: the exit codes of sayso-agent, which has no code 3, and its messages,
// which are text even with --json.
func TestReport(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		code int
		says string
	}{
		{nil, 0, ""},
		{fmt.Errorf("the model: %w", context.DeadlineExceeded), 1, "sayso-agent: the model: context deadline exceeded\n"},
		{fmt.Errorf("answering: %w", sayso.ErrUnreachable), 1, "sayso-agent: answering: " + sayso.ErrUnreachable.Error() + "\n"},
		{console.Usage("say what to do"), 2, "sayso-agent: say what to do\n"},
		{&console.ExitError{Code: console.ExitLater}, 75, ""},
		{fmt.Errorf("waiting: %w", context.Canceled), 130, "sayso-agent: interrupted\n"},
	} {
		var out, errs strings.Builder
		p := &program{World: &World{Out: &out, Err: &errs}, json: true}
		if code := p.report(tc.err); code != tc.code || errs.String() != tc.says || out.Len() > 0 {
			t.Errorf("%v: code %d, want %d; says %q, want %q", tc.err, code, tc.code, errs.String(), tc.says)
		}
	}
}
