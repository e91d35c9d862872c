package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
		Short:   "Let an agent ask through sayso",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.setupClaudeCommand())
	return cmd
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
		Short: "Let Claude Code ask through sayso",
		Long: `Let Claude Code ask through sayso.

Shows the hooks that Claude Code needs in its settings, and writes them when you
say yes. Other settings stay as they are. Doing it again changes nothing, and
--undo takes it back.`,
		Example: `  sayso setup claude
  sayso setup claude --file .claude/settings.local.json   # only here
  sayso setup claude --http https://hub.example           # SAYSO_KEY is read by Claude Code
  sayso setup claude --undo`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.setupClaude(s) },
	}
	f := cmd.Flags()
	f.StringVar(&s.file, "file", "", "the file of settings (default: settings.json in CLAUDE_CONFIG_DIR or ~/.claude)")
	f.StringVar(&s.URL, "http", "", "hooks over HTTP, to the hub at this URL, with the key in SAYSO_KEY (default: hooks that run sayso)")
	f.DurationVar(&s.Wait, "wait", 0, "in claude -p: wait at most this long")
	f.BoolVar(&s.Defer, "defer", false, "in claude -p: a question without an answer ends the run; claude -p --resume takes it up again")
	f.BoolVar(&s.undo, "undo", false, "take the hooks out again")
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
		return fmt.Errorf("%s: %w", name, err)
	}
	if bytes.Equal(before, after) {
		p.Say("%s is as it should be; nothing to do", name)
		return nil
	}
	if err := p.Print(strings.TrimSuffix(string(after), "\n")); err != nil {
		return err
	}
	if !s.yes && !p.confirm(fmt.Sprintf("write this to %s?", name)) {
		p.Say("nothing was written")
		return &console.ExitError{Code: console.ExitDeclined}
	}
	if err := replaceFile(name, after); err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	p.Say("written; it holds for sessions of Claude Code that begin now")
	return nil
}

// claudeSettings returns the path of the settings. One that is a link stays one.
func (p *program) claudeSettings(file string) (string, error) {
	if file == "" {
		home := p.Getenv("HOME")
		dir := cmp.Or(p.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude"))
		if home == "" && p.Getenv("CLAUDE_CONFIG_DIR") == "" {
			return "", console.Usage("there is no HOME; name the settings with --file")
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
