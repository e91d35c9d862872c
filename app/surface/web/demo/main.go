// Command demo serves the web inbox over a hub in memory with a few questions in
// it, for the browser tests and for pictures. It prints a login address for each
// line it reads, and adds questions when told to:
//
//	login ann       prints a login address
//	ask TEXT        adds a question
//	asks N          adds N questions
//	block TEXT      adds a question that holds two tools up
//	hostile [TEXT…] adds one with the texts, a JSON list, in every field
//	answer TEXT     answers the oldest open question on another surface
//	history         adds answered questions of the last weeks
//	restart         ends every connection, as a restart of the hub does
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var clock atomic.Int64 // how far the hub's clock is from ours
	h, err := hub.Open(ctx, hub.NewMemory(nil), &hub.Options{Now: func() time.Time { return time.Now().Add(time.Duration(clock.Load())) }})
	if err != nil {
		return err
	}
	defer h.Stop()
	for _, a := range samples(time.Now()) {
		if err := submit(ctx, h, a); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	site := web.New(h, &web.Options{Key: []byte("the demo's key is no secret")})
	srv := &http.Server{Handler: site, ReadHeaderTimeout: 5 * time.Second}
	go srv.Serve(l)
	base := "http://" + l.Addr().String()
	fmt.Println(base)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		verb, rest, _ := strings.Cut(in.Text(), " ")
		switch verb {
		case "login":
			fmt.Println(site.LoginLink(base, &auth.Principal{Tenant: "local", ID: rest, Role: auth.Answerer}))
		case "ask":
			err = submit(ctx, h, &sayso.Ask{Questions: []sayso.Question{{Text: rest}}, Origin: sayso.Origin{Host: "codex"}})
			fmt.Println("ok")
		case "block":
			err = submit(ctx, h, &sayso.Ask{Questions: []sayso.Question{{Text: rest}}, Metadata: map[string]any{"blocked": map[string]any{"tools": []any{"write", "deploy"}}}})
			fmt.Println("ok")
		case "asks":
			n, _ := strconv.Atoi(rest)
			for i := range n {
				err = submit(ctx, h, &sayso.Ask{Questions: []sayso.Question{{Text: fmt.Sprintf("Question number %d?", i+1)}}, Origin: sayso.Origin{Host: "codex"}})
			}
			fmt.Println("ok")
		case "hostile":
			var texts []string
			if err := json.Unmarshal([]byte(rest), &texts); err != nil {
				return err
			}
			all := strings.Join(texts, " ")
			a := &sayso.Ask{Dialect: all, Metadata: map[string]any{all: texts, "blocked": map[string]any{"tools": texts, "agents": texts}}, Origin: sayso.Origin{Agents: texts, Host: all, Workspace: all, Branch: all}}
			for i, f := range texts {
				a.Questions = append(a.Questions, sayso.Question{Header: f, Text: fmt.Sprint(i, " ", f), Body: f, Options: []sayso.Option{{Label: "1 " + f, Description: f, Preview: f}, {Label: "2 " + f, Preview: "# x\n\n" + f}}})
			}
			err = submit(ctx, h, a)
			fmt.Println("ok")
		case "history":
			err = history(ctx, h, &clock)
			fmt.Println("ok")
		case "answer":
			err = answerOldest(ctx, h, rest)
			fmt.Println("ok")
		case "restart":
			addr := l.Addr().String()
			srv.Close()
			if l, err = net.Listen("tcp", addr); err == nil {
				srv = &http.Server{Handler: site, ReadHeaderTimeout: 5 * time.Second}
				go srv.Serve(l)
			}
			fmt.Println("ok")
		}
		if err != nil {
			return err
		}
	}
	return in.Err()
}

func submit(ctx context.Context, h *hub.Hub, a *sayso.Ask) error {
	a.Normalize()
	_, err := h.Submit(ctx, "local", a)
	return err
}

func answerOldest(ctx context.Context, h *hub.Hub, words string) error {
	list, err := h.List(ctx, "local", nil)
	if err != nil || len(list.Tickets) == 0 {
		return err
	}
	t := list.Tickets[0]
	_, err = h.Close(ctx, t, &sayso.Outcome{
		Status:  sayso.StatusAnswered,
		Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Other: words}},
		By:      sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "terminal"},
	}, nil)
	return err
}

// history answers questions with the clock of the hub put back.
func history(ctx context.Context, h *hub.Hub, clock *atomic.Int64) error {
	defer clock.Store(0)
	agents := []string{"claude-code", "codex", "claude-code", "gemini", "claude-code", "opencode", "codex"}
	took := []time.Duration{20 * time.Second, 4 * time.Minute, 35 * time.Second, 9 * time.Minute, 48 * time.Minute, 3 * time.Hour, 2 * time.Minute, 11 * time.Hour, 50 * time.Second, 26 * time.Hour}
	for i := range 64 {
		back := time.Duration(i*i) * 12 * time.Hour / 40
		clock.Store(int64(-back))
		a := &sayso.Ask{
			AskedAt:   time.Now().Add(-back - took[i%len(took)]),
			Questions: []sayso.Question{{Text: fmt.Sprintf("May I merge change %d?", 400-i)}},
			Origin:    sayso.Origin{Host: agents[i%len(agents)], Workspace: "payments-api"},
		}
		a.Normalize()
		t, err := h.Submit(ctx, "local", a)
		if err != nil {
			return err
		}
		if _, err := h.Close(ctx, t, &sayso.Outcome{
			Status:  sayso.StatusAnswered,
			Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Other: "Yes"}},
			By:      sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"},
		}, nil); err != nil {
			return err
		}
	}
	return nil
}

func samples(now time.Time) []*sayso.Ask {
	return []*sayso.Ask{
		{
			AskedAt: now.Add(-3 * time.Hour),
			Origin:  sayso.Origin{Agents: []string{"planner", "researcher"}, Workspace: "docs", Branch: "main"},
			Questions: []sayso.Question{{Header: "Licence", Text: "Which licence should the new repository carry?", Options: []sayso.Option{
				{Label: "MIT"}, {Label: "Apache-2.0 (Recommended)", Description: "With a patent grant"}}}},
		},
		{
			AskedAt: now.Add(-4 * time.Minute),
			Origin:  sayso.Origin{Host: "claude-code", Workspace: "payments-api", Branch: "main"},
			Questions: []sayso.Question{
				{Header: "Database", Text: "Which database should the payments service use?",
					Body: "The service stores **~2 M rows a day** and must support `SELECT … FOR UPDATE`. See [the design note](https://example.com/x).\n\n![track](https://evil.example/p.png)",
					Options: []sayso.Option{
						{Label: "PostgreSQL (Recommended)", Description: "Battle-tested relational DB; already runs in production", Preview: "services:\n  db:\n    image: postgres:17\n    volumes: [pg:/var/lib/postgresql/data]"},
						{Label: "SQLite", Description: "One file, no server; a single writer at a time", Preview: "db, err := sql.Open(\"sqlite\", \"payments.db\")"},
						{Label: "MongoDB", Description: "Document store"}}},
				{Header: "Features", Text: "Which features should the first release include?", Multi: true, Options: []sayso.Option{
					{Label: "Authentication", Description: "OAuth2 + JWT"}, {Label: "REST API", Description: "OpenAPI spec included"}, {Label: "Admin dashboard"}}},
				{Header: "Name", Text: "What should the service be called?"},
			},
		},
		{
			AskedAt: now.Add(-1 * time.Minute),
			Origin:  sayso.Origin{Host: "codex", Workspace: "infra", Branch: "k8s-upgrade"},
			Questions: []sayso.Question{{Header: "Upgrade", Text: "Node pool B still runs 1.29. Drain it now, or wait for the nightly window?", Options: []sayso.Option{
				{Label: "Drain now", Description: "About 6 minutes of reduced capacity", Danger: true}, {Label: "Wait for 02:00 UTC", Recommended: true}}}},
		},
	}
}
