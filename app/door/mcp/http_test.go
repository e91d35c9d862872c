package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/hub"
)

// over is a client of the SDK, over HTTP, as the holder of a token.
func (s *site) over(ctx context.Context, version, token, conversation string, answers func(*sdk.ElicitParams) *sdk.ElicitResult) *sdk.ClientSession {
	s.t.Helper()
	opts := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	if answers != nil {
		opts.Capabilities = nil
		opts.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return answers(r.Params), nil
		}
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, opts)
	session, err := c.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: s.server.URL, HTTPClient: &http.Client{Transport: &bearing{token, conversation}}, DisableStandaloneSSE: true,
	}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return session
}

// bearing shows a credential with every request.
type bearing struct{ token, conversation string }

func (b *bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	if b.conversation != "" {
		r.Header.Set("Sayso-Conversation", b.conversation)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func text(t testing.TB, r *sdk.CallToolResult, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range r.Content {
		all = append(all, c.(*sdk.TextContent).Text)
	}
	return strings.Join(all, "\n---\n")
}

func askFor(arguments map[string]any) *sdk.CallToolParams {
	return &sdk.CallToolParams{Name: "ask_user", Arguments: arguments}
}

func question(text string) map[string]any {
	return map[string]any{"questions": []any{map[string]any{"question": text, "options": []any{"PostgreSQL", "SQLite"}}}}
}

// TestHTTP: each era is served at one address, with a form and without.
func TestHTTP(t *testing.T) {
	t.Parallel()
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			form := s.over(t.Context(), era, s.token, "", func(p *sdk.ElicitParams) *sdk.ElicitResult {
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"question_0": "SQLite"}}
			})
			r, err := form.CallTool(t.Context(), askFor(question("Which database?")))
			if got := text(t, r, err); got != sqlite {
				t.Errorf("by a form: %q", got)
			}
			if got := form.InitializeResult(); era < "2026-07-28" && got.ProtocolVersion != era {
				t.Errorf("speaks %s", got.ProtocolVersion)
			}
			plain := s.over(t.Context(), era, s.token, "", nil)
			go s.answer("SQLite")
			r, err = plain.CallTool(t.Context(), askFor(question("Which database?")))
			if got := text(t, r, err); got != sqlite {
				t.Errorf("held: %q", got)
			}
		})
	}
}

// TestHTTPTenants: a handle is of no use to a stranger.
func TestHTTPTenants(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	own, stranger := s.over(t.Context(), "2026-07-28", s.token, "", nil), s.over(t.Context(), "2026-07-28", s.other, "", nil)
	r, err := own.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask_user_async", Arguments: question("Which database?")})
	text(t, r, err)
	handle := r.Meta["sayso/handle"]
	for _, tool := range []string{"check_answer", "withdraw"} {
		r, err := stranger.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{"handle": handle, "wait_seconds": 0}})
		if got := text(t, r, err); !r.IsError || !strings.Contains(got, "no question with this handle") {
			t.Errorf("a stranger gets by %s: %q", tool, got)
		}
	}
	s.answer("SQLite")
	r, err = own.CallTool(t.Context(), &sdk.CallToolParams{Name: "check_answer", Arguments: map[string]any{"handle": handle}})
	if got := text(t, r, err); got != sqlite {
		t.Errorf("the owner gets %q", got)
	}
}

// TestHTTPLate: a client hangs up, the person answers, and the next call of the
// same conversation is told, once; one of another is not.
func TestHTTPLate(t *testing.T) {
	t.Parallel()
	s := newSite(t, &mcp.Options{Hold: time.Minute})
	ctx, hangUp := context.WithCancel(t.Context())
	dead := s.over(t.Context(), "2026-07-28", s.token, "mine", nil)
	done := make(chan error, 1)
	go func() {
		_, err := dead.CallTool(ctx, askFor(question("Which database?")))
		done <- err
	}()
	open := s.open()
	hangUp()
	if err := <-done; err == nil {
		t.Fatal("the call did not end")
	}
	for end := time.Now().Add(30 * time.Second); s.serving.Load() > 0; <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the server did not learn that the client hung up")
		}
	}
	s.answer("SQLite")
	other, mine := s.over(t.Context(), "2026-07-28", s.token, "other", nil), s.over(t.Context(), "2026-07-28", s.token, "mine", nil)
	look := func(c *sdk.ClientSession) string {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "check_answer", Arguments: map[string]any{"handle": "none"}})
		return text(t, r, err)
	}
	if got := look(other); strings.Contains(got, "SQLite") {
		t.Errorf("another conversation is told %q", got)
	}
	for end := time.Now().Add(30 * time.Second); ; <-time.After(10 * time.Millisecond) { // the door learns of it a moment after the API
		got := look(mine)
		if strings.Contains(got, "Which database?\nSQLite") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the same conversation is told %q", got)
		}
	}
	if now, err := s.client.Get(t.Context(), open.Handle); err != nil || now.Consumed.IsZero() {
		t.Errorf("the hub was not told: %v", err)
	}
	if got := look(mine); strings.Contains(got, "SQLite") {
		t.Errorf("told again: %q", got)
	}
}

// TestAskerKey: with a key that may only ask, what comes back in the form of the
// agent's own client is kept as that program's reply, and as nobody's in
// particular: S08. The hub has what the model was told.
func TestAskerKey(t *testing.T) {
	t.Parallel()
	for _, era := range eras {
		s := newSite(t, nil)
		form := s.over(t.Context(), era, s.asker, "", func(*sdk.ElicitParams) *sdk.ElicitResult {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"question_0": "SQLite"}}
		})
		r, err := form.CallTool(t.Context(), askFor(question("Which database?")))
		if got := text(t, r, err); got != sqlite {
			t.Errorf("%s: the model reads %q", era, got)
		}
		page, err := s.client.List(t.Context(), &hub.Filter{Status: hub.AnyStatus})
		if err != nil || len(page.Tickets) != 1 {
			t.Fatalf("%d tickets, %v", len(page.Tickets), err)
		}
		if o := page.Tickets[0].Outcome; o == nil || o.Status != sayso.StatusAnswered ||
			o.By != (sayso.Responder{Kind: sayso.ByProgram, ID: "bot", Surface: "mcp (test)"}) || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("%s: the hub has %+v", era, o)
		}
	}
}
