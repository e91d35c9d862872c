package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/opencode"
	"github.com/saysohq/sayso/app/wake"
)

// wakeSection is the part of the settings file with the commands that resume sessions.
// It has neither flags nor variables: only somebody who can write the file says what
// runs.
const wakeSection = "wake"

// wakeAgents are the agents whose sessions can be resumed.
func wakeAgents() []string {
	var all []string
	for _, h := range hookAgents {
		all = append(all, h.name)
	}
	return append(all, opencode.Surface) // whose plugin notes its sessions
}

// wakeConfig reads which commands resume sessions. Without any, it runs nothing.
func (p *program) wakeConfig() (*wake.Config, error) {
	name := p.settingsFile()
	if name == "" {
		return &wake.Config{}, nil
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &wake.Config{}, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := parseWake(name, data)
	if err != nil {
		return nil, err
	}
	c.Home = p.Getenv("HOME")
	return c, nil
}

// parseWake reads the section of a settings file that is TOML.
func parseWake(file string, data []byte) (*wake.Config, error) {
	lines, err := settingLines(file, data)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		return nil, tomlError(file, err)
	}
	c := &wake.Config{Commands: map[string][]string{}}
	value, ok := all[wakeSection]
	if !ok {
		return c, nil
	}
	section, ok := value.(map[string]any)
	if !ok {
		return nil, console.Usage("%s:%d: wake must be a section", file, lineOf(lines, wakeSection)).Next("Example: docs/guides/wake.md. All settings: sayso help config.")
	}
	const example = `claude = ["claude", "-p", "--resume", "{session}", "My answer is here; go on."]`
	for _, key := range slices.Sorted(func(yield func(string) bool) {
		for key := range section {
			if !yield(key) {
				return
			}
		}
	}) {
		where := fmt.Sprintf("%s:%d: wake.%s", file, keyLine(data, key, lineOf(lines, wakeSection)), key)
		words, ok := wordsOf(section[key])
		switch {
		case key == "folders" && !ok:
			return nil, console.Usage("%s must be a list of texts", where).Next(`Example: folders = ["~/code"].`)
		case key == "folders":
			for _, dir := range words {
				if dir != "~" && !strings.HasPrefix(dir, "~/") && !strings.HasPrefix(dir, "/") {
					return nil, console.Usage("%s: %q is not an absolute path", where, dir).Next(`Example: folders = ["~/code"].`)
				}
			}
			c.Folders = words
		case !slices.Contains(wakeAgents(), key):
			return nil, console.Usage("%s: unknown agent %q", where, key).Next("%sAgents: %s.", console.DidYouMean(key, wakeAgents()), strings.Join(wakeAgents(), ", "))
		case !ok:
			return nil, console.Usage("%s must be a list of texts", where).Next("Example: %s.", example)
		default:
			if err := wake.Check(words); err != nil {
				return nil, console.Usage("%s: %w", where, err).Next("Example: %s.", example)
			}
			c.Commands[key] = words
		}
	}
	return c, nil
}

// keyLine returns the line at which a key of the section stands, which begins at from.
func keyLine(data []byte, key string, from int) int {
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		name, _, is := strings.Cut(text, "=")
		if line > from && is && strings.Trim(name, " \t\"'") == key {
			return line
		}
	}
	return from
}

// wordsOf returns a list of texts.
func wordsOf(value any) ([]string, bool) {
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	var words []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		words = append(words, s)
	}
	return words, true
}

func wakeTable() table {
	return table{name: "wake", head: []string{"setting", "meaning", "value"}, rows: [][]string{
		{"`folders`", "commands run in sessions' folders only if those are inside one of these", "a list of paths"},
		{"`claude`, `codex` …", "the words that resume a session of this agent; `{session}` stands for its id", "a list of texts"},
	}}
}
