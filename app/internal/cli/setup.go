package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/hook/claude"
)

func (p *program) setupCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "setup",
		Short:   "Connect an agent to sayso",
		Long: `Connect an agent to sayso. For Claude Code, sayso changes its settings. Agents that
speak MCP add "sayso mcp" as a server (see "sayso mcp --help"), editors run their
agent with "sayso acp".`,
		Example: `  $ sayso setup claude
  $ sayso setup claude --undo`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noAgent("setup", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	console.Add(cmd, p.setupClaudeCommand())
	return cmd
}

// noAgent says how an agent is connected for which there is no setup command and no
// hook.
func noAgent(what, name string) error {
	known := map[string]string{
		"codex":    "Codex connects over MCP: codex mcp add sayso -- sayso mcp",
		"gemini":   "Gemini CLI connects over MCP: gemini mcp add -s user sayso sayso mcp",
		"qwen":     "Qwen Code connects over MCP: qwen mcp add -s user sayso sayso mcp",
		"opencode": "opencode connects over MCP: add \"sayso mcp\" to its settings.",
		"copilot":  "Copilot CLI connects over MCP: add \"sayso mcp\" to its settings.",
	}
	if hint := known[name]; hint != "" {
		return console.Usage("no %s for %q", what, name).Next("%s", hint)
	}
	return console.Usage("no %s for %q", what, name).
		Next("%sAgents that speak MCP can use sayso, too: sayso mcp --help.", console.DidYouMean(name, append(slices.Sorted(maps.Keys(known)), "claude")))
}

// settingUp is one run of setup claude.
type settingUp struct {
	claude.Setup
	file      string
	undo, yes bool
}

func (p *program) setupClaudeCommand() *cobra.Command {
	s := &settingUp{}
	cmd := &cobra.Command{
		Use:   "claude",
		Short: "Connect Claude Code to sayso",
		Long: `Connect Claude Code to sayso. sayso shows the hooks that it adds to Claude Code's
settings, and writes them after you confirm. Other settings stay as they are. Running
it again changes nothing.

With --http, Claude Code sends its hooks to a hub on another machine, and reads the
key from SAYSO_KEY.`,
		Example: `  $ sayso setup claude
  $ sayso setup claude --file .claude/settings.local.json
  $ sayso setup claude --http https://hub.example
  $ sayso setup claude --undo`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.setupClaude(s) },
	}
	f := cmd.Flags()
	f.StringVar(&s.file, "file", "", "`file` with Claude Code's settings (default: settings.json in CLAUDE_CONFIG_DIR or ~/.claude)")
	f.StringVar(&s.URL, "http", "", "`URL` of the hub that Claude Code sends hooks to (default: hooks run sayso)")
	f.Var(console.Positive(&s.Wait), "wait", "in claude -p: longest time to wait for an answer")
	f.BoolVar(&s.Defer, "defer", false, "in claude -p: end the run at an open question; claude -p --resume continues")
	f.BoolVar(&s.NoPermissions, "no-permissions", false, "questions only: permission prompts stay in Claude Code")
	f.BoolVar(&s.undo, "undo", false, "remove the hooks")
	f.BoolVarP(&s.yes, "yes", "y", false, "write without asking")
	return cmd
}

func (p *program) setupClaude(s *settingUp) error {
	name, err := p.claudeSettings(s.file)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var after []byte
	if s.undo {
		after, err = claude.RemoveSetup(before)
	} else {
		s.Command = p.selfCommand()
		after, err = claude.AddSetup(before, &s.Setup)
	}
	if err != nil {
		return console.Fault("cannot use the settings in %s: %w", name, err).Next("Correct the file, or name another one: sayso setup claude --file FILE.")
	}
	if bytes.Equal(before, after) {
		p.Say("Nothing to do: %s is up to date.", name)
		return nil
	}
	if err := p.Print(strings.TrimSuffix(string(after), "\n")); err != nil {
		return err
	}
	if !s.yes && !p.confirm(fmt.Sprintf("Write this to %s?", name)) {
		p.Say("Nothing was written.")
		return &console.ExitError{Code: console.ExitDeclined}
	}
	if err := replaceFile(name, after); err != nil {
		return console.Fault("cannot write %s: %s", name, reason(err)).Next("Name another file: sayso setup claude --file FILE.")
	}
	p.Say("Saved to %s. Start a new Claude Code session to use it.", name)
	return nil
}

// claudeSettings returns the path of the settings. One that is a link stays one.
func (p *program) claudeSettings(file string) (string, error) {
	if file == "" {
		home := p.Getenv("HOME")
		dir := cmp.Or(p.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude"))
		if home == "" && p.Getenv("CLAUDE_CONFIG_DIR") == "" {
			return "", console.Usage("cannot find Claude Code's settings: HOME is not set").Next("Name the file: sayso setup claude --file FILE.")
		}
		file = filepath.Join(dir, "settings.json")
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.Dir, file)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real, nil
	}
	return file, nil
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
	fmt.Fprintf(p.Err, "\n%s [y/N] ", question)
	line, _ := bufio.NewReader(p.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

// replaceFile writes a file as a whole or not at all, and keeps its mode.
func replaceFile(name string, data []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d-%d", name, os.Getpid(), time.Now().UnixNano())
	if err := os.WriteFile(temp, data, mode); err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		os.Remove(temp)
		return err
	}
	return nil
}
