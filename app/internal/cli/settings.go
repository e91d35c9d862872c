package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
)

// settings are the flags that may also be set in the environment (SAYSO_HUB for
// --hub) and in the file of settings (hub = "…").
var settings = []string{"hub", "key-file", "conversation", "agent", "dialect", "dialog", "plain", "idle", "listen", "web", "quota", "max-connections", "security-log"}

// configure sets the flags that were not given: from the environment, and then
// from the file.
func (p *program) configure(flags *pflag.FlagSet) error {
	file, err := p.readSettings()
	if err != nil {
		return err
	}
	for _, name := range settings {
		f := flags.Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		variable := "SAYSO_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		from, values := variable, []string{p.Getenv(variable)}
		if values[0] == "" {
			from, values = p.settingsFile(), file[name]
		}
		for _, v := range values {
			if err := f.Value.Set(v); err != nil {
				return console.Usage("%s: %s: %v", from, name, err)
			}
		}
	}
	return nil
}

// settingsFile names the file of settings. It is empty where nothing says where the
// person's files are.
func (p *program) settingsFile() string {
	if name := p.Getenv("SAYSO_CONFIG"); name != "" {
		return name
	}
	dir, err := console.ConfigFolder(p.Getenv)
	if err != nil {
		return "" // and not one of the folder we are in, which others may write to
	}
	return filepath.Join(dir, "config.toml")
}

// readSettings reads the file of settings; one that is not there is empty.
func (p *program) readSettings() (map[string][]string, error) {
	name := p.settingsFile()
	if name == "" {
		return nil, nil
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	set := map[string][]string{}
	for i, line := range strings.Split(string(b), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if !ok || !slices.Contains(settings, key) {
			return nil, console.Usage("%s:%d: %q is no setting; there are %s", name, i+1, key, strings.Join(settings, ", "))
		}
		if set[key], err = parseSetting(value); err != nil {
			return nil, console.Usage("%s:%d: %s: %v", name, i+1, key, err)
		}
	}
	return set, nil
}

// parseSetting reads the value of a setting: "a string", true, 12, or a list of
// strings. This is all of TOML that is needed, and TOML spells it as JSON does.
func parseSetting(text string) ([]string, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errors.New(`use "a string", true, false, a number or a list of strings`)
	}
	rest, _ := io.ReadAll(d.Buffered())
	if rest = bytes.TrimSpace(rest); len(rest) > 0 && rest[0] != '#' {
		return nil, fmt.Errorf("%q after the value", rest)
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var values []string
	for _, v := range list {
		switch v.(type) {
		case string, bool, json.Number:
			values = append(values, fmt.Sprint(v))
		default:
			return nil, errors.New(`use "a string", true, false, a number or a list of strings`)
		}
	}
	return values, nil
}
