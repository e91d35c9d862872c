package dialect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/saysotest"
)

// The calls of the seeds, as they stand there.
const (
	seed1Call = `{
  "name": "ask_user",
  "input": {
    "questions": [
      {
        "question": "Which database should we use?",
        "header": "Database Selection",
        "options": [
          { "label": "PostgreSQL (Recommended)", "description": "Battle-tested relational DB" },
          { "label": "SQLite", "description": "Lightweight, file-based" },
          { "label": "MongoDB", "description": "Document store" }
        ]
      },
      {
        "question": "What should we name this service?",
        "header": "Service Setup"
      }
    ],
    "metadata": { "source": "project-setup" }
  }
}`
	seed1Database = `{"questions":[{"question":"Which database should we use?","options":[{"label":"PostgreSQL (Recommended)"},{"label":"SQLite"}]}]}`

	seed2Call = `{
  "name": "AskUserQuestion",
  "input": {
    "questions": [{
      "question": "Which testing framework should we use?",
      "header": "Testing",
      "options": [
        { "label": "Jest", "description": "Popular JavaScript testing framework" },
        { "label": "Vitest", "description": "Vite-native, fast testing framework" }
      ],
      "multiSelect": false
    }]
  }
}`
	seed2Questions = `[{"question":"Which testing framework should we use?","header":"Testing","options":[
		{"label":"Jest","description":"Popular JavaScript testing framework"},
		{"label":"Vitest","description":"Vite-native, fast testing framework"}],"multiSelect":false}]`

	seed3Call = `{"questions":[
		{"question":"Which approach?","header":"Approach","options":[{"label":"Fast"},{"label":"Careful","description":"slower"}]},
		{"question":"Which platforms?","options":[{"label":"Linux"},{"label":"macOS"},{"label":"Windows"}],"multiSelect":true}]}`

	seed4Call = `{
  "questions": [
    {
      "question": "Which auth method?",
      "header": "Auth",
      "multiSelect": false,
      "options": [
        { "label": "OAuth (Recommended)", "description": "Browser flow" },
        { "label": "API key",             "description": "Static token" }
      ]
    }
  ]
}`
	seed4Form = `{"questions":[
		{"question":"Auth method?","header":"Auth","multiSelect":false,"options":[{"label":"OAuth","description":""},{"label":"API key","description":""}]},
		{"question":"Languages?","header":"Languages","multiSelect":true,"options":[{"label":"Go","description":""},{"label":"Rust","description":""},{"label":"C","description":""}]},
		{"question":"Name?","header":"Name","multiSelect":false,"options":[{"label":"Ann","description":""},{"label":"Ben","description":""}]}]}`
)

// arguments takes the arguments out of a call that is shown with its tool's name.
func arguments(t *testing.T, tool *sayso.Tool, call string) json.RawMessage {
	t.Helper()
	var whole struct {
		Name  string
		Input json.RawMessage
	}
	if err := json.Unmarshal([]byte(call), &whole); err != nil {
		t.Fatal(err)
	}
	if whole.Name == "" {
		return json.RawMessage(call)
	}
	if name := tool.Spec().Name; whole.Name != name {
		t.Errorf("the seed calls the tool %q, the dialect %q", whole.Name, name)
	}
	return whole.Input
}

// parent is a parent agent that comes back with this outcome.
func parent(o sayso.Outcome) sayso.Resolver {
	o.By.Kind = sayso.ByAgent
	return sayso.ResolverFunc(func(context.Context, *sayso.Ask) (*sayso.Outcome, error) { return &o, nil })
}

// TestSeedExamples reproduces every example of a call and of a result that the
// seeds show. JSON is compared by its meaning where a seed prints it on several
// lines, everything else byte for byte.
func TestSeedExamples(t *testing.T) {
	t.Parallel()
	const opalCall = `{"question":"Which port?","choices":["8080","3000"]}`
	gone := saysotest.Does(func(*sayso.Ask) (*sayso.Outcome, error) {
		return &sayso.Outcome{Status: sayso.StatusUnreachable, By: sayso.Responder{Surface: "rpc"}}, nil
	})
	halfWay := saysotest.Does(func(a *sayso.Ask) (*sayso.Outcome, error) {
		o := answered(choose(a, 0, 0))
		o.Status = sayso.StatusCancelled
		return o, nil
	})
	tests := []struct {
		name   string
		d      sayso.Dialect
		call   string
		person sayso.Resolver
		want   sayso.Result
	}{
		{"seed 0: a choice", dialect.Opal, opalCall, saysotest.Answers("3000"), sayso.Result{Text: "3000"}},
		{"seed 0: freeform", dialect.Opal, `{"question":"Which port?"}`, saysotest.Answers("port 8080"), sayso.Result{Text: "port 8080"}},
		{"seed 0: request failed", dialect.Opal, opalCall, saysotest.Breaks(fmt.Errorf("closed: %w", sayso.ErrUnreachable)),
			sayso.Result{Text: "User input request failed: closed: nobody could be asked", IsError: true}},
		{"seed 0: no onAskUser", dialect.Opal, opalCall, nil, sayso.Result{Text: "User input request failed: nobody could be asked", IsError: true}},
		{"seed 0: Ctrl+C", dialect.Opal, opalCall, saysotest.Cancels(),
			sayso.Result{Text: "User input request failed: The user cancelled the question.", IsError: true, StopTurn: true}},
		{"seed 0: parent answers", dialect.Opal, opalCall,
			sayso.Escalate("child", parent(sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "9000"}}})),
			sayso.Result{Text: "9000"}},
		{"seed 0: question failed", dialect.Opal, opalCall,
			sayso.Escalate("child", parent(sayso.Outcome{Status: sayso.StatusDeclined, Reason: ":busy"})),
			sayso.Result{Text: "Question failed: :busy", IsError: true}},
		{"seed 0: no parent", dialect.Opal, opalCall, sayso.Escalate("child", nil, saysotest.Answers("8080")), sayso.Result{Text: "8080"}},

		{"seed 1: selected and typed", dialect.Pi, seed1Call, saysotest.Answers("PostgreSQL (Recommended)", "order-processor"), sayso.Result{Text: `{
  "answered": true,
  "answers": [
    {
      "question": "Which database should we use?",
      "answer": "PostgreSQL (Recommended)",
      "selectedOption": "PostgreSQL (Recommended)",
      "wasCustom": false
    },
    {
      "question": "What should we name this service?",
      "answer": "order-processor",
      "wasCustom": true
    }
  ]
}`}},
		{"seed 1: other", dialect.Pi, seed1Database, saysotest.Answers("I want to use DynamoDB"), sayso.Result{Text: `{
  "answered": true,
  "answers": [
    {
      "question": "Which database should we use?",
      "answer": "I want to use DynamoDB",
      "wasCustom": true
    }
  ]
}`}},
		{"seed 1: suggestions", dialect.Pi, `{"question":"Go on?","suggestions":["Yes","No"]}`, saysotest.Answers("Yes"),
			sayso.Result{Text: `{"answered":true,"answers":[{"question":"Go on?","answer":"Yes","selectedOption":"Yes","wasCustom":false}]}`}},
		{"seed 1: several selected", dialect.Pi, `{"questions":[{"question":"Which features?","options":["Authentication","REST API"],"multiSelect":true}]}`,
			saysotest.Answers("Authentication, REST API"),
			sayso.Result{Text: `{"answered":true,"answers":[{"question":"Which features?","answer":["Authentication","REST API"],"wasCustom":false}]}`}},
		{"seed 1: cancelled", dialect.Pi, seed1Database, saysotest.Cancels(), sayso.Result{Text: `{ "answered": false, "answers": [], "cancelled": true }`}},
		{"seed 1: declined", dialect.Pi, seed1Database, saysotest.Declines(""),
			sayso.Result{Text: `{"answered":false,"answers":[],"cancelled":true,"message":"The user declined to answer."}`}},
		{"seed 1: cancelled half way", dialect.Pi, seed1Call, halfWay, sayso.Result{Text: `{ "answered": false, "answers": [], "cancelled": true }`}},
		{"seed 1: client disconnects", dialect.Pi, seed1Call, gone, sayso.Result{Text: `{ "answered": false, "connectionLost": true }`, IsError: true}},
		{"seed 1: questions pending", dialect.PiPrint(".pi/pending-questions.json"), seed1Call, saysotest.Later(), sayso.Result{Text: `Questions pending. User input required.

To answer, re-run with:
  pi -p @.pi/pending-questions.json "your answers"

Or edit the JSON file and run:
  pi -c

Questions saved to: .pi/pending-questions.json`}},

		{"seed 2: Vitest", dialect.ACP, seed2Call, saysotest.Answers("Vitest"), sayso.Result{Text: `{
  "questions": ` + seed2Questions + `,
  "answers": {
    "Which testing framework should we use?": "Vitest"
  }
}`}},
		{"seed 2: other", dialect.ACP, seed2Call, saysotest.Answers("User's custom answer"),
			sayso.Result{Text: `{"questions":` + seed2Questions + `,"answers":{"Which testing framework should we use?":"User's custom answer"}}`}},
		{"seed 2: several selected", dialect.ACP, strings.Replace(seed2Call, "false", "true", 1), saysotest.Answers("Jest, Vitest"),
			sayso.Result{Text: `{"questions":` + strings.Replace(seed2Questions, "false", "true", 1) + `,"answers":{"Which testing framework should we use?":"Jest, Vitest"}}`}},
		{"seed 2: cancelled", dialect.ACP, seed2Call, saysotest.Cancels(), sayso.Result{Text: `{
  "behavior": "deny",
  "message": "User cancelled the question",
  "interrupt": true
}`, IsError: true, StopTurn: true}},

		{"seed 3: one and several", dialect.JSON, seed3Call, saysotest.Answers("Careful", "Linux, Windows"),
			sayso.Result{Text: `{"answers":{"Which approach?":"Careful","Which platforms?":"Linux, Windows"}}`}},
		{"seed 3: typed", dialect.JSON, seed3Call, saysotest.Answers("", "only what we use"),
			sayso.Result{Text: `{"answers":{"Which platforms?":"only what we use"}}`}},
		{"seed 3: cancelled", dialect.JSON, seed3Call, saysotest.Cancels(), sayso.Result{Text: "User cancelled the question", IsError: true, StopTurn: true}},
		{"seed 3: sub-agent", dialect.JSON, seed3Call, sayso.Deny("ask_user_question is not available to sub-agents"),
			sayso.Result{Text: "ask_user_question is not available to sub-agents", IsError: true}},

		{"seed 4: recommended", dialect.Text, seed4Call, saysotest.Answers("OAuth (Recommended)"), sayso.Result{Text: "Which auth method?\nOAuth (Recommended)"}},
		{"seed 4: canonical answers", dialect.Text, seed4Form, saysotest.Answers("OAuth", "Go, Rust", "Vincent Adultman"), sayso.Result{Text: `Auth method?
OAuth

Languages?
- Go
- Rust

Name?
Vincent Adultman`}},
		{"seed 4: missing answers are skipped", dialect.Text, seed4Form, saysotest.Answers("", "Rust"), sayso.Result{Text: "Languages?\n- Rust"}},
		{"seed 4: cancelled", dialect.Text, seed4Form, saysotest.Cancels(), sayso.Result{Text: "[cancelled by user]"}},
		{"seed 4: ErrResolverCancelled", dialect.Text, seed4Form, saysotest.Breaks(fmt.Errorf("a new message: %w", sayso.ErrCancelled)), sayso.Result{Text: "[cancelled by user]"}},
		{"seed 4: dismissed", dialect.Text, seed4Form, saysotest.Declines(""), sayso.Result{Text: "[cancelled by user]"}},
		{"seed 4: superseded by the user", dialect.Text, seed4Form, saysotest.Does(func(*sayso.Ask) (*sayso.Outcome, error) {
			return &sayso.Outcome{Status: sayso.StatusSuperseded, By: person}, nil
		}), sayso.Result{Text: "[cancelled by user]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := &sayso.Tool{Dialect: tt.d, Resolver: tt.person}
			r, err := tool.Call(t.Context(), sayso.Call{ID: "call_1", Arguments: arguments(t, tool, tt.call)})
			if err != nil {
				t.Fatal(err)
			}
			if !sameText(r.Text, tt.want.Text) {
				t.Errorf("the model reads\n%s\nwant\n%s", r.Text, tt.want.Text)
			}
			if r.IsError != tt.want.IsError || r.StopTurn != tt.want.StopTurn {
				t.Errorf("error %t, stop %t, want %t, %t", r.IsError, r.StopTurn, tt.want.IsError, tt.want.StopTurn)
			}
		})
	}
}

func sameText(got, want string) bool {
	var g, w any
	if json.Unmarshal([]byte(want), &w) != nil {
		return got == want
	}
	return json.Unmarshal([]byte(got), &g) == nil && reflect.DeepEqual(g, w)
}

// TestSeedRefusals holds that a call with mistakes is refused in the words of the
// seed, all mistakes at once, and that nobody is asked.
func TestSeedRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, call string
		d          sayso.Dialect
		want       string
	}{
		{"seed 1: empty questions array", `{"questions":[]}`, dialect.Pi,
			"ask_user: the call is not valid, so nobody was asked. Correct this and call again:\n- questions is empty; ask at least one question"},
		{"seed 3: no questions", `{"questions":[]}`, dialect.JSON, "Must have 1-4 questions"},
		{"seed 3: five questions", `{"questions":[` + strings.Repeat(`{"question":"A","options":["a","b"]},`, 4) + `{"question":"E","options":["a","b"]}]}`, dialect.JSON,
			"Must have 1-4 questions"},
		{"seed 3: one option", `{"questions":[{"question":"Which?","options":["a"]},{"question":"Why?","options":["a","b","c","d","e"]}]}`, dialect.JSON,
			"Question 'Which?' must have 2-4 options\nQuestion 'Why?' must have 2-4 options"},
		{"seed 3: wrong type", `{"questions":[{"question":{},"options":["a","b"]}]}`, dialect.JSON,
			"Invalid input: questions[0].question is an object; send a string"},
		{"seed 3: not JSON", `{"questions":`, dialect.JSON, "Invalid input: arguments cannot be read as JSON: "},
		{"seed 4: nothing", `{}`, dialect.Text, "ask_user_question: the call is not valid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ann := saysotest.Answers("a")
			tool := &sayso.Tool{Dialect: tt.d, Resolver: ann}
			r, err := tool.Call(t.Context(), sayso.Call{ID: "call_1", Arguments: json.RawMessage(tt.call)})
			if err != nil {
				t.Fatal(err)
			}
			if !r.IsError || !strings.HasPrefix(r.Text, tt.want) {
				t.Errorf("error %t\n%s\nwant\n%s", r.IsError, r.Text, tt.want)
			}
			if len(ann.Asks()) > 0 {
				t.Error("somebody was asked")
			}
		})
	}
}

// TestSeed1Details holds what seed 1 stores with the result: questions, answers,
// when, in which mode, and the metadata of the call.
func TestSeed1Details(t *testing.T) {
	t.Parallel()
	const questions = `"questions":[
		{"question":"Which database should we use?","header":"Database Selection","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB","description":"Document store"}]},
		{"question":"What should we name this service?","header":"Service Setup"}],`
	const metadata = `"metadata":{"source":"project-setup"}}`
	tests := []struct {
		name string
		d    sayso.Dialect
		o    func(*sayso.Ask) *sayso.Outcome
		want string
	}{
		{"interactive", dialect.Pi, func(a *sayso.Ask) *sayso.Outcome {
			o := answered(choose(a, 0, 1), say(a, 1, "order-processor"))
			o.At = time.UnixMilli(1707091200000)
			return o
		}, `{"answered":true,"answers":[
			{"question":"Which database should we use?","answer":"SQLite","selectedOption":"SQLite","wasCustom":false},
			{"question":"What should we name this service?","answer":"order-processor","wasCustom":true}],` +
			questions + `"answeredAt":1707091200000,"mode":"interactive",` + metadata},
		{"rpc", dialect.Pi, closed(sayso.StatusCancelled, sayso.Responder{Kind: sayso.ByPerson, Surface: "web"}, ""),
			`{"answered":false,"answers":[],"cancelled":true,` + questions + `"mode":"rpc",` + metadata},
		{"print", dialect.PiPrint(".pi/pending-questions.json"), closed(sayso.StatusPending, sayso.Responder{}, ""),
			`{"answered":false,"answers":[],"pendingFile":".pi/pending-questions.json",` + questions + `"mode":"print",` + metadata},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := prepare(t, tt.d, string(arguments(t, &sayso.Tool{Dialect: tt.d}, seed1Call)))
			if got := format(t, tt.d, a, tt.o(a)).Structured; !sameText(string(got), tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
