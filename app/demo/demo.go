// Package demo is the script of the demos: a pretended agent that asks three kinds
// of questions with the tool of Claude Code, and what it says in between.
//
// "sayso demo" plays it against your hub, "sayso-agent --demo" on the durable host.
// Both take the questions from [Steps], so that they look and answer alike. The
// package asks nobody itself and needs neither a model nor a network.
package demo

import (
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// Host and Workspace say where the agent asks from, in every inbox.
const (
	Host      = "demo agent"
	Workspace = "orders"
)

// Task is what the agent was told to do.
const Task = "Build the orders service and deploy it."

// Tool returns the tool that the agent asks with, as Claude Code defines it.
func Tool() *sayso.Tool { return &sayso.Tool{Dialect: dialect.Claude} }

// Step is one turn of the agent: it says something, then calls the tool.
type Step struct {
	Kind string          // what kind of question it shows, for people
	Says string          // what the agent says first
	Call json.RawMessage // the arguments of the tool
}

// Steps returns the turns of the agent, in order.
func Steps() []Step {
	return []Step{
		{
			Kind: "one choice",
			Says: "I am building the orders service. It needs a database.",
			Call: arguments(question{
				Text: "Which database should the orders service use?", Header: "Database",
				Options: []option{
					{"PostgreSQL (Recommended)", "Already runs in production"},
					{"SQLite", "One file, no server"},
					{"MySQL", "The team knows it"},
				},
			}),
		},
		{
			Kind: "a form",
			Says: "The tables are in place. Two things about the first release.",
			Call: arguments(question{
				Text: "Which features should the first release have?", Header: "Features", Several: true,
				Options: []option{
					{"Sign-in", "With the company account"},
					{"REST API", "With an OpenAPI document"},
					{"Admin page", "Read-only at first"},
				},
			}, question{
				Text: "What should the service be called?", Header: "Name",
				Options: []option{
					{"orders", "As the repository"},
					{"order-processor", "As the other services"},
				},
			}),
		},
		{
			Kind: "an approval",
			Says: "The release is built and all tests pass.",
			Call: arguments(question{
				Text: approval, Header: "Deploy",
				Options: []option{
					{approved, "Takes about two minutes"},
					{"Not yet", "I stop here and change nothing"},
				},
			}),
		},
	}
}

const (
	approval = "May I deploy it to production?"
	approved = "Deploy it"
)

// Last returns what the agent says at the end, after the model has received the
// result of the last question. Whatever is not the approval is none.
func Last(result string) string {
	if strings.HasPrefix(result, `Your questions have been answered: "`+approval+`"="`+approved+`".`) {
		return "Deployed. (Not really: this is a demo, and nothing was changed.)"
	}
	return "I have not deployed anything. Tell me when to go on."
}

// question and option are the tool's arguments as Claude Code names them.
type question struct {
	Text    string   `json:"question"`
	Header  string   `json:"header"`
	Several bool     `json:"multiSelect"`
	Options []option `json:"options"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

func arguments(all ...question) json.RawMessage {
	b, err := json.Marshal(map[string]any{"questions": all})
	if err != nil {
		panic(err) // strings and booleans
	}
	return b
}
