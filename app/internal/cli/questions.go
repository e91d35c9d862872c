package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/pendingfile"
)

// withFiles opens the folder in which asks wait as files: that of the workspace.
func (p *program) withFiles(do func(*pendingfile.Dir) error) error {
	top, _ := repository(p.Dir)
	if top == "" {
		top = p.Dir
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return console.Fault("cannot open the folder %q: %s", top, reason(err)).Next("Run sayso in a folder that you can read.")
	}
	defer root.Close()
	return do(pendingfile.New(root, nil))
}

// isFile reports whether a person means a file and not an ask at the hub.
func isFile(name string) bool { return strings.HasSuffix(name, ".json") }

// askInFile leaves the ask in a file, or finds the answer there.
func (p *program) askInFile(ctx context.Context, a *sayso.Ask, tool *sayso.Tool) error {
	return p.withFiles(func(d *pendingfile.Dir) error {
		o, err := d.Ask(ctx, a)
		if err != nil {
			return err
		}
		in, err := d.Write(ctx, a) // that is, where it is
		if err != nil {
			return err
		}
		if !o.Status.Final() {
			p.Say("%s", o.Reason)
			return p.finish(namingFile(tool, in.File), a, o)
		}
		return p.takeFrom(ctx, d, in, o)
	})
}

// namingFile returns the tool whose result for an open ask names the file, in the
// dialects that have a place for it: pi's print mode.
func namingFile(tool *sayso.Tool, file string) *sayso.Tool {
	if tool == nil || tool.Spec().Dialect != dialect.Pi.Spec().Dialect {
		return tool
	}
	return &sayso.Tool{Dialect: dialect.PiPrint(file)}
}

// takeFrom prints the outcome of an ask in a file for the asker, and removes the
// file.
func (p *program) takeFrom(ctx context.Context, d *pendingfile.Dir, in *pendingfile.Pending, o *sayso.Outcome) error {
	err := p.finish(toolOf(in.Ask), in.Ask, o)
	var exit *console.ExitError
	if err == nil || errors.As(err, &exit) && exit.Err == nil {
		if gone := d.Clear(ctx, in.File); gone != nil {
			return gone
		}
	}
	return err
}

// toolOf returns the tool that the ask was spelled for, nil for an ask by flags.
func toolOf(a *sayso.Ask) *sayso.Tool {
	if d, ok := dialect.ByName(a.Dialect); ok {
		return &sayso.Tool{Dialect: d}
	}
	return nil
}

// answerFile records the answer to an ask in a file, and prints it as the asker
// is told.
func (p *program) answerFile(ctx context.Context, file string, words []string, list, reply string) error {
	if len(words) > 1 {
		return console.Usage("%q takes one answer; unexpected %q", file, words[1]).Next("Put the answer in quotes: sayso answer %s %q", file, strings.Join(words, " "))
	}
	return p.withFiles(func(d *pendingfile.Dir) error {
		in, err := d.Read(file)
		if err != nil {
			return err
		}
		var o *sayso.Outcome
		switch {
		case list != "":
			if o, err = in.FromList([]byte(list)); err != nil {
				return console.Usage("invalid value %q for --answers: %w", list, err).Next("Example: sayso answer %s --answers '[\"first\", \"second\"]'.", file)
			}
		case len(words) == 1 || reply != "":
			o = in.FromWords(strings.Join(append(words, reply), ""))
		default:
			return console.Usage("no answer given for %q", file).Next("Example: sayso answer %s \"your answer\".", file)
		}
		if err := saysSomething(o); err != nil {
			return err
		}
		if in, err = d.Close(ctx, in, o); err != nil {
			return err
		}
		return p.finish(toolOf(in.Ask), in.Ask, in.Outcome)
	})
}

func (p *program) continueCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupAnswer,
		Use:     "continue [FILE]",
		Short:   "Print the answers from a questions file",
		Long: `Print the answers from a questions file that you edited, for the agent that asked.
Without a name, it is the first file with answers. See "sayso questions".`,
		Example: "  $ sayso continue",
		Args:    console.MaybeArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withFiles(func(d *pendingfile.Dir) error {
				in, o, err := answeredFile(d, args)
				if err != nil {
					return err
				}
				if !o.Status.Final() {
					p.Say("%s", o.Reason)
					return console.Ended(o.Status)
				}
				return p.takeFrom(cmd.Context(), d, in, o)
			})
		},
	}
}

// answeredFile returns the file that is meant: the one that is named, or the
// first that has an answer, or the first.
func answeredFile(d *pendingfile.Dir, args []string) (*pendingfile.Pending, *sayso.Outcome, error) {
	if len(args) == 1 {
		in, err := d.Read(args[0])
		if err != nil {
			return nil, nil, err
		}
		o, err := in.FromFile()
		return in, o, err
	}
	all, err := d.List()
	if len(all) == 0 {
		return nil, nil, noFiles(err)
	}
	for _, in := range all {
		o, err := in.FromFile()
		if err != nil || o.Status.Final() {
			return in, o, err
		}
	}
	o, err := all[0].FromFile()
	return all[0], o, err
}

func noFiles(err error) error {
	none := console.Fault("no questions in files here").Next("Questions in the hub: sayso list.")
	if err != nil {
		none.Err = errors.Join(none.Err, err)
	}
	return none
}

func (p *program) questionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "questions",
		Short:   "Show questions that are kept in files",
		Long: `Show questions that are kept in files of this folder's repository. sayso writes such a
file if a question is asked without a hub and without a terminal.`,
		Example: `  $ sayso questions
  $ sayso questions clear`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.withFiles(p.showFiles)
		},
	}
	console.Add(cmd, &cobra.Command{
		Use:     "clear [FILE]",
		Short:   "Remove one questions file, or all",
		Long:    "Remove one questions file, or all. The agent that asked gets no answer from it.",
		Example: "  $ sayso questions clear",
		Args:    console.MaybeArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withFiles(func(d *pendingfile.Dir) error {
				if len(args) == 1 {
					return d.Clear(cmd.Context(), args[0])
				}
				return d.ClearAll(cmd.Context())
			})
		},
	})
	return cmd
}

func (p *program) showFiles(d *pendingfile.Dir) error {
	all, err := d.List()
	if err != nil {
		p.Say("%v", err)
	}
	all = slices.DeleteFunc(all, func(in *pendingfile.Pending) bool { return in.Outcome != nil }) // they wait for nobody
	if p.json {
		type view struct {
			File string     `json:"file"`
			Ask  *sayso.Ask `json:"ask"`
		}
		views := []view{}
		for _, in := range all {
			views = append(views, view{in.File, in.Ask})
		}
		return p.PrintJSON(map[string]any{"questions": views})
	}
	if len(all) == 0 {
		p.Say("No questions in files here. Questions in the hub: sayso list.")
	}
	for _, in := range all {
		if err := p.Print(sayso.SafeLine(in.File) + "\n" + indent(sayso.RenderCall(in.Ask))); err != nil {
			return err
		}
		if console.IsTerminal(p.Err) { // else a model may read it
			p.Say("%s", in.Instructions())
		}
	}
	return nil
}
