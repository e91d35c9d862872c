package setup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// tomlValue writes a value on one line.
func tomlValue(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return tomlString(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case []string:
		var all []string
		for _, s := range v {
			all = append(all, tomlString(s))
		}
		return "[" + strings.Join(all, ", ") + "]", nil
	case []any:
		var all []string
		for _, x := range v {
			s, err := tomlValue(x)
			if err != nil {
				return "", err
			}
			all = append(all, s)
		}
		return "[" + strings.Join(all, ", ") + "]", nil
	case map[string]any:
		var all []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s, err := tomlValue(v[key])
			if err != nil {
				return "", err
			}
			all = append(all, tomlKey(key)+" = "+s)
		}
		return "{ " + strings.Join(all, ", ") + " }", nil
	}
	return "", fmt.Errorf("a value of type %T cannot be written as TOML", value)
}

func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func tomlKey(key string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if key != "" && !strings.ContainsFunc(key, func(r rune) bool { return !bare(r) }) {
		return key
	}
	return tomlString(key)
}

func tomlPath(path []string) string {
	var all []string
	for _, key := range path {
		all = append(all, tomlKey(key))
	}
	return strings.Join(all, ".")
}
