package mcp

import (
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// modern is the first version without sessions: a server asks by its result, and
// every request says what its client can do.
const modern = "2026-07-28"

// rung is how a call waits for its answer.
type rung int

const (
	rungHold  rung = iota // the call is held, and ends with a handle
	rungForm              // a form is sent while the call waits
	rungInput             // the result asks for input
	rungTask              // the call becomes a task
)

// tasks is the name of the extension.
const tasks = "io.modelcontextprotocol/tasks"

// declared returns what the client declares in this very request: from 2026-07-28
// on in the request itself, before that when its session began. What another
// request of the same connection declared does not count.
func declared[P sdk.Params](r *sdk.ServerRequest[P]) (version string, can *sdk.ClientCapabilities) {
	meta := r.Params.GetMeta()
	if v, ok := meta[sdk.MetaKeyProtocolVersion].(string); ok && v >= modern {
		if _, ok := meta[sdk.MetaKeyClientCapabilities]; ok {
			can = r.ClientCapabilities()
		}
		return v, can
	}
	began := r.Session.InitializeParams()
	if began == nil || began.ProtocolVersion >= modern {
		return "", nil
	}
	return began.ProtocolVersion, began.Capabilities
}

// rungOf chooses how a call waits.
func rungOf(version string, can *sdk.ClientCapabilities) rung {
	if can == nil {
		return rungHold
	}
	_, task := can.Extensions[tasks]
	switch {
	case task && version >= modern:
		return rungTask
	case can.Elicitation == nil:
		return rungHold
	case version >= modern:
		return rungInput
	}
	return rungForm
}

// showsForms reports whether the client can show a form. Before there were other
// ways to ask, to declare the one was to declare nothing more.
func showsForms(can *sdk.ClientCapabilities) bool {
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// opensPages reports whether the client can send the person to an address.
func opensPages(can *sdk.ClientCapabilities) bool {
	return can != nil && can.Elicitation != nil && can.Elicitation.URL != nil
}

// keepsForms reports whether the client leaves a form open that was answered elsewhere,
// and its agent waits behind it. Copilot CLI 1.0.102 does: its calls are held without one.
func keepsForms(client string) bool { return strings.Contains(strings.ToLower(client), "copilot-cli") }
