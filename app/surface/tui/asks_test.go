package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// start is when every synctest bubble begins.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

var origin = sayso.Origin{Host: "claude-code", Workspace: "payments-api", Branch: "main"}

// databases is a single choice with everything an option can have.
func databases() *sayso.Ask {
	return &sayso.Ask{
		ID: "ask_db", Origin: origin, AskedAt: start.Add(-2 * time.Minute),
		Questions: []sayso.Question{{
			Header: "Database", Text: "Which database should the payments service use?",
			Options: []sayso.Option{
				{Label: "PostgreSQL (Recommended)", Description: "Battle-tested relational DB"},
				{Label: "SQLite", Description: "One file, no server"},
				{Label: "MongoDB", Description: "Document store"},
			},
		}},
	}
}

func withPreviews() *sayso.Ask {
	a := databases()
	q := &a.Questions[0]
	q.Body = "The service stores **~2 M rows a day** and must support `SELECT … FOR UPDATE`. See [the plan](https://example.org/plan)."
	q.Options[0].Preview = "DATABASE_URL=postgres://db.internal/payments\npool_size = 20"
	q.Options[1].Preview = "db, err := sql.Open(\"sqlite\", \"payments.db\")\nif err != nil {\n\treturn fmt.Errorf(\"opening: %w\", err)\n}"
	return a
}

func name() *sayso.Ask {
	return &sayso.Ask{
		ID: "ask_name", Origin: origin, AskedAt: start.Add(-3 * time.Hour),
		Questions: []sayso.Question{{Header: "Service Setup", Text: "What should we name this service?"}},
	}
}

func features() *sayso.Ask {
	return &sayso.Ask{
		ID: "ask_features", Origin: origin, AskedAt: start,
		Questions: []sayso.Question{{
			Header: "Features", Text: "Which features should the first release include?", Multi: true,
			Options: []sayso.Option{
				{Label: "Authentication", Description: "OAuth2 + JWT"},
				{Label: "REST API", Description: "OpenAPI spec included"},
				{Label: "Admin dashboard"},
			},
		}},
	}
}

// service asks three questions at once.
func service() *sayso.Ask {
	a := databases()
	a.ID = "ask_service"
	a.Questions = append(a.Questions, features().Questions[0],
		sayso.Question{Header: "Name", Text: "What should the service be called?"})
	return a
}

func frameworks() *sayso.Ask {
	a := &sayso.Ask{
		ID: "ask_framework", Origin: origin,
		Questions: []sayso.Question{{Header: "Framework", Text: "Which framework should we use?"}},
	}
	for _, f := range []string{"Express.js", "Fastify", "Hono", "Koa", "NestJS", "Hapi", "Restify", "Sails", "Feathers", "LoopBack", "Polka", "Micro"} {
		a.Questions[0].Options = append(a.Questions[0].Options, sayso.Option{Label: f, Description: "The framework called " + f})
	}
	return a
}

func branches() *sayso.Ask {
	return &sayso.Ask{
		ID: "ask_branch", AskedAt: start.Add(-49 * time.Hour),
		Origin: sayso.Origin{Agents: []string{"planner", "researcher"}, Host: "crush", Workspace: "docs", Branch: "release/2.0"},
		Questions: []sayso.Question{{
			Header: "Cleanup", Text: "What shall become of the old branch?",
			Options: []sayso.Option{
				{Label: "Keep it"},
				{Label: "Delete it", Description: "Cannot be undone", Danger: true},
			},
		}},
	}
}

func cjk() *sayso.Ask {
	return &sayso.Ask{
		ID: "ask_cjk", Origin: sayso.Origin{Host: "助手", Workspace: "支付服务"}, AskedAt: start,
		Questions: []sayso.Question{{
			Header: "数据库", Text: "支付服务应该使用哪个数据库？请在评估运行成本和团队经验之后再做决定。",
			Options: []sayso.Option{
				{Label: "PostgreSQL（推荐）", Description: "久经考验的关系数据库，已经在生产环境中运行", Recommended: true},
				{Label: "데이터베이스 없음", Description: "파일만 사용합니다"},
				{Label: "データベースは後で決める", Description: "今は何も選ばない"},
			},
		}},
	}
}

func secret() *sayso.Ask {
	a := name()
	a.Questions[0].Header, a.Questions[0].Text, a.Questions[0].Secret = "Token", "Which deploy token should CI use?", true
	return a
}

// lengthy has more to read than a screen holds.
func lengthy() *sayso.Ask {
	a := databases()
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%d. Consequence number %d of the choice.\n", i+1, i+1)
	}
	a.Questions[0].Body = b.String()
	return a
}

func deadline() *sayso.Ask {
	a := databases()
	a.Deadline = start.Add(5 * time.Minute)
	a.Normalize()
	a.OnExpiry.Default = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}
	return a
}

// final is an ask whose answer cannot be undone while its asker waits.
func final() *sayso.Ask {
	a := databases()
	a.Final = true
	return a
}
