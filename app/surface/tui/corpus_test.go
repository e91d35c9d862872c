package tui

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

type sample struct {
	Name  string
	Text  string
	Hex   string
	Never []string
	Block string
}

func corpus(t *testing.T, files ...string) []sample {
	t.Helper()
	var all []sample
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "hostile", f+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var samples []sample
		if err := json.Unmarshal(data, &samples); err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			if s.Hex != "" {
				raw, err := hex.DecodeString(s.Hex)
				if err != nil {
					t.Fatal(err)
				}
				s.Text = string(raw)
			}
			s.Name = f + "/" + s.Name
			all = append(all, s)
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d samples", len(all))
	}
	return all
}

// everywhere puts a text into every place that an asker fills.
func everywhere(text string) *sayso.Ask {
	option := func(id string) sayso.Option {
		return sayso.Option{ID: id, Label: id + text, Description: text, Preview: text, Recommended: true}
	}
	return &sayso.Ask{
		ID:     "ask_hostile",
		Origin: sayso.Origin{Host: text, Agents: []string{text, text}, Workspace: text, Branch: text},
		Questions: []sayso.Question{
			{Header: text, Text: "Q " + text, Body: text, Options: []sayso.Option{option("a"), option("b"), option("c")}},
			{Header: text, Text: "Q " + text, Body: "# " + text + "\n\n> " + text + "\n\n```\n" + text + "\n```\n\n[" + text + "](" + text + ") ![" + text + "](x) `" + text + "`", Multi: true, Options: []sayso.Option{option("a"), option("b")}},
			{Header: text, Text: "Q " + text},
		},
		AskedAt: start, Deadline: start.Add(time.Hour),
		OnExpiry: sayso.Expiry{Default: []sayso.Answer{{QuestionID: "q1", Other: text}}},
	}
}
