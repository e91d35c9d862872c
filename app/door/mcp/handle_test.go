package mcp_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/mcp"
)

var shortHandle = regexp.MustCompile(`\bhandle ([0-9a-z]{5}(?:-[0-9a-z]{5}){3})\b`)

// handleIn returns the handle that a model reads.
func handleIn(t testing.TB, text string) string {
	t.Helper()
	m := shortHandle.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no handle in %q", text)
	}
	return m[1]
}

// TestShortHandle: the handle that a model reads gets the answer, also from a
// program that was started again and knows nothing of it, in this conversation or
// in another. A slip is noticed, and so is a handle of nobody.
func TestShortHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		run := func(conversation string) *agent {
			a := w.connect(&mcp.Options{Hold: time.Minute, Origin: sayso.Origin{Conversation: conversation}})
			a.initialize("2025-11-25", `{}`)
			return a
		}
		check := func(a *agent, name string) string {
			t.Helper()
			a.send(callTool("2", "check_answer", `{"handle":"`+name+`","wait_seconds":0}`))
			return a.receive().Result.Content[0].Text
		}
		first := run("c")
		first.send(callTool("1", "ask_user_async", database))
		m := first.receive()
		short := handleIn(t, m.Result.Content[0].Text)
		if long := w.open().Handle; m.Result.Meta["sayso/handle"] != long || strings.Contains(m.Result.Content[0].Text, long) {
			t.Errorf("%s", m.line)
		}
		slip := map[bool]string{true: "1", false: "0"}[short[0] == '0'] + short[1:]
		for name, a := range map[string]*agent{"first": first, "started again": run("c"), "elsewhere": run("d")} {
			if got := check(a, slip); !strings.Contains(got, "no question with this handle") {
				t.Errorf("%s: a slip gets %q", name, got)
			}
			if got := check(a, "sxtsj-begmt-xqhqe-gx156"); !strings.Contains(got, "no question with this handle") {
				t.Errorf("%s: a handle of nobody gets %q", name, got)
			}
			if got := check(a, strings.ToUpper(short)); !strings.Contains(got, "still open") || handleIn(t, got) != short {
				t.Errorf("%s: %q", name, got)
			}
		}
		w.answer("SQLite")
		if got := check(run("c"), short); got != "Which database?\nSQLite" {
			t.Errorf("%q", got)
		}
	})
}

// TestShortHandleOfStranger: a short handle is of no use to another tenant, nor to
// another asker of the same one, and its owner gets the answer without a conversation.
func TestShortHandleOfStranger(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own := s.over(t.Context(), "2026-07-28", s.token, "", nil)
	r, err := own.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask_user_async", Arguments: question("Which database?")})
	short := handleIn(t, text(t, r, err))
	for name, token := range map[string]string{"another tenant": s.other, "another asker": s.asker} {
		stranger := s.over(t.Context(), "2026-07-28", token, "", nil)
		for _, tool := range []string{"check_answer", "withdraw"} {
			r, err := stranger.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{"handle": short, "wait_seconds": 0}})
			if got := text(t, r, err); !r.IsError || !strings.Contains(got, "no question with this handle") {
				t.Errorf("%s gets by %s: %q", name, tool, got)
			}
		}
	}
	s.answer("SQLite")
	r, err = own.CallTool(t.Context(), &sdk.CallToolParams{Name: "check_answer", Arguments: map[string]any{"handle": short}})
	if got := text(t, r, err); got != sqlite {
		t.Errorf("the owner gets %q", got)
	}
}
