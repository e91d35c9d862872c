package surfacetest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
)

// The forty are what they are said to be, and the file has the same.
func TestForty(t *testing.T) {
	all := surfacetest.Forty(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	agents, digests, kinds := map[string]bool{}, map[string]int{}, map[string]int{}
	for _, d := range all {
		a := d.Ask.Clone()
		a.Normalize()
		if err := a.Validate(sayso.Limits{}); err != nil {
			t.Errorf("%s: %v", a.ID, err)
		}
		agents[a.Origin.Host] = true
		digests[a.Digest()]++
		q := a.Questions[0]
		switch {
		case a.Approval != nil:
			kinds["approval"]++
		case q.Several():
			kinds["several"]++
		case q.Chooses():
			kinds["choice"]++
		default:
			kinds["words"]++
		}
		for _, n := range d.Choose {
			if n < 1 || n > len(q.Options) {
				t.Errorf("%s has no option %d", a.ID, n)
			}
		}
		danger, _ := a.Marks()
		if danger {
			kinds["danger"]++
		}
	}
	if len(all) != 40 || len(agents) != 8 || !slices.Contains(values(digests), 3) {
		t.Errorf("%d asks of %d agents, identical: %v", len(all), len(agents), digests)
	}
	if kinds["approval"] != 4 || kinds["several"] != 3 || kinds["words"] != 3 || kinds["danger"] != 1 {
		t.Errorf("kinds %v", kinds)
	}
	got, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const path = "testdata/forty.json"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update rewrites it): %v", path, err)
	}
}

func values(m map[string]int) (all []int) {
	for _, n := range m {
		all = append(all, n)
	}
	return all
}
