package doortest

import (
	"encoding/json"
	"testing"
)

// object is a JSON object.
type object = map[string]any

// database and licence are what the models ask in most cases, in the words of
// ask_user and of Claude Code's own tool alike.
var (
	database = form("Which database?", "DB", "PostgreSQL", "a server", "SQLite", "a file")
	licence  = form("Which licence?", "Licence", "MIT", "short", "Apache-2.0", "long")
)

// form is one question with two options and their descriptions.
func form(question, header, a, ofA, b, ofB string) object {
	return object{"questions": []any{object{
		"question": question, "header": header, "multiSelect": false,
		"options": []any{object{"label": a, "description": ofA}, object{"label": b, "description": ofB}},
	}}}
}

func decode(t testing.TB, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}
