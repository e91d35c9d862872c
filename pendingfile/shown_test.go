package pendingfile

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// fullAsk has something in every place that a question has.
func fullAsk() *sayso.Ask {
	a := seedAsk()
	a.Origin.Agents, a.Origin.Workspace = []string{"planner"}, "payments"
	a.Deadline = seedTime.Add(3 * time.Hour)
	a.Metadata = map[string]any{sayso.MetadataBlocked: map[string]any{"tools": []any{"deploy"}}}
	a.Questions = a.Questions[:1]
	q := &a.Questions[0]
	q.Body = "The service stores many rows.\n\nIt needs <transactions>."
	q.Options[0].Preview = "image: postgres:17\nport: 5432"
	q.Options[2].Danger = true
	a.ID = a.DeriveID()
	return a
}

// TestEverythingIsShown: who answers by editing the file sees what the digest
// covers, who asks, until when, and what waits.
func TestEverythingIsShown(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, fullAsk())
	data, err := os.ReadFile(p.file(DefaultFile))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "full.golden.json", data)
	p.edit(t, DefaultFile, `"answer": null`, `"answer": "SQLite"`)
	read, err := p.Read("")
	if err != nil {
		t.Fatal(err)
	}
	o, err := read.FromFile()
	if err != nil || len(o.Answers) != 1 || o.Answers[0].Selected[0] != "o2" {
		t.Errorf("got %+v, %v", o, err)
	}
}

// TestShownIsWhatWasAsked: an answer to something else than what was asked does not
// count.
func TestShownIsWhatWasAsked(t *testing.T) {
	t.Parallel()
	for member, edit := range map[string][2]string{
		"header":   {`"header": "Database Selection"`, `"header": "Lunch"`},
		"question": {`"question": "Which database`, `"question": "Which lunch`},
		"body":     {`many rows`, `no rows`},
		"details":  {`, "danger": true`, ``},
	} {
		p := newPlace(t)
		p.write(t, fullAsk())
		p.edit(t, DefaultFile, edit[0], edit[1])
		if _, err := p.Read(""); !errors.Is(err, sayso.ErrMalformed) || !strings.Contains(err.Error(), member) {
			t.Errorf("%s: %v", member, err)
		}
	}
}

// TestOlderFile: a file of before there were details can be answered.
func TestOlderFile(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/older.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := decode([]byte(strings.Replace(string(data), `"answer": null`, `"answer": "sqlite"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.FromFile(); err != nil || len(o.Answers) != 2 || o.Answers[0].Selected[0] != "o2" {
		t.Errorf("got %+v, %v", o, err)
	}
}
