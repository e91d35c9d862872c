package sayso_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// fullCall is as much as Claude Code's tool takes: four questions with four
// options each.
const fullCall = `{"questions":[
{"question":"Which database should the payments service use?","header":"Database","multiSelect":false,"options":[
 {"label":"PostgreSQL (Recommended)","description":"Battle-tested relational database, already running in production for two other services"},
 {"label":"SQLite","description":"One file, no server; enough for a single instance, hard to scale out later"},
 {"label":"MongoDB","description":"Document store; schema changes are easy, transactions across documents are not"},
 {"label":"DynamoDB","description":"Managed by the cloud provider; nothing to run, a bill that grows with use"}]},
{"question":"Which features should the first release include?","header":"Features","multiSelect":true,"options":[
 {"label":"Authentication","description":"OAuth2 with short-lived JWTs and refresh tokens, using the existing provider"},
 {"label":"REST API","description":"The public API with an OpenAPI document and generated clients"},
 {"label":"Admin dashboard","description":"A small web page for support staff to look up and refund payments"},
 {"label":"Webhooks","description":"Signed callbacks to merchants with retries and a delivery log"}]},
{"question":"How should the service be deployed?","header":"Deployment","multiSelect":false,"options":[
 {"label":"Kubernetes","description":"The cluster that the rest of the platform runs on, with the shared Helm chart"},
 {"label":"Serverless functions","description":"One function for each endpoint; cold starts of up to two seconds"},
 {"label":"Virtual machine","description":"A single machine with systemd; simple, but patched and watched by hand"},
 {"label":"Container on a PaaS","description":"Push an image and forget the rest; costs about three times as much"}]},
{"question":"What should happen to the old payments table?","header":"Migration","multiSelect":false,"options":[
 {"label":"Keep it read-only","description":"Reports go on working; it is dropped when nobody has read it for 90 days"},
 {"label":"Copy and drop","description":"One migration over the weekend with an hour of downtime, then it is gone"},
 {"label":"Write to both","description":"Both tables are kept in step for a month; more code, no downtime"},
 {"label":"Leave it alone","description":"The new service starts empty; old payments stay where they are"}]}]}`

// The same shape for encoding/json, and nothing else.
type bareCall struct {
	Questions []bareQuestion    `json:"questions"`
	Answers   map[string]string `json:"answers,omitempty"`
}

type bareQuestion struct {
	Question    string       `json:"question"`
	Header      string       `json:"header"`
	Options     []bareOption `json:"options"`
	MultiSelect bool         `json:"multiSelect"`
}

type bareOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

func benchTool(b *testing.B) {
	tool := &sayso.Tool{Dialect: dialect.Claude}
	call := sayso.Call{
		ID: "toolu_01A", Conversation: "c1", Agents: []string{"planner"},
		Host: "claude-code", Workspace: "payments-api", Branch: "main", Arguments: json.RawMessage(fullCall),
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{
		{QuestionID: "q1", Selected: []string{"o1"}},
		{QuestionID: "q2", Selected: []string{"o1", "o3"}},
		{QuestionID: "q3", Selected: []string{"o1"}},
		{QuestionID: "q4", Selected: []string{"o3"}},
	}}
	b.ReportAllocs()
	for b.Loop() {
		a, refusal := tool.Prepare(call)
		if refusal != nil {
			b.Fatal(refusal.Text)
		}
		if _, err := tool.Finish(a, o); err != nil {
			b.Fatal(err)
		}
	}
}

func benchBare(b *testing.B) {
	args := []byte(fullCall)
	b.ReportAllocs()
	for b.Loop() {
		var c bareCall
		if err := json.Unmarshal(args, &c); err != nil {
			b.Fatal(err)
		}
		c.Answers = map[string]string{
			c.Questions[0].Question: c.Questions[0].Options[0].Label,
			c.Questions[1].Question: c.Questions[1].Options[0].Label + ", " + c.Questions[1].Options[2].Label,
			c.Questions[2].Question: c.Questions[2].Options[0].Label,
			c.Questions[3].Question: c.Questions[3].Options[2].Label,
		}
		if _, err := json.Marshal(&c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkToolCall compares a whole call, Prepare and Finish, with encoding/json
// reading and writing the same payload and doing nothing else.
func BenchmarkToolCall(b *testing.B) {
	b.Run("sayso", benchTool)
	b.Run("encoding-json", benchBare)
}

// TestFigure_P0ToolCall measures both in short turns, so that a busy machine
// slows both down, and reports the median of the ratios: the best time of each
// would compare a lucky moment of one with an unlucky one of the other.
func TestFigure_P0ToolCall(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	const goal, rounds, turn = 3.0, 41, "100ms"
	benchtime := flag.Lookup("test.benchtime")
	before := benchtime.Value.String()
	if err := benchtime.Value.Set(turn); err != nil {
		t.Fatal(err)
	}
	defer benchtime.Value.Set(before)
	var ratios []float64
	for range rounds {
		tool, bare := testing.Benchmark(benchTool), testing.Benchmark(benchBare)
		ratios = append(ratios, float64(tool.NsPerOp())/float64(bare.NsPerOp()))
	}
	slices.Sort(ratios)
	median := ratios[rounds/2]
	t.Logf("FIGURE P0 %.2f x", median)
	t.Logf("%d rounds; quartiles %.2f and %.2f, extremes %.2f and %.2f",
		rounds, ratios[rounds/4], ratios[3*rounds/4], ratios[0], ratios[rounds-1])
	if median > goal {
		t.Errorf("a call takes %.2f times as long as encoding/json alone, the goal is %.1f", median, goal)
	}
}
