package localhub

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestElections sends clients away when there is no leader for longer than an election takes, and not before.
func TestElections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l elections
		none := errors.New("no leader")
		for _, step := range []struct {
			after time.Duration
			err   error
			want  error
		}{
			{0, nil, nil}, {0, none, nil}, {longestElection, none, nil}, {time.Second, none, none},
			{0, nil, nil}, {time.Second, none, nil}, {longestElection + 1, none, none},
		} {
			<-time.After(step.after)
			if got := l.outlasted(step.err); got != step.want {
				t.Errorf("after %s with %v: %v", step.after, step.err, got)
			}
		}
	})
}
