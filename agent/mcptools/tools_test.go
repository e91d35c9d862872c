package mcptools_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/mcptools"
)

// serverVariable makes the test binary an MCP server on its standard streams.
const serverVariable = "SAYSO_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" {
		if err := newServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
	add := func(name string, a *mcp.ToolAnnotations, h func(*mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: "It is " + name, InputSchema: schema, Annotations: a},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return h(r) })
	}
	add("echo", &mcp.ToolAnnotations{ReadOnlyHint: true}, func(r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		key, _ := r.Params.Meta[mcptools.MetaKey].(string)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}, &mcp.TextContent{Text: key}}}, nil
	})
	add("image", &mcp.ToolAnnotations{IdempotentHint: true}, func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("xyz")}}}, nil
	})
	add("fails", nil, func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no"}}}, nil
	})
	add("breaks", nil, func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, errors.New("broken") })
	add("structured", nil, func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]any{"n": 1}}, nil
	})
	return s
}

// servers are the ways to reach the same one.
func servers(t *testing.T) map[string]mcptools.Server {
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if r.Header.Get("X-Key") != "secret" {
			return nil
		}
		return newServer()
	}, nil)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return map[string]mcptools.Server{
		"command": {Name: "s", Command: []string{os.Args[0]}, Env: map[string]string{serverVariable: "1"}},
		"address": {Name: "s", URL: web.URL, Headers: map[string]string{"X-Key": "secret"}},
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	for name, server := range servers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := mcptools.Connect(t.Context(), []mcptools.Server{server})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := set.Close(); err != nil {
					t.Error(err)
				}
			}()
			tools := map[string]agent.Tool{}
			for _, tool := range set.Tools() {
				tools[tool.Name] = tool
			}
			for _, tt := range []struct {
				tool    string
				repeat  bool
				text    string
				isError bool
			}{
				{"s__echo", true, "{\"text\":\"hello\"}\nc1/tool/1/t1", false},
				{"s__image", true, "[an image, image/png, 3 bytes]", false},
				{"s__fails", false, "no", true},
				{"s__structured", false, `{"n":1}`, false},
			} {
				tool := tools[tt.tool]
				if tool.Run == nil {
					t.Fatalf("no tool %s in %v", tt.tool, tools)
				}
				if tool.Repeat != tt.repeat || !strings.HasPrefix(tool.Description, "It is ") || !json.Valid(tool.Schema) {
					t.Errorf("%+v", tool)
				}
				r, err := tool.Run(t.Context(), agent.Call{Key: "c1/tool/1/t1", Arguments: json.RawMessage(`{"text":"hello"}`)})
				if err != nil || r.Text != tt.text || r.IsError != tt.isError {
					t.Errorf("%s: %+v, %v", tt.tool, r, err)
				}
			}
			if _, err := tools["s__breaks"].Run(t.Context(), agent.Call{}); err == nil {
				t.Error("what breaks does not")
			}
		})
	}
}

func TestOnlyAndKeyed(t *testing.T) {
	t.Parallel()
	server := servers(t)["address"]
	server.Only, server.Keyed = []string{"fails"}, true
	set, err := mcptools.Connect(t.Context(), []mcptools.Server{server})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if tools := set.Tools(); len(tools) != 1 || !tools[0].Repeat {
		t.Errorf("%+v", tools)
	}
}

func TestBadServers(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]mcptools.Server{
		"no name":     {URL: "http://127.0.0.1:1"},
		"a bad name":  {Name: "a__b", URL: "http://127.0.0.1:1"},
		"nothing":     {Name: "a"},
		"both":        {Name: "a", URL: "http://127.0.0.1:1", Command: []string{"x"}},
		"not there":   {Name: "a", URL: "http://127.0.0.1:1"},
		"no such one": {Name: "a", Command: []string{"/no/such/command"}},
	} {
		if _, err := mcptools.Connect(t.Context(), []mcptools.Server{s}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
