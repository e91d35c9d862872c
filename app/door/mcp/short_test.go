package mcp

import (
	"strings"
	"testing"
)

// TestShort: a short handle is short, is read as a model may write it, and no slip
// of one letter or two neighbours makes it another one.
func TestShort(t *testing.T) {
	t.Parallel()
	handle := "AgF0AAABYx5hc2tfNTR3MmltcWJuc3RsNW56YWRhd25kd2NuMmn0oPTiNqUxUFykymnpjtIq"
	short := ShortHandle(handle)
	if len(short) != 23 || short == ShortHandle(handle+"x") {
		t.Fatalf("%q has %d characters", short, len(short))
	}
	for _, c := range []struct {
		name        string
		isShort, ok bool
	}{
		{short, true, true},
		{strings.ToUpper(short), true, true},
		{" " + strings.ReplaceAll(short, "-", "") + "\n", true, true},
		{strings.ReplaceAll(strings.ReplaceAll(short, "0", "O"), "1", "l"), true, true},
		{handle, false, false},
		{"", false, false},
		{short[:22], false, false},
		{short + "0", false, false},
		{strings.Repeat("-", 100) + short, false, false},
		{strings.Replace(short, short[:1], "é", 1), false, false},
	} {
		got, isShort, ok := readShort(c.name)
		if isShort != c.isShort || ok != c.ok || ok && got != short {
			t.Errorf("%q is read as %q, %v, %v", c.name, got, isShort, ok)
		}
	}
	letters := strings.ReplaceAll(short, "-", "")
	slips := 0
	for i := range letters {
		for _, c := range "0123456789abcdefghjkmnpqrstvwxyz" {
			slip := letters[:i] + string(c) + letters[i+1:]
			if _, _, ok := readShort(slip); ok && slip != letters {
				slips++
			}
		}
		if i > 0 {
			slip := letters[:i-1] + letters[i:i+1] + letters[i-1:i] + letters[i+1:]
			if _, _, ok := readShort(slip); ok && slip != letters {
				slips++
			}
		}
	}
	if slips > 0 {
		t.Errorf("%d slips are not noticed", slips)
	}
}

// TestShorts: what one caller was given is not known to another, and at least the
// last maxShorts are remembered.
func TestShorts(t *testing.T) {
	t.Parallel()
	var s shorts
	s.put("a", "short", "long")
	if s.get("a", "short") != "long" || s.get("b", "short") != "" || s.get("a", "other") != "" {
		t.Error("a caller gets what is not its own, or does not get what is")
	}
	for i := range maxShorts {
		s.put("a", ShortHandle(string(rune(i))), "x")
	}
	if s.get("a", "short") != "long" {
		t.Error("forgotten too soon")
	}
	for i := range maxShorts {
		s.put("a", ShortHandle(string(rune(i+maxShorts))), "x")
	}
	if s.get("a", "short") != "" || len(s.all)+len(s.were) > 2*maxShorts {
		t.Errorf("%d are remembered", len(s.all)+len(s.were))
	}
}

// FuzzShort: what is taken for a short handle is written back in one form only.
func FuzzShort(f *testing.F) {
	f.Add(ShortHandle("a handle"))
	f.Add("sxtsj-begmt-xqhqe-gx156")
	f.Fuzz(func(t *testing.T, name string) {
		short, isShort, ok := readShort(name)
		if !isShort {
			if ok || short != "" {
				t.Errorf("%q: %q, %v", name, short, ok)
			}
			return
		}
		again, _, still := readShort(short)
		if again != short || still != ok || len(short) != 23 {
			t.Errorf("%q is read as %q, and that as %q", name, short, again)
		}
	})
}
