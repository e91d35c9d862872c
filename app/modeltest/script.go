package modeltest

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// A Script decides what the model says to a request. It may block, until ctx
// ends with the client's connection, and runs concurrently with itself.
type Script func(ctx context.Context, r *Request) Reply

// Reply is one turn of the model: some text, then some calls.
type Reply struct {
	Text  string
	Calls []Call
	// Status answers with this HTTP status and an error body instead.
	Status int
}

// Call is one tool call of the model.
type Call struct {
	// Tool is the tool's name. A name with a * in it is a pattern (see
	// path.Match) for one of the tools that the request offers: programs
	// put prefixes of their own before the tools of an MCP server. A plain
	// name is called whether it is offered or not.
	Tool string
	// Input is encoded as JSON; a json.RawMessage goes out as it is, nil as
	// an object without members.
	Input any
}

// Say is a reply of text.
func Say(text string) Reply { return Reply{Text: text} }

// Use is a reply that calls one tool.
func Use(tool string, input any) Reply {
	return Reply{Calls: []Call{{Tool: tool, Input: input}}}
}

// Steps plays the replies one after the other, the last of them for ever. The
// place in the list is the number of the model's own turns that stand in the
// request, so a repeated request gets the same reply, and each conversation of
// a program starts at the first. A request that offers no tools (programs make
// up titles that way) is answered "ok" and stays out of the count.
func Steps(replies ...Reply) Script {
	return func(_ context.Context, r *Request) Reply {
		if len(r.Tools) == 0 {
			return Reply{Text: "ok"}
		}
		return replies[min(r.Turn, len(replies)-1)]
	}
}

// Route plays the script of the first route whose word occurs in what the user
// (or a program in the user's name) said first, and rest if there is none. With
// it a parent and its sub-agents each have their own script.
func Route(rest Script, routes ...RouteTo) Script {
	return func(ctx context.Context, r *Request) Reply {
		for _, to := range routes {
			if strings.Contains(r.Prompt, to.Word) {
				return to.Script(ctx, r)
			}
		}
		return rest(ctx, r)
	}
}

// RouteTo is one way of Route.
type RouteTo struct {
	Word   string
	Script Script
}

// find resolves the patterns of a reply's calls among the tools on offer.
func (r Reply) find(tools []string) ([]Call, error) {
	out := make([]Call, 0, len(r.Calls))
	for _, c := range r.Calls {
		if strings.Contains(c.Tool, "*") {
			name, err := match(c.Tool, tools)
			if err != nil {
				return nil, err
			}
			c.Tool = name
		}
		out = append(out, c)
	}
	return out, nil
}

func match(pattern string, tools []string) (string, error) {
	for _, name := range tools {
		if ok, err := path.Match(pattern, name); err != nil {
			return "", fmt.Errorf("modeltest: pattern %q: %w", pattern, err)
		} else if ok {
			return name, nil
		}
	}
	return "", fmt.Errorf("modeltest: no tool on offer matches %q: %q", pattern, tools)
}
