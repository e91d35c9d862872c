package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Adapters run inside an editor, so that it is the editor's settings that change: the
// adapter's command gets "sayso acp --" in front.

func claudeACPAgent() *Agent {
	return acpAgent("claude-agent-acp", "Claude Code in an editor", "Claude (sayso)")
}

func codexACPAgent() *Agent { return acpAgent("codex-acp", "Codex in an editor", "Codex (sayso)") }

// acpAgent is an adapter; entry is the name in the editor of one that we add.
func acpAgent(adapter, title, entry string) *Agent {
	return &Agent{
		Name: adapter, Title: title, Commands: []string{adapter},
		Plan: func(e *Env) (*Plan, error) { return zedPlan(e, adapter, entry) },
	}
}

// ByHand is why an agent cannot be set up by a command, and what to do instead.
type ByHand struct{ Why, Do string }

func (b *ByHand) Error() string { return b.Why }

func zedPlan(e *Env, adapter, entry string) (*Plan, error) {
	folder := filepath.Join(e.Folder("XDG_CONFIG_HOME", ".config"), "zed")
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, &ByHand{
			Why: fmt.Sprintf("no editor was found whose settings sayso can change (Zed, in %s)", short(e, folder)),
			Do:  "In your editor's settings, start the agent with: " + strings.Join(e.Words("acp", "--", adapter), " "),
		}
	}
	_, missing := e.LookPath(adapter)
	words := e.Words("acp", "--")
	return &Plan{
		Files: []File{{
			Path: filepath.Join(folder, "settings.json"),
			Add: func(before []byte) ([]byte, error) {
				return EditJSON(before, zedAdd(words, adapter, entry, missing == nil))
			},
			Remove: func(now []byte) ([]byte, error) { return EditJSON(now, zedRemove(adapter, entry)) },
		}},
		After: "Start a new thread in Zed to use it. In another editor, start the agent with: " + strings.Join(append(words, adapter), " "),
	}, nil
}

// zedServer is how Zed starts an agent.
type zedServer struct {
	name    string
	command string
	args    []string
}

// zedServers returns the entries that have a command, with the program of that name
// among the words that they run.
func zedServers(d *document, adapter string) (found []zedServer, err error) {
	servers, err := d.object([]string{"agent_servers"}, false)
	if err != nil || servers == nil {
		return nil, err
	}
	for _, m := range servers.Members {
		var has struct {
			Command string
			Args    []string
		}
		if json.Unmarshal(standard(m.Value), &has) != nil || has.Command == "" {
			continue // from Zed's registry, or of an older form
		}
		if slices.ContainsFunc(append([]string{has.Command}, has.Args...), func(word string) bool { return runs(word, adapter) }) {
			found = append(found, zedServer{m.Name.Value.(hujson.Literal).String(), has.Command, has.Args})
		}
	}
	return found, nil
}

// runs reports whether a word names a program: itself, by a path, as a file of its
// package or as the package.
func runs(word, adapter string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(word), "/") {
		part, _, _ = strings.Cut(part, "@")
		if strings.TrimSuffix(part, ".exe") == adapter || strings.TrimSuffix(part, ".js") == adapter {
			return true
		}
	}
	return false
}

// unwrapped returns the words that run behind "sayso acp --", and whether that stands
// there.
func (s *zedServer) unwrapped() ([]string, bool) {
	for i := 0; i+2 < len(s.args); i++ {
		if s.args[i] == "acp" && s.args[i+1] == "--" {
			return s.args[i+2:], true
		}
	}
	return append([]string{s.command}, s.args...), false
}

func zedAdd(words []string, adapter, entry string, installed bool) JSONEdit {
	return func(d *document) error {
		found, err := zedServers(d, adapter)
		if err != nil {
			return err
		}
		for _, s := range found {
			run, _ := s.unwrapped()
			if err := zedSet(s.name, append(slices.Clone(words), run...))(d); err != nil {
				return err
			}
		}
		if len(found) > 0 {
			return nil
		}
		if !installed {
			return fmt.Errorf("no agent_servers entry runs %s, and it is not installed", adapter)
		}
		run := append(slices.Clone(words), adapter)
		return SetJSON(Ordered{{"type", "custom"}, {"command", run[0]}, {"args", run[1:]}}, "agent_servers", entry)(d)
	}
}

// zedSet has an entry run words.
func zedSet(name string, words []string) JSONEdit {
	return func(d *document) error {
		if err := SetJSON(words[0], "agent_servers", name, "command")(d); err != nil {
			return err
		}
		return SetJSON(words[1:], "agent_servers", name, "args")(d)
	}
}

func zedRemove(adapter, entry string) JSONEdit {
	return func(d *document) error {
		found, err := zedServers(d, adapter)
		if err != nil {
			return err
		}
		for _, s := range found {
			run, wrapped := s.unwrapped()
			switch {
			case s.name == entry:
				err = RemoveJSON(0, "agent_servers", entry)(d)
			case wrapped:
				err = zedSet(s.name, run)(d)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}
