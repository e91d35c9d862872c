package auth

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTTL: a key holds for more than no time and for a year at most. One of an
// earlier version that holds for longer goes on to.
func TestTTL(t *testing.T) {
	t.Parallel()
	k := openKeys(t, filepath.Join(t.TempDir(), "keys.json"), nil)
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
		_, key, err := k.Create(KeySpec{Role: Asker, Tenant: "acme", TTL: c.ttl})
		switch {
		case (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err):
			t.Errorf("%v: %v, want %q", c.ttl, err, c.err)
		case err == nil && key.Overlong():
			t.Errorf("%v: too long", c.ttl)
		}
	}
	if n := len(k.List()); n != 3 {
		t.Errorf("%d keys, want 3", n)
	}
	old := keyLine{ID: "old", Role: "asker", Tenant: "acme", Subject: "bot", SHA256: strings.Repeat("00", 32),
		Created: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Expires: time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC)}
	if err := k.change(func(f *keyFile) error { f.Keys = append(f.Keys, old); return nil }); err != nil {
		t.Fatal(err)
	}
	if list := k.List(); len(list) != 4 || !list[3].Overlong() {
		t.Errorf("%+v", list)
	}
}
