package dialect_test

import (
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// A person who declines may say why. The model reads it in every dialect: it is what
// keeps the model from asking the same again.
func TestDeclineReason(t *testing.T) {
	const why = "Ask me after the release, please"
	a := &sayso.Ask{ID: "a", Questions: []sayso.Question{{
		Header: "Database", Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL", Description: "a server"}, {Label: "SQLite", Description: "a file"}},
	}}}
	a.Normalize()
	o := &sayso.Outcome{
		Status: sayso.StatusDeclined, Reason: why, At: time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC),
		By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"},
	}
	for i, d := range dialect.All() {
		name := dialect.Names()[i]
		r, err := d.Format(a, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(r.Text, why) {
			t.Errorf("%s: the model does not read the reason: %q", name, r.Text)
		}
	}
}
