package auth

import (
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

// TestTTL: a key holds for more than no time and for a year at most.
func TestTTL(t *testing.T) {
	t.Parallel()
	k := openKeys(t, hub.NewMemory(nil), nil)
	for _, c := range []struct {
		ttl time.Duration
		err string // "" for none
	}{
		{0, ""}, // the default
		{time.Second, ""},
		{MaxTTL, ""},
		{-time.Nanosecond, "for -1ns"},
		{-5 * time.Hour, "for -5h0m0s"},
		{MaxTTL + time.Second, "for 8784h0m1s"},
		{876_000 * time.Hour, "for 876000h0m0s; use more than 0 and at most 8784h (366 days)"},
	} {
		_, key, err := k.Create(t.Context(), KeySpec{Role: Asker, Tenant: "acme", TTL: c.ttl})
		switch {
		case (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err):
			t.Errorf("%v: %v, want %q", c.ttl, err, c.err)
		case err == nil && key.Overlong():
			t.Errorf("%v: too long", c.ttl)
		}
	}
	if n := len(listed(t, k)); n != 3 {
		t.Errorf("%d keys, want 3", n)
	}
}
