package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Diff says what the change adds and removes, one line for each, below the name of
// the file. It shows nothing else of a file, and no value that is not ours: what goes
// away has only its name.
func (c *Change) Diff() []string { return diff(c.env, c.files, true) }

// Diff says what undoing adds and removes. What comes back is not ours, so it has only
// its name, too.
func (u *Undoing) Diff() []string { return diff(u.env, u.files, false) }

func diff(e *Env, files []*fileChange, ours bool) (lines []string) {
	for _, f := range files {
		if !f.changes() {
			continue
		}
		name := short(e, f.Path)
		if f.target != f.Path && filepath.Base(f.target) != filepath.Base(f.Path) {
			name += " (a link to " + short(e, f.target) + ")"
		}
		if f.Remove == nil && f.Add != nil || f.Add == nil {
			lines = append(lines, whole(name, f))
			continue
		}
		switch {
		case f.before == nil:
			name += " (new)"
		case f.after == nil:
			name += " (removed)"
		}
		lines = append(lines, name)
		for _, l := range compare(f) {
			if sign, at, _ := strings.Cut(l, " "); sign == "-" || !ours {
				at, _, _ = strings.Cut(at, " = ")
				l = sign + " " + at
			}
			if line := "  " + l; lines[len(lines)-1] != line {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// whole says what happens to a file of ours.
func whole(name string, f *fileChange) string {
	switch {
	case f.before == nil:
		return fmt.Sprintf("%s (new, %d lines)", name, bytes.Count(f.after, []byte("\n")))
	case f.after == nil:
		return name + " (removed)"
	}
	return name + " (replaced)"
}

// short writes a path below the home with ~.
func short(e *Env, path string) string {
	if rel, err := filepath.Rel(e.Home, path); err == nil && e.Home != "" && filepath.IsLocal(rel) {
		return "~" + string(filepath.Separator) + rel
	}
	return path
}

// compare says what is different between two texts in the same format.
func compare(f *fileChange) []string {
	before, errBefore := decode(f.Path, f.before)
	after, errAfter := decode(f.Path, f.after)
	if errBefore != nil || errAfter != nil {
		return []string{"changed"}
	}
	var lines []string
	differ(&lines, "", before, after)
	if len(lines) == 0 {
		lines = []string{"laid out as it was before"}
	}
	return lines
}

func decode(path string, text []byte) (any, error) {
	if text == nil {
		return map[string]any{}, nil
	}
	if filepath.Ext(path) == ".toml" {
		return decodeTOML(text)
	}
	d, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(standard(d.root)))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// differ adds a line for each value that is there only before or only after.
func differ(lines *[]string, at string, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	if b, ok := before.(map[string]any); ok {
		if a, ok := after.(map[string]any); ok {
			keys := maps.Clone(b)
			maps.Copy(keys, a)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				x, was := b[key]
				y, is := a[key]
				next := strings.TrimPrefix(at+"."+tomlKey(key), ".")
				switch {
				case was && is:
					differ(lines, next, x, y)
				case was:
					gone(lines, "-", next, x)
				case is:
					gone(lines, "+", next, y)
				}
			}
			return
		}
	}
	if b, ok := before.([]any); ok {
		if a, ok := after.([]any); ok {
			elements(lines, at, b, a)
			return
		}
	}
	gone(lines, "-", at, before)
	gone(lines, "+", at, after)
}

// elements compares lists: what both have, in the same order, is not shown.
func elements(lines *[]string, at string, before, after []any) {
	for len(before) > 0 && len(after) > 0 && reflect.DeepEqual(before[0], after[0]) {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && reflect.DeepEqual(before[len(before)-1], after[len(after)-1]) {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	in := func(list []any) func(any) bool {
		return func(x any) bool {
			return slices.ContainsFunc(list, func(y any) bool { return reflect.DeepEqual(x, y) })
		}
	}
	removed := slices.DeleteFunc(slices.Clone(before), in(after))
	added := slices.DeleteFunc(slices.Clone(after), in(before))
	// An object from which only something was taken, or to which it was added, is the
	// same one: what else is in it is not shown.
	removed = slices.DeleteFunc(removed, func(x any) bool {
		for i, y := range added {
			if alike(x, y) {
				differ(lines, at+"[]", x, y)
				added = slices.Delete(added, i, i+1)
				return true
			}
		}
		return false
	})
	for _, x := range removed {
		gone(lines, "-", at+"[]", x)
	}
	for _, x := range added {
		gone(lines, "+", at+"[]", x)
	}
}

// alike reports whether two values are objects of which one has all that the other has,
// apart from lists and objects inside, for which the same holds.
func alike(x, y any) bool { return within(x, y) || within(y, x) }

func within(x, y any) bool {
	switch x := x.(type) {
	case map[string]any:
		m, ok := y.(map[string]any)
		if !ok {
			return false
		}
		for key, v := range x {
			if w, has := m[key]; !has || !within(v, w) {
				return false
			}
		}
		return len(x) > 0
	case []any:
		list, ok := y.([]any)
		for _, v := range x {
			ok = ok && slices.ContainsFunc(list, func(w any) bool { return reflect.DeepEqual(v, w) })
		}
		return ok
	}
	return reflect.DeepEqual(x, y)
}

// longest is how much of a value is shown, in characters.
const longest = 160

// gone adds a line. What is inside an object that is there only on one side has a
// line of its own.
func gone(lines *[]string, sign, at string, v any) {
	if m, ok := v.(map[string]any); ok && len(m) > 0 && !strings.HasSuffix(at, "[]") {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			gone(lines, sign, strings.TrimPrefix(at+"."+tomlKey(key), "."), m[key])
		}
		return
	}
	if list, ok := v.([]any); ok && len(list) > 0 && !plainList(list) {
		for _, x := range list {
			gone(lines, sign, at+"[]", x)
		}
		return
	}
	text, err := encode(v)
	if err != nil {
		text = []byte("…")
	}
	if utf8.RuneCount(text) > longest {
		text = []byte(string([]rune(string(text))[:longest]) + "…")
	}
	*lines = append(*lines, fmt.Sprintf("%s %s = %s", sign, at, text))
}

func plainList(list []any) bool {
	return !slices.ContainsFunc(list, func(x any) bool { _, ok := x.(map[string]any); return ok })
}
