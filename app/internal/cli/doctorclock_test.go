package cli

import (
	"strings"
	"testing"
	"time"
)

func TestClockFinding(t *testing.T) {
	sent := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	received := sent.Add(20 * time.Second) // a slow request proves nothing
	for _, tt := range []struct {
		date time.Duration
		says string // empty: nothing is wrong
	}{
		{0, ""},
		{29 * time.Second, ""},
		{-10 * time.Second, ""},
		{31 * time.Second, "11s ahead of"},
		{-time.Hour, "1h0m0s behind"},
		{time.Hour + 20*time.Second, "1h0m0s ahead of"},
	} {
		f := clockFinding(sent.Add(tt.date), sent, received)
		if f.OK != (tt.says == "") || !strings.Contains(f.Value, tt.says) || f.OK != (f.Fix == "") {
			t.Errorf("%v: %+v", tt.date, f)
		}
	}
}
