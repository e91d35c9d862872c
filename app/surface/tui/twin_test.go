package tui

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/prompt"
)

// twins are persons who answer the same in the dialog and, line by line, in the
// prompt. A key that begins with = is typed letter by letter.
var twins = []struct {
	who   string
	ask   *sayso.Ask
	keys  string
	lines string
	want  sayso.Status
}{
	{"by number", databases(), "2 enter", "2", sayso.StatusAnswered},
	{"the first", databases(), "1 enter", "1", sayso.StatusAnswered},
	{"the last", databases(), "3 enter", "3", sayso.StatusAnswered},
	{"with the arrows", databases(), "down down enter", "2", sayso.StatusAnswered},
	{"by label", databases(), "2 enter", "SQLite", sayso.StatusAnswered},
	{"by label in small letters", databases(), "2 enter", "sqlite", sayso.StatusAnswered},
	{"own words", databases(), "0 =DynamoDB enter", "other DynamoDB", sayso.StatusAnswered},
	{"own words by their number", databases(), "4 =files_only enter", "other files_only", sayso.StatusAnswered},
	{"own words when asked", databases(), "0 =ask_Ann enter", "other\nask_Ann", sayso.StatusAnswered},
	{"own words with a number", databases(), "0 =3_of_them enter", "3_of_them\nyes", sayso.StatusAnswered},
	{"own words that are a number", databases(), "0 =3 enter enter", "3", sayso.StatusAnswered},
	{"own words that are a label", databases(), "0 =mongodb enter enter", "mongodb", sayso.StatusAnswered},
	{"own words in Chinese", databases(), "0 =数据库 enter", "other 数据库", sayso.StatusAnswered},
	{"own words with spaces around", databases(), "0 =␣two␣␣words␣ enter", "other\n two  words ", sayso.StatusAnswered},
	{"later", databases(), "esc", "/later", sayso.StatusPending},
	{"closes the laptop", databases(), "esc", "", sayso.StatusPending},
	{"cancels", databases(), "ctrl+c", "/cancel", sayso.StatusCancelled},
	{"declines", databases(), "ctrl+d", "/decline", sayso.StatusDeclined},
	{"Enter first", databases(), "enter enter 2 enter", "\n\n2", sayso.StatusAnswered},
	{"Enter only", databases(), "enter enter enter esc", "\n\n\n", sayso.StatusPending},
	{"no such number", databases(), "7 2 enter", "7\nno\n2", sayso.StatusAnswered},
	{"changes the mind", databases(), "1 2 enter", "2", sayso.StatusAnswered},
	{"looks for help", databases(), "down up 3 enter", "/help\n3", sayso.StatusAnswered},
	{"recommended by its label", databases(), "1 enter", "PostgreSQL (Recommended)", sayso.StatusAnswered},
	{"a text", name(), "=order-processor enter", "order-processor", sayso.StatusAnswered},
	{"a blank text first", name(), "enter = enter =svc enter", "\n\nsvc", sayso.StatusAnswered},
	{"only spaces", name(), "=␣␣ enter esc y", "  \n", sayso.StatusPending},
	{"a text that is a number", name(), "=2 enter", "2", sayso.StatusAnswered},
	{"a text, declined", name(), "ctrl+d", "/decline", sayso.StatusDeclined},
	{"several", features(), "1 3 enter", "1,3", sayso.StatusAnswered},
	{"several without a comma", features(), "0 =1␣3 enter", "1 3\nyes", sayso.StatusAnswered},
	{"several by label", features(), "1 2 enter", "Authentication, REST API", sayso.StatusAnswered},
	{"several and words", features(), "1 0 =webhooks enter", "1, other webhooks", sayso.StatusAnswered},
	{"words among several", features(), "0 =nothing_yet enter", "other nothing_yet", sayso.StatusAnswered},
	{"only spaces among several", features(), "0 =␣␣ esc enter esc y", "other\n  \n", sayso.StatusPending},
	{"unticks", features(), "1 2 1 enter", "2", sayso.StatusAnswered},
	{"Enter before a tick", features(), "enter 3 enter", "\n3", sayso.StatusAnswered},
	{"all", features(), "1 2 3 enter", "1,2,3", sayso.StatusAnswered},
	{"a form", service(), "2 enter 1 3 enter =svc enter enter", "2\n1,3\nsvc\ny", sayso.StatusAnswered},
	{"a form, changed in the review", service(), "2 enter 1 enter =svc enter 1 3 enter enter", "2\n1\nsvc\n1\n3\ny", sayso.StatusAnswered},
	{"a form with a question left out", service(), "2 enter tab =svc enter s", "2\n/skip\nsvc\ny", sayso.StatusAnswered},
	{"a form, declined after all", service(), "2 enter ctrl+d y", "2\n/decline\nyes", sayso.StatusDeclined},
	{"a form, cancelled after all", service(), "2 enter ctrl+c y", "2\n/cancel\nyes", sayso.StatusCancelled},
	{"a form, not declined after all", service(), "2 enter ctrl+d esc 1 enter =svc enter enter", "2\n/decline\nno\n1\nsvc\ny", sayso.StatusAnswered},
	{"a form, later in the review", service(), "2 enter 1 enter =svc enter esc y", "2\n1\nsvc\n/later", sayso.StatusPending},
	{"a form, closed half-way", service(), "2 enter 1 enter esc y", "2\n1\n", sayso.StatusPending},
	{"a danger", branches(), "2 space enter y", "2\nyes", sayso.StatusAnswered},
	{"no danger", branches(), "1 enter", "1", sayso.StatusAnswered},
	{"a danger by number only", branches(), "2 2 2 esc", "2\n2\n2\n", sayso.StatusPending},
	{"one of many", frameworks(), "9 enter", "9", sayso.StatusAnswered},
	{"one of many, found", frameworks(), "/ =polka enter down enter", "11", sayso.StatusAnswered},
}

func TestDialogAndPromptAreTwins(t *testing.T) {
	if len(twins) < 40 {
		t.Fatalf("%d persons", len(twins))
	}
	for _, p := range twins {
		t.Run(p.who, func(t *testing.T) {
			t.Parallel()
			a := p.ask.Clone()
			a.Normalize()
			lines := p.lines
			if lines != "" && !strings.HasSuffix(lines, "\n") {
				lines += "\n"
			}
			r := &prompt.Resolver{In: strings.NewReader(lines), Out: new(strings.Builder)}
			plain, err := r.Ask(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			drawn := drive(t, a, p.keys)
			if drawn == nil {
				t.Fatal("the dialog has no outcome")
			}
			if plain.Status != p.want || drawn.Status != p.want {
				t.Errorf("prompt %s, dialog %s, want %s", plain.Status, drawn.Status, p.want)
			}
			if !reflect.DeepEqual(plain.Answers, drawn.Answers) || plain.Reply != drawn.Reply || plain.By.Kind != drawn.By.Kind {
				t.Errorf("prompt %+v\ndialog %+v", plain, drawn)
			}
		})
	}
}

// drive presses keys in a dialog without a screen.
func drive(t *testing.T, a *sayso.Ask, keys string) *sayso.Outcome {
	t.Helper()
	m := New(one(a), &Options{Guard: -1, Later: true, Now: func() time.Time { return start }})
	m.Init()
	for _, k := range strings.Fields(keys) {
		if text, typed := strings.CutPrefix(k, "="); typed {
			for _, r := range strings.ReplaceAll(text, "␣", " ") {
				name := string(r)
				if r == ' ' {
					name = "space"
				}
				m.Update(keyOf(t, name))
			}
			continue
		}
		m.Update(keyOf(t, k))
	}
	return m.Outcomes()[0]
}
