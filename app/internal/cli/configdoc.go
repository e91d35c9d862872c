package cli

import (
	"fmt"
	"strings"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/pendingfile"
)

// table is a part of the reference: docs/reference/config.md has it in Markdown,
// and "sayso help config" as text.
type table struct {
	name string
	head []string
	rows [][]string // cells with code have backquotes
}

// configTables returns what there is to configure, and where it is.
func configTables() []table {
	return []table{settingsTable(), wakeTable(), variablesTable(), filesTable(), quotasTable()}
}

func settingsTable() table {
	t := table{name: "settings", head: []string{"setting", "meaning", "value", "default"}}
	for _, o := range options() {
		initial := o.initial
		if initial == "" {
			initial = "none"
		}
		t.rows = append(t.rows, []string{"`" + o.name + "`", o.usage, string(o.kind), initial})
	}
	return t
}

func variablesTable() table {
	return table{name: "environment", head: []string{"variable", "meaning"}, rows: [][]string{
		{"`SAYSO_HUB`, `SAYSO_DIALOG` …", "every setting: `SAYSO_` and its name in capitals, with `_` for `-`; commas separate the items of `host` and `quota`"},
		{"`SAYSO_CONFIG`", "another settings file"},
		{"`SAYSO_KEY`", "the key for the hub, if there is no `key-file`"},
		{"`XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `XDG_RUNTIME_DIR`", "where the folders of the table below are; absolute paths only"},
		{"`LC_ALL`, `LC_MESSAGES`, `LANG`", "language of the dialog: English or German"},
		{"`ACCESSIBLE=1`, `TERM=dumb`", "ask line by line, like `plain`"},
		{"`TRACEPARENT`", "the trace that `ask` belongs to, like `--traceparent`"},
		{"`COLUMNS`", "width of the tables that `list` and `history` print"},
	}}
}

func filesTable() table {
	at := func(name string) string {
		if name == "HOME" {
			return "~"
		}
		return ""
	}
	t := table{name: "files", head: []string{"what", "where"}}
	dir, err := console.ConfigFolder(at)
	p, err2 := localhub.PlacesOf(at)
	if err != nil || err2 != nil {
		return t // which cannot be: HOME is set
	}
	for _, row := range [][]string{
		{"settings", dir + "/config.toml"},
		{"questions and answers", p.Engine()},
		{"keys", p.Keys()},
		{"log of the hub", p.Log()},
		{"sessions of agents that ask", p.Sessions().Dir},
		{"security log", p.SecurityLog()},
	} {
		t.rows = append(t.rows, []string{row[0], "`" + row[1] + "`"})
	}
	return table{t.name, t.head, append(t.rows,
		[]string{"socket of the hub", "`$XDG_RUNTIME_DIR/sayso/hub.sock`, or `" + p.Socket() + "`"},
		[]string{"questions without a hub", "`" + pendingfile.DefaultFolder + "/" + pendingfile.DefaultFile + "` in the repository or folder"},
	)}
}

func quotasTable() table {
	t := table{name: "quotas", head: []string{"quota", "limits", "default"}}
	for _, q := range httpapi.QuotaSettings() {
		value := fmt.Sprint(q.Default)
		switch {
		case q.Bytes:
			value = fmt.Sprintf("%dMiB", int(q.Default)>>20)
		case q.Name == "open":
			value = fmt.Sprint(localhub.OpenAsks)
		}
		t.rows = append(t.rows, []string{"`" + q.Name + "`", q.Means, value})
	}
	return t
}

// markdown returns the table for a page.
func (t *table) markdown() string {
	lines := []string{row(t.head), "|" + strings.Repeat("---|", len(t.head))}
	for _, r := range t.rows {
		lines = append(lines, row(r))
	}
	return strings.Join(lines, "\n") + "\n"
}

func row(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	return "| " + strings.Join(escaped, " | ") + " |"
}

// text returns the table for a terminal: the first cell, and below it, indented,
// the others.
func (t *table) text() string {
	var lines []string
	for _, r := range t.rows {
		rest := r[1]
		if last := len(r) - 1; last > 1 && r[last] != "none" && t.name != "wake" {
			rest += " (default: " + r[last] + ")"
		}
		lines = append(lines, fmt.Sprintf("  %-16s %s", r[0], rest))
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "`", "") + "\n"
}

// configHelp is what "sayso help config" prints.
func configHelp() string {
	settings, wakes, files, quotas := settingsTable(), wakeTable(), filesTable(), quotasTable()
	return `Settings come from flags, then the environment, then the settings file. A setting
has the same name everywhere: --dialog never, SAYSO_DIALOG=never, or in the file
~/.config/sayso/config.toml, which is TOML:

  dialog = "never"
  quota = ["open=20", "stored=1GiB"]

Settings
` + settings.text() + `
Section [wake], in the file only: sessions that are resumed when you answer
` + wakes.text() + `
Quotas (quota = ["NAME=VALUE"]; off removes a limit)
` + quotas.text() + `
Files
` + files.text() + `
"sayso doctor" checks the settings. Variables: sayso help environment.
`
}

// environmentHelp is what "sayso help environment" prints.
func environmentHelp() string {
	variables := variablesTable()
	var lines []string
	for _, r := range variables.rows {
		lines = append(lines, "  "+r[0]+"\n      "+r[1])
	}
	return "Environment variables\n" + strings.ReplaceAll(strings.Join(lines, "\n"), "`", "") + "\n"
}
