package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
)

// configure sets the flags that were not given: from the environment, and then
// from the settings file. Every value in the file is checked, whether or not the
// command has a flag for it.
func (p *program) configure(flags *pflag.FlagSet) error {
	file, err := p.readSettings()
	if err != nil {
		return err
	}
	for _, o := range options() {
		f := flags.Lookup(o.name)
		if f == nil || f.Annotations[noSetting] != nil {
			continue
		}
		if f.Changed {
			if o.check != nil || o.kind == duration {
				if err := o.verify("--"+o.name, f.Value.String()); err != nil {
					return err
				}
			}
			continue
		}
		values := file[o.name]
		if v := p.Getenv(o.variable()); v != "" {
			if err := o.verify(o.variable(), v); err != nil {
				return err
			}
			values = []string{v}
		}
		for _, v := range values {
			if err := f.Value.Set(v); err != nil {
				return console.Usage("%s: %w", o.name, err)
			}
		}
	}
	return nil
}

// noSetting marks a flag that has the name of a setting and is none.
const noSetting = "sayso-no-setting"

func notASetting(flags *pflag.FlagSet, name string) {
	_ = flags.SetAnnotation(name, noSetting, []string{}) // the flag was just made
}

// settingsFile names the settings file. It is empty where nothing says where the
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

// readSettings reads and checks the settings file; one that is not there is empty.
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
		return nil, console.Usage("cannot read the settings: %w", err).Next("Make the file readable, or name another one with SAYSO_CONFIG.")
	}
	return parseSettings(name, b)
}

// parseSettings reads a file of settings. The error names every unknown setting, or
// the first value that is wrong.
func parseSettings(file string, data []byte) (map[string][]string, error) {
	lines, err := settingLines(file, data)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		return nil, tomlError(file, err)
	}
	if err := unknownSettings(file, lines); err != nil {
		return nil, err
	}
	if _, err := parseWake(file, data); err != nil {
		return nil, err
	}
	set := map[string][]string{}
	for _, o := range options() {
		value, ok := all[o.name]
		if !ok {
			continue
		}
		where := fmt.Sprintf("%s:%d: %s", file, lineOf(lines, o.name), o.name)
		values, ok := textsOf(value)
		if !ok {
			return nil, console.Usage("%s must be %s", where, o.kind).Next("Example: %s. All settings: sayso help config.", o.example())
		}
		if len(values) > 1 && !o.several() {
			return nil, console.Usage("%s takes one value, not a list of %d", where, len(values)).Next("Example: %s. All settings: sayso help config.", o.example())
		}
		for _, v := range values {
			if err := o.verify(where, v); err != nil {
				return nil, err
			}
		}
		set[o.name] = values
	}
	return set, nil
}

// settingLine is where a name is set.
type settingLine struct {
	name string
	line int
}

// settingLines returns every name that the file sets, in its order. The library
// tells the place of a name only if the name is unknown to it: here all are.
func settingLines(file string, data []byte) ([]settingLine, error) {
	var nothing struct{}
	err := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields().Decode(&nothing)
	var unknown *toml.StrictMissingError
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &unknown):
		return nil, tomlError(file, err)
	}
	var lines []settingLine
	for i := range unknown.Errors {
		e := &unknown.Errors[i]
		line, _ := e.Position()
		lines = append(lines, settingLine{strings.Join(e.Key(), "."), line})
	}
	return lines, nil
}

func lineOf(lines []settingLine, name string) int {
	for _, l := range lines {
		if l.name == name || strings.HasPrefix(l.name, name+".") {
			return l.line
		}
	}
	return 1
}

// unknownSettings names every setting that there is not. Upper and lower case
// differ: a file should read the same to every program.
func unknownSettings(file string, lines []settingLine) error {
	var text, hints []string
	known := []string{wakeSection}
	for _, o := range options() {
		known = append(known, o.name)
	}
	for _, l := range lines {
		name, _, _ := strings.Cut(l.name, ".")
		if slices.Contains(known, name) {
			continue
		}
		text = append(text, fmt.Sprintf("%s:%d: unknown setting %q", file, l.line, l.name))
		if near := console.Closest(l.name, known); near != "" {
			hints = append(hints, fmt.Sprintf("%q", near))
		}
	}
	if len(text) == 0 {
		return nil
	}
	hint := "All settings: sayso help config."
	if len(hints) > 0 {
		hint = "Did you mean " + strings.Join(hints, ", ") + "? " + hint
	}
	return console.Usage("%s", strings.Join(text, "\n")).Next("%s", hint)
}

// tomlError says where a file is not TOML, and what is wrong there.
func tomlError(file string, err error) error {
	var bad *toml.DecodeError
	if !errors.As(err, &bad) {
		return console.Usage("%s: %w", file, err)
	}
	line, column := bad.Position()
	why := strings.TrimPrefix(bad.Error(), "toml: ")
	return console.Usage("%s:%d:%d: not valid TOML: %s", file, line, column, why).
		Next(`Put texts in quotes, for example: hub = "none". All settings: sayso help config.`)
}

// textsOf returns a value as a flag would get it, or false if no flag takes such.
func textsOf(value any) ([]string, bool) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var values []string
	for _, v := range list {
		switch v.(type) {
		case string, bool, int64, float64:
			values = append(values, fmt.Sprint(v))
		default:
			return nil, false
		}
	}
	return values, true
}

// several reports whether the option takes a list.
func (o *option) several() bool { return o.kind == texts || o.kind == names || o.kind == quotas }

// example is a line of the settings file.
func (o *option) example() string {
	return o.name + " = " + cmp.Or(map[kind]string{
		yesNo: "true", count: "200", duration: `"10m"`, texts: `["planner"]`, names: `["hub.example"]`, quotas: `["open=20"]`, size: `"20GiB"`,
	}[o.kind], map[string]string{
		"hub": `"https://hub.example"`, "dialog": `"never"`, "listen": `"127.0.0.1:7777"`, "node": `"a"`, "cluster-listen": `"10.0.0.1:6222"`, "web": `"127.0.0.1:7778"`, "dialect": `"claude"`, "security-log": `"off"`,
	}[o.name], `"…"`)
}
