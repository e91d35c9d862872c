package storecheck

import (
	"encoding/binary"
	"testing"
)

func position(numbers ...uint64) []byte {
	b := []byte{22, 2}
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func TestPossiblePosition(t *testing.T) {
	for name, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"none":                       {nil, true},
		"nothing pending":            {position(7, 7, 7, 7, 0, 0), true},
		"one pending":                {position(6, 6, 7, 7, 1, 1234, 1, 1, 5, 0), true},
		"one redelivered":            {position(6, 6, 7, 7, 1, 1234, 1, 1, 5, 1, 1, 2), true},
		"beyond the end":             {position(7, 7, 101, 101, 0, 0), false},
		"too many pending":           {position(6, 6, 7, 7, 1<<40, 1234, 1, 1, 5, 0), false},
		"too many redelivered":       {position(7, 7, 7, 7, 0, 1<<40), false},
		"cut":                        {position(7, 7, 7), false},
		"another magic":              {append([]byte{23}, position(7, 7, 7, 7, 0, 0)[1:]...), false},
		"a number that does not end": {[]byte{22, 2, 0xff, 0xff}, false},
	} {
		if got := possiblePosition(c.b, 100); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func FuzzPossiblePosition(f *testing.F) {
	f.Add(position(6, 6, 7, 7, 1, 1234, 1, 1, 5, 1, 1, 2))
	f.Fuzz(func(t *testing.T, b []byte) { possiblePosition(b, 100) })
}
