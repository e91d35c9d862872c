package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/dialect"
)

func (p *program) dialectsCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "dialects",
		Short:   "List agent formats, check a tool call",
		Long: `List agent formats. A format (dialect) is one agent's version of the question tool:
its name, its input and the text of its result.`,
		Example: `  $ sayso dialects
  $ sayso dialects schema claude
  $ sayso dialects lint < call.json`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.listDialects() },
	}
	schema := &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON schema of a format",
		Long: `Print the JSON schema that the model gets. With --json, also the name and the
description of the tool.`,
		Example:           "  $ sayso dialects schema claude",
		Args:              console.Arg("the name of a format", "Formats: sayso dialects."),
		ValidArgsFunction: completeDialects,
		RunE:              func(_ *cobra.Command, args []string) error { return p.printSchema(args[0]) },
	}
	var name, file string
	lint := &cobra.Command{
		Use:   "lint",
		Short: "Check a tool call",
		Long: `Check a tool call from standard input or --file, and show the questions that it
asks. If the call is not valid, it prints what the model reads and exits with 1.`,
		Example: `  $ sayso dialects lint < call.json
  $ sayso dialects lint --dialect claude --file call.json`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.lint(name, file) },
	}
	lint.Flags().StringVar(&name, "dialect", "", "`format` of the call (default: detected)")
	lint.Flags().StringVarP(&file, "file", "f", "", "read the call from a `file`")
	lint.RegisterFlagCompletionFunc("dialect", completeDialects)
	console.Add(cmd, schema, lint)
	return cmd
}

type specJSON struct {
	Dialect     string          `json:"dialect"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

func (p *program) listDialects() error {
	if p.json {
		var list []specJSON
		for _, d := range dialect.All() {
			s := d.Spec()
			list = append(list, specJSON{Dialect: s.Dialect, Name: s.Name, Description: s.Description})
		}
		return p.PrintJSON(map[string]any{"dialects": list})
	}
	w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
	for _, d := range dialect.All() {
		s := d.Spec()
		first, _, _ := strings.Cut(s.Description, "\n")
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Dialect, s.Name, shorten(first, 60))
	}
	return w.Flush()
}

func (p *program) printSchema(name string) error {
	d, err := speaks(name, nil)
	if err != nil {
		return err
	}
	s := d.Spec()
	if p.json {
		return p.PrintJSON(specJSON{Dialect: s.Dialect, Name: s.Name, Description: s.Description, Schema: s.Schema})
	}
	var b bytes.Buffer
	if err := json.Indent(&b, s.Schema, "", "  "); err != nil {
		return err
	}
	return p.Print(b.String())
}

func (p *program) lint(name, file string) error {
	call, err := p.readCall(file)
	if err != nil {
		return err
	}
	d, err := speaks(name, call)
	if err != nil {
		return err
	}
	tool := sayso.Tool{Dialect: d}
	a, refusal := tool.Prepare(sayso.Call{Arguments: call})
	verdict := struct {
		Dialect string     `json:"dialect"`
		Valid   bool       `json:"valid"`
		Refusal string     `json:"refusal,omitempty"`
		Ask     *sayso.Ask `json:"ask,omitempty"`
	}{Dialect: d.Spec().Dialect, Valid: refusal == nil, Ask: a}
	text := ""
	if refusal != nil {
		verdict.Refusal, text = refusal.Text, refusal.Text
	} else {
		text = sayso.RenderCall(a)
	}
	if p.json {
		err = p.PrintJSON(verdict)
	} else {
		p.Say("dialect: %s", verdict.Dialect)
		err = p.Print(text)
	}
	if err == nil && refusal != nil {
		err = &console.ExitError{Code: console.ExitFault}
	}
	return err
}

func completeDialects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return dialect.Names(), cobra.ShellCompDirectiveNoFileComp
}

// shorten cuts a line to n characters, with a mark where it was cut.
func shorten(s string, n int) string {
	r := []rune(sayso.SafeLine(s))
	if len(r) <= n {
		return string(r)
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}
