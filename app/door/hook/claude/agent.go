package claude

import (
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/dialect"
)

// Surface is where a person is who answers in Claude Code itself, and how surfaces
// name the program.
const Surface = "claude-code"

// EntrypointHeader is where a hook over HTTP says how Claude Code was started: see
// [Unattended].
const EntrypointHeader = "X-Claude-Entrypoint"

// Agent returns Claude Code as package hook takes it.
func Agent() hook.Agent { return agent{} }

type agent struct{}

func (agent) Info() hook.Info {
	return hook.Info{
		Name: Surface, Tool: tool, Events: Events, Nothing: (&reply{}).json(),
		Unattended: func(h http.Header) bool { return Unattended(h.Get(EntrypointHeader)) },
	}
}

var tool = &sayso.Tool{Dialect: dialect.Claude}

// Unattended reports whether nobody sits at the terminal, by what Claude Code says
// of how it was started (CLAUDE_CODE_ENTRYPOINT). Other programs that run it, an
// editor say, have dialogs of their own.
func Unattended(entrypoint string) bool { return entrypoint == "sdk-cli" }
