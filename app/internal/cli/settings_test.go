package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
)

func TestParseSettings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		want       string // "name=value,value name=…", or the error and, behind a bar, its hint
	}{
		{"nothing", "", ""},
		{"comments", "# nothing\n", ""},
		{"each form", "hub = 'none'\nplain = true\nmax-connections = 7\nagent = [\n \"a\",\n 'b', # two\n]\n", "hub=none plain=true agent=a,b max-connections=7"},
		{"one for a list", `agent = "a"`, "agent=a"},
		{"in quotes, as before", "plain = \"true\"\nidle = \"5m\"\nmax-connections = \"7\"", "plain=true idle=5m max-connections=7"},
		{"a text over lines", "conversation = \"\"\"\none\"\"\"", "conversation=one"},
		{"unknown", "\nhuub = 1", `f:2: unknown setting "huub"|Did you mean "hub"? All settings: sayso help config.`},
		{"unknown, and like none", "zzzzzz = 1", `f:1: unknown setting "zzzzzz"|All settings: sayso help config.`},
		{"another case", `Listen = "x"`, `f:1: unknown setting "Listen"|Did you mean "listen"? All settings: sayso help config.`},
		{"all of them", "a1 = 1\nhub = 'none'\n[b2]\nc = 1\n[[d4]]", "f:1: unknown setting \"a1\"\nf:3: unknown setting \"b2\"\nf:5: unknown setting \"d4\"|All settings: sayso help config."},
		{"a table", "hub = {url = 1}", "f:1: hub must be a text|Example: hub = \"https://hub.example\". All settings: sayso help config."},
		{"a table below", "\n[idle]\nx = 1", "f:2: idle must be a duration|Example: idle = \"10m\". All settings: sayso help config."},
		{"a date", "idle = 2026-11-16", "f:1: idle must be a duration|Example: idle = \"10m\". All settings: sayso help config."},
		{"a list for one", "hub = ['a', 'b']", "f:1: hub takes one value, not a list of 2|Example: hub = \"https://hub.example\". All settings: sayso help config."},
		{"no number", "max-connections = \"many\"", "f:1: max-connections cannot be \"many\"|Use a whole number, or 0 for the default. All settings: sayso help config."},
		{"no duration", "\n\nidle = \"ten\"", "f:3: idle cannot be \"ten\"|Use a duration such as \"90s\", \"10m\" or \"8h\". All settings: sayso help config."},
		{"a number is no duration", "idle = 10", "f:1: idle cannot be \"10\"|Use a duration such as \"90s\", \"10m\" or \"8h\". All settings: sayso help config."},
		{"back in time", "idle = \"-5s\"", "f:1: idle cannot be \"-5s\"|Use a duration such as \"90s\", \"10m\" or \"8h\". All settings: sayso help config."},
		{"one of three", "dialog = \"alway\"", "f:1: dialog cannot be \"alway\"|Did you mean \"always\"? Use auto, always or never. All settings: sayso help config."},
		{"no dialect", "dialect = \"cluade\"", "f:1: dialect cannot be \"cluade\"|Did you mean \"claude\"? Formats: sayso dialects. All settings: sayso help config."},
		{"twice", "hub = 'a'\nhub = 'b'", "f:2:1: not valid TOML: "},
		{"no quotes", "hub = none", "f:1:7: not valid TOML: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			set, err := parseSettings("f", []byte(tc.file))
			var got []string
			for _, o := range options() {
				if values, ok := set[o.name]; ok {
					got = append(got, o.name+"="+strings.Join(values, ","))
				}
			}
			text := strings.Join(got, " ")
			if err != nil {
				if console.Code(err) != console.ExitUsage {
					t.Errorf("exit code %d", console.Code(err))
				}
				text = err.Error() + "|" + console.Hint(err)
			}
			if text != tc.want && !(strings.HasSuffix(tc.want, "TOML: ") && strings.HasPrefix(text, tc.want)) {
				t.Errorf("got  %s\nwant %s", text, tc.want)
			}
		})
	}
}

// TestOptions: every option of serve can be set in the file and in the environment,
// and each setting is of the kind of its flag.
func TestOptions(t *testing.T) {
	t.Parallel()
	p := &program{World: &World{World: console.World{Getenv: func(string) string { return "" }}}}
	root := p.root()
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, o := range options() {
		known = append(known, o.name)
	}
	serve.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && serve.InheritedFlags().Lookup(f.Name) == nil && !slices.Contains(known, f.Name) {
			t.Errorf("--%s of serve is no setting: add it to options", f.Name)
		}
	})
	types := map[kind]string{text: "string", texts: "stringArray", names: "stringSlice", yesNo: "bool", count: "int", duration: "duration", quotas: "NAME=VALUE", size: "SIZE"}
	used := map[string]bool{}
	for _, cmd := range everyCommand(root) {
		for _, o := range options() {
			f := cmd.Flags().Lookup(o.name)
			if f == nil {
				f = cmd.PersistentFlags().Lookup(o.name)
			}
			if f == nil || f.Annotations[noSetting] != nil {
				continue
			}
			used[o.name] = true
			if f.Value.Type() != types[o.kind] {
				t.Errorf("--%s of %s is a %s, and the setting a %s", o.name, cmd.Name(), f.Value.Type(), o.kind)
			}
		}
	}
	for _, o := range options() {
		if !used[o.name] {
			t.Errorf("no command has --%s", o.name)
		}
		if values, _ := textsOf("x"); len(values) != 1 || o.usage == "" {
			t.Errorf("%s has no words", o.name)
		}
		if strings.Contains(o.example(), "…") && o.kind != text {
			t.Errorf("%s has no example", o.name)
		}
	}
}

func TestConfigureOrder(t *testing.T) {
	t.Parallel()
	env := map[string]string{"SAYSO_IDLE": "2m", "SAYSO_HOST": "a.example,b.example"}
	p := &program{World: &World{World: console.World{Getenv: func(name string) string { return env[name] }}}}
	s := &serving{}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.bind(flags)
	if err := flags.Parse([]string{"--listen", "127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	env["SAYSO_LISTEN"] = "127.0.0.1:2"
	if err := p.configure(flags); err != nil {
		t.Fatal(err)
	}
	if s.listen != "127.0.0.1:1" || s.idle != 2*time.Minute || !slices.Equal(s.hosts, []string{"a.example", "b.example"}) {
		t.Errorf("got %+v", s)
	}
}
