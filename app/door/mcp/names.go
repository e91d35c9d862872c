package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// otherAsk is what the tools that ask are called where a client has a tool ask_user of
// its own and keeps ours from the model for its name, as Gemini CLI does with -p.
const otherAsk = "ask_person"

// renames reports whether our tools have their other names with this client.
func renames(client string) bool { return strings.Contains(strings.ToLower(client), "gemini") }

// renamed returns a text with the other names of our tools.
func renamed(text string) string { return strings.ReplaceAll(text, toolAsk, otherAsk) }

// naming gives our tools the names that the client offers to its model. Calls may use
// either name.
func (d *Door) naming(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if c, ok := r.(*sdk.CallToolRequest); ok {
			if rest, ok := strings.CutPrefix(c.Params.Name, otherAsk); ok {
				c.Params.Name = toolAsk + rest
			}
			return next(ctx, method, r)
		}
		result, err := next(ctx, method, r)
		if err != nil {
			return result, err
		}
		switch result := result.(type) {
		case *sdk.InitializeResult:
			p, ok := r.GetParams().(*sdk.InitializeParams)
			if ok && renames(nameOf(p.ClientInfo)) {
				own := *result
				own.Instructions = renamed(own.Instructions)
				return &own, nil
			}
		case *sdk.ListToolsResult:
			l, ok := r.(*sdk.ListToolsRequest)
			if !ok || !renames(nameOf(l.ClientInfo())) {
				break
			}
			own := *result
			own.Tools = nil
			for _, t := range result.Tools { // shared by all clients
				mine := *t
				mine.Name, mine.Description = renamed(t.Name), renamed(t.Description)
				own.Tools = append(own.Tools, &mine)
			}
			return &own, nil
		}
		return result, nil
	}
}
