package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/setup"
)

// settingUp is one run of setup.
type settingUp struct {
	undo, check, yes bool

	in *bufio.Reader // answers, one line each
}

func (p *program) setupCommand() *cobra.Command {
	s := &settingUp{}
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "setup [AGENT]...",
		Short:   "Connect your agents to sayso",
		Long: `Connect your agents to sayso. Without a name, sayso finds the agents that are
installed. For each, it shows what it adds to the agent's settings, and writes it after
you confirm. Everything else in the settings stays as it is. Run it again after an
update of sayso.

--undo takes it back: a file that nobody changed since gets back the bytes that it had,
from any other only what sayso added is removed.

--check changes nothing. It prints a line for each agent, and exits with 4 if one of
them is not set up or outdated.

Agents: ` + strings.Join(agentNames(), ", ") + `.`,
		Example: `  $ sayso setup
  $ sayso setup claude
  $ sayso setup --check
  $ sayso setup --undo --yes`,
		Args: func(_ *cobra.Command, args []string) error {
			for _, name := range args {
				if setup.Named(name) == nil {
					return noAgent("setup", name)
				}
			}
			return nil
		},
		ValidArgs: agentNames(),
		RunE:      func(_ *cobra.Command, args []string) error { return p.setup(s, args) },
	}
	s.bind(cmd)
	console.Add(cmd, p.setupClaudeCommand())
	console.Add(cmd, p.setupPiCommand())
	return cmd
}

func (s *settingUp) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.undo, "undo", false, "take back what setup wrote")
	f.BoolVar(&s.check, "check", false, "change nothing; exit with 4 if an agent is outdated or not set up")
	f.BoolVarP(&s.yes, "yes", "y", false, "write without asking")
	cmd.MarkFlagsMutuallyExclusive("undo", "check")
}

func agentNames() (names []string) {
	for _, a := range setup.Agents() {
		names = append(names, a.Name)
	}
	return names
}

// noAgent says which agents there are.
func noAgent(what, name string) error {
	return console.Usage("no %s for %q", what, name).
		Next("%sAgents that speak MCP can use sayso, too: sayso mcp --help.", console.DidYouMean(name, agentNames()))
}

func (p *program) setupClaudeCommand() *cobra.Command {
	s, o := &settingUp{}, &setup.ClaudeOptions{}
	cmd := &cobra.Command{
		Use:   "claude",
		Short: "Connect Claude Code to sayso",
		Long: `Connect Claude Code to sayso. sayso adds hooks to Claude Code's settings, and its MCP
server with the permission to use its tools. It shows what it adds, and writes it after
you confirm. Other settings stay as they are. Running it again changes nothing.

With --http, Claude Code sends its hooks to a hub on another machine, and reads the
key from SAYSO_KEY. With --http or --file, only the hooks are added.`,
		Example: `  $ sayso setup claude
  $ sayso setup claude --file .claude/settings.local.json
  $ sayso setup claude --http https://hub.example
  $ sayso setup claude --undo`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.File != "" && !filepath.IsAbs(o.File) {
				o.File = filepath.Join(p.Dir, o.File)
			}
			e, err := p.setupEnv()
			if err != nil {
				return err
			}
			return p.setupAll(e, s, []*setup.Agent{setup.Claude(o)})
		},
	}
	s.bind(cmd)
	f := cmd.Flags()
	f.StringVar(&o.File, "file", "", "`file` with Claude Code's settings (default: settings.json in CLAUDE_CONFIG_DIR or ~/.claude)")
	f.StringVar(&o.URL, "http", "", "`URL` of the hub that Claude Code sends hooks to (default: hooks run sayso)")
	f.Var(console.Positive(&o.Wait), "wait", "in claude -p: longest time to wait for an answer")
	f.BoolVar(&o.Defer, "defer", false, "in claude -p: end the run at an open question; claude -p --resume continues")
	f.BoolVar(&o.NoPermissions, "no-permissions", false, "questions only: permission prompts stay in Claude Code")
	return cmd
}

// setupEnv is the machine, for package setup.
func (p *program) setupEnv() (*setup.Env, error) {
	starter, err := p.starter()
	if err != nil {
		return nil, err
	}
	home := p.Getenv("HOME")
	if home == "" {
		return nil, console.Usage("cannot find the settings of agents: HOME is not set").Next("Set HOME to your home folder.")
	}
	return &setup.Env{
		Home: home, Dir: p.Dir, State: starter.Places.State, Command: p.selfCommand(),
		Getenv: p.Getenv, LookPath: exec.LookPath,
	}, nil
}

func (p *program) setup(s *settingUp, names []string) error {
	e, err := p.setupEnv()
	if err != nil {
		return err
	}
	var agents []*setup.Agent
	for _, a := range setup.Agents() {
		if slices.Contains(names, a.Name) || len(names) == 0 && (a.Installed(e) || s.undo && setup.Recorded(e, a)) {
			agents = append(agents, a)
		}
	}
	if len(agents) == 0 {
		if s.undo {
			p.Say("Nothing to undo.")
			return nil
		}
		p.Say("No agent that sayso knows is installed. You can name one: sayso setup AGENT. It is one of %s.", strings.Join(agentNames(), ", "))
		return nil
	}
	return p.setupAll(e, s, agents)
}

// selfCommand returns the words that start this program, with the hub that was
// named for it.
func (p *program) selfCommand() []string {
	command := []string{"sayso"}
	if self, err := os.Executable(); err == nil {
		found, err := exec.LookPath("sayso")
		if err != nil || !sameFile(found, self) {
			command[0] = self
		}
	}
	if p.hub != "" {
		command = append(command, "--hub", p.hub)
	}
	if p.keyFile != "" {
		command = append(command, "--key-file", p.keyFile)
	}
	return command
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// confirm asks a question that only "yes" says yes to.
func (p *program) confirm(question string) bool {
	return p.confirmIn(bufio.NewReader(p.In), question)
}

// confirmIn is confirm for one of several questions.
func (p *program) confirmIn(in *bufio.Reader, question string) bool {
	fmt.Fprintf(p.Err, "\n%s [y/N] ", question)
	line, _ := in.ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}
