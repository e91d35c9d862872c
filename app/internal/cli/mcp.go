package cli

import (
	"context"
	"crypto/rand"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/claudecall"
	"github.com/saysohq/sayso/app/door/hook/codex"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/wake"
	"github.com/saysohq/sayso/hub"
)

func (p *program) mcpCommand() *cobra.Command {
	o := &mcp.Options{}
	conversation := ""
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "mcp",
		Short:   "Run an MCP server for an agent",
		Long: `Run an MCP server for an agent, on standard input and output. The agent gets the
tools ask_user, ask_user_async, check_answer, withdraw and past_decisions. Add the
server to the agent as in the examples.

A question stays in your inbox even if the agent's call times out: the call then
returns a handle with which the agent fetches the answer later.`,
		Example: `  claude mcp add sayso -- sayso mcp
  codex mcp add sayso -- sayso mcp
  gemini mcp add -s user sayso sayso mcp`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.mcp(cmd.Context(), o, conversation) },
	}
	f := cmd.Flags()
	f.StringVar(&conversation, "conversation", "", "`name` of the conversation (default: one for the repository or folder)")
	f.Var(console.Positive(&o.Hold), "hold", "how long a call waits before it returns a handle (default: depends on the agent; 45s if unknown)")
	f.BoolVar(&o.TaskForms, "task-forms", false, "show forms in the agent even if it runs the question as a task")
	f.BoolVar(&o.Permission, "permission-prompt", false, "add the tool permission_prompt, for Claude Code's --permission-prompt-tool")
	return cmd
}

func (p *program) mcp(ctx context.Context, o *mcp.Options, conversation string) error {
	c, err := p.connectAs(ctx, "mcp")
	if err != nil {
		return err
	}
	defer c.Close()
	o.Hub, o.Origin, o.Version = p.noting(attended(c, p.Out)), p.origin(), console.Version()
	if conversation != "" {
		o.Origin.Conversation = conversation
	}
	o.Dir, o.Read = p.Dir, claudecall.ReadFile
	o.NoForms = p.Getenv(acpEnv) != "" || // the forms of its agent are questions to "sayso acp"
		unattendedClaude(p.Getenv) // nobody would see them
	o.Inbox = sync.OnceValue(func() string { return p.inboxAddress(ctx) })
	machine, _ := os.Hostname()
	o.Instance = instanceName(machine, os.Getpid())
	o.Gone = func(instance string) bool {
		return gone(instance, machine, running) && !p.ofAnother(instance)
	}
	return mcp.New(o).Serve(ctx, p.In, p.Out)
}

// noting notes which session of the agent asks, if the agent's hooks say which one its
// process has: the one that the agent tells, or the last one.
func (p *program) noting(c hub.Asker) hub.Asker {
	places, err := localhub.PlacesOf(p.Getenv)
	if err != nil || p.hub != "" {
		return c
	}
	notes, agent, own := places.Sessions(), wake.Above(os.Getpid()), wake.ProcessOf(os.Getpid())
	return wake.Noting(c, notes, func(a *sayso.Ask) *wake.Note {
		s := notes.Of(agent)
		if s == nil || own == "" {
			return nil // without hooks, no prompt of the session would get the answer
		}
		if id := mcp.Session(a); id != "" && s.ID != id { // one process may have several
			s = &wake.Session{Agent: codex.Surface, ID: id, Dir: p.Dir, Process: agent}
		}
		return &wake.Note{Session: *s, Through: own}
	})
}

// ofAnother reports whether an instance that has ended asked for a session of an agent
// which is not the one of this process: its answers are for that session, which gets
// them with its next prompt.
func (p *program) ofAnother(instance string) bool {
	places, err := localhub.PlacesOf(p.Getenv)
	if err != nil || p.hub != "" {
		return false
	}
	notes := places.Sessions()
	parts := strings.Split(instance, "/")
	if len(parts) != 3 {
		return false
	}
	asked := notes.AskedThrough(parts[1])
	own := notes.Of(wake.Above(os.Getpid()))
	return asked != nil && (own == nil || own.Agent != asked.Agent || own.ID != asked.ID)
}

// inboxAddress returns where the web inbox of the hub on this machine is, or "" if
// an agent is not to know.
func (p *program) inboxAddress(ctx context.Context) string {
	if p.hub != "" {
		return ""
	}
	starter, err := p.starter()
	if err != nil {
		return ""
	}
	base, err := starter.WebAddress(ctx)
	if err != nil {
		return ""
	}
	return base
}

// instanceName names a process in such a way that another can tell whether it
// still runs.
func instanceName(machine string, pid int) string {
	if len(machine) > 24 {
		machine = machine[:24]
	}
	return machine + "/" + strconv.Itoa(pid) + "/" + strings.ToLower(rand.Text()[:10])
}

// gone reports whether the process of an instance has ended. One of another
// machine may run.
func gone(instance, machine string, running func(pid int) bool) bool {
	own := strings.SplitN(instanceName(machine, 0), "/", 2)[0]
	parts := strings.Split(instance, "/")
	if len(parts) != 3 || parts[0] != own {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	return err == nil && pid > 0 && !running(pid)
}
