package surfacetest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

// Row is a row of testdata/match.json: what is asked, what is said, what it means.
type Row struct {
	Name     string         `json:"name"`
	Question sayso.Question `json:"question"`
	Said     []string       `json:"said"`
	Joined   bool           `json:"joined"` // it is one text, in which a protocol has joined several
	Meaning
	Numbered *Meaning `json:"numbered"` // where the surface numbers the options, if that differs
}

// Meaning is what a row means.
type Meaning struct {
	Selected []string `json:"selected"`
	Other    string   `json:"other"`
	Refused  bool     `json:"refused"`
}

// Empty reports whether nothing was said.
func (m Meaning) Empty() bool { return len(m.Selected) == 0 && m.Other == "" && !m.Refused }

// Means returns what the row means on a surface.
func (r *Row) Means(numbers bool) Meaning {
	if numbers && r.Numbered != nil {
		return *r.Numbered
	}
	return r.Meaning
}

// Rows returns the table.
func Rows(t testing.TB) []Row {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "..", "testdata", "match.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Reader is something that reads what was said as an answer to a question.
type Reader struct {
	Numbers bool // it takes numbers
	Lists   bool // it takes several texts
	Joined  bool // it takes several labels in one text

	// Read returns the answer. An error that matches [sayso.ErrAmbiguous] says that
	// two options could be meant.
	Read func(t *testing.T, q *sayso.Question, said []string) (sayso.Answer, error)
}

// RunMatch holds a reader to every row of the table that it can be given.
func RunMatch(t *testing.T, r Reader) {
	n := 0
	for _, row := range Rows(t) {
		if len(row.Said) > 1 && !r.Lists || row.Joined && !r.Joined || r.Joined && !row.Joined && isJoined(&row) {
			continue
		}
		n++
		t.Run(strings.ReplaceAll(row.Name, " ", "_"), func(t *testing.T) {
			a := &sayso.Ask{Questions: []sayso.Question{row.Question}}
			a.Normalize()
			got, err := r.Read(t, &a.Questions[0], row.Said)
			switch want := row.Means(r.Numbers); {
			case want.Refused != errors.Is(err, sayso.ErrAmbiguous):
				t.Errorf("error %v, want refused: %v", err, want.Refused)
			case err != nil && !want.Refused:
				t.Error(err)
			case err == nil && (!slices.Equal(got.Selected, want.Selected) || got.Other != want.Other):
				t.Errorf("%q, %q; want %q, %q", got.Selected, got.Other, want.Selected, want.Other)
			}
		})
	}
	if n < 40 {
		t.Errorf("only %d rows of the table were given to it", n)
	}
}

// isJoined reports whether a row has a text that would mean something else where
// labels are joined.
func isJoined(r *Row) bool {
	return len(r.Said) == 1 && strings.Contains(r.Said[0], ",") && r.Question.Multi && len(r.Selected) == 0
}

// V10: the same input means the same as on every other surface.
var meaning = []one{
	{"V10", "the table", types, func(e *env) {
		for i, row := range Rows(e.T) {
			if len(row.Said) > 1 && e.TypeList == nil || row.Question.Multi && e.Single || row.Joined && !e.Joined || e.Joined && !row.Joined && isJoined(&row) ||
				e.Lines && slices.ContainsFunc(row.Said, func(s string) bool { return strings.Contains(s, "\n") }) {
				continue
			}
			a := &sayso.Ask{ID: "row " + string(rune('a'+i%26)) + row.Name, Questions: []sayso.Question{row.Question}}
			t := e.shows(a)
			e.SeesAll()
			if len(row.Said) > 1 {
				e.TypeList(0, row.Said)
			} else {
				e.Type(0, row.Said[0])
			}
			e.answer(t)
			now := e.Now(t)
			switch want := row.Means(e.Numbers); {
			case want.Refused || want.Empty():
				if !now.Open() {
					e.Errorf("%s: %q was taken as %s", row.Name, row.Said, sayso.RenderResult(now.Ask, now.Outcome))
				} else if want.Refused && e.Says() == "" {
					e.Errorf("%s: the surface does not say why %q is refused", row.Name, row.Said)
				}
			case now.Open():
				e.Errorf("%s: %q was not taken: %q", row.Name, row.Said, e.Says())
			default:
				got, _ := now.Outcome.Answer(now.Ask.Questions[0].ID)
				if !slices.Equal(got.Selected, want.Selected) || got.Other != want.Other {
					e.Errorf("%s: %q is stored as %q, %q; want %q, %q", row.Name, row.Said, got.Selected, got.Other, want.Selected, want.Other)
				}
			}
			if e.Away != nil {
				e.Away()
			}
		}
	}},
}
