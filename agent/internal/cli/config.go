package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/mcptools"
	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/dialect"
)

// Config is the file of settings, JSON. Flags come before it. It is the person's
// own: none is read from a workspace, whose files may be anybody's, for it says what
// programs are run.
type Config struct {
	Model struct {
		model.Config
		KeyEnv string `json:"keyEnv,omitempty"` // the environment variable with the key; default: the provider's usual one
	} `json:"model"`
	System    string            `json:"system,omitempty"`    // what the model is told first; default: a few words
	MaxTokens int64             `json:"maxTokens,omitempty"` // of one reply; default: the provider's
	Dialect   string            `json:"dialect,omitempty"`   // how the model asks; default: json
	MCP       []mcptools.Server `json:"mcp,omitempty"`
	SubAgents struct {
		Policy    string `json:"policy,omitempty"`    // escalate or deny: whether they may ask; default: escalate
		MayAnswer bool   `json:"mayAnswer,omitempty"` // a parent is asked before the person
		MaxDepth  int    `json:"maxDepth,omitempty"`  // default: 2; negative: there are none
		MaxCount  int    `json:"maxCount,omitempty"`  // default: 8
		System    string `json:"system,omitempty"`
	} `json:"subAgents,omitzero"`
	Hub       string   `json:"hub,omitempty"`       // as --hub; default: the person's own, as sayso finds it
	HubKeyEnv string   `json:"hubKeyEnv,omitempty"` // the environment variable with the key for it; default: SAYSO_KEY
	To        []string `json:"to,omitempty"`        // who may answer; default: whom the hub lets
	State     string   `json:"state,omitempty"`     // as --state
	CompactAt int      `json:"compactAt,omitempty"` // bytes of a conversation from which on it is summarised; default: 400,000; negative: never
}

// askTool is what the asking tool is called, whatever the dialect.
const askTool = "ask_user"

const defaultSystem = "You are an agent that works for a person. When several ways are right and the choice is theirs, ask with the tool for it; do not ask what you can find out yourself."

// readConfig reads the settings; a file that is not there and was not named is
// empty.
func (p *program) readConfig() (*Config, error) {
	c := &Config{}
	name := cmp.Or(p.config, p.Getenv("SAYSO_AGENT_CONFIG"))
	named := name != ""
	if !named {
		dir, err := console.ConfigFolder(p.Getenv)
		if err != nil {
			return nil, err
		}
		name = filepath.Join(dir, "agent.json")
	}
	b, err := os.ReadFile(name)
	switch {
	case !named && errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, console.Usage("cannot read the settings: %w", err).Next("Name another file with --config.")
	default:
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		err := sayso.CheckJSON(b)
		if err == nil {
			err = d.Decode(c)
		}
		if err != nil {
			return nil, console.Usage("invalid settings in %s: %w", name, err).Next("Correct the file, or name another one with --config.")
		}
	}
	return c, p.complete(c)
}

// complete adds what flags and defaults say.
func (p *program) complete(c *Config) error {
	m := &c.Model
	m.Provider, m.Model, m.BaseURL = cmp.Or(p.model.provider, m.Provider), cmp.Or(p.model.name, m.Model), cmp.Or(p.model.baseURL, m.BaseURL)
	if m.Provider == "" || m.Config.Model == "" {
		return console.Usage("no model configured").Next("Example: sayso-agent --provider anthropic --model claude-sonnet-4-5. Without a model: sayso-agent --demo.")
	}
	variable := cmp.Or(m.KeyEnv, model.KeyVariable(m.Provider))
	if m.APIKey = p.Getenv(variable); m.APIKey == "" && m.BaseURL == "" {
		return console.Usage("no API key for the provider %q: %s is not set", m.Provider, variable).Next("Set it: export %s=…. Without a key: sayso-agent --demo.", variable)
	}
	if c.System == "" {
		c.System = defaultSystem
	}
	if c.CompactAt == 0 {
		c.CompactAt = 400_000
	}
	switch c.SubAgents.Policy {
	case "", "escalate", "deny":
	default:
		return console.Usage("invalid value %q for subAgents.policy", c.SubAgents.Policy).Next("Use escalate or deny in the settings file (--config).")
	}
	if _, ok := dialect.ByName(cmp.Or(c.Dialect, "json")); !ok {
		return console.Usage("unknown format %q", c.Dialect).Next("%sFormats: sayso dialects.", console.DidYouMean(c.Dialect, dialect.Names()))
	}
	c.Hub = cmp.Or(p.hub, c.Hub)
	var err error
	if c.State = cmp.Or(p.state, c.State); c.State == "" {
		c.State, err = console.StateFolder(p.Getenv)
		c.State = filepath.Join(c.State, "agent", inPath.Replace(console.FolderName(p.workspace())))
	}
	return err
}

// inPath makes one element of a path of a name.
var inPath = strings.NewReplacer("/", "-", `\`, "-")

// options are those of the host, without what it works on.
func (c *Config) options() agent.Options {
	d, _ := dialect.ByName(cmp.Or(c.Dialect, "json"))
	return agent.Options{
		AskTool: askTool, System: c.System, MaxTokens: c.MaxTokens, Dialect: d, To: c.To,
		SubAgents: agent.SubAgents{
			Deny: c.SubAgents.Policy == "deny", MayAnswer: c.SubAgents.MayAnswer,
			MaxDepth: c.SubAgents.MaxDepth, MaxCount: c.SubAgents.MaxCount, System: c.SubAgents.System,
		},
	}
}

// workspace is the nearest folder above that is a repository, or the working folder
// itself.
func (p *program) workspace() string {
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return p.Dir
		}
	}
}
