package cli

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
)

// editInput has the person change the command, or the input, in their editor.
func (p *program) editInput(ctx context.Context, a *sayso.Ask) (string, error) {
	member, text, ok := a.Approval.Editable()
	if !ok {
		return "", console.Usage("this input cannot be changed: the agent takes none, or it is too large").Next("The choices: sayso show %s.", a.ID)
	}
	dir, err := os.MkdirTemp("", "sayso-edit-")
	if err != nil {
		return "", console.Fault("cannot make a file to edit: %s", reason(err)).Next("Give the changed input with --input.")
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, map[bool]string{true: "command.sh", false: "input.json"}[member != ""])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", console.Fault("cannot make a file to edit: %s", reason(err)).Next("Give the changed input with --input.")
	}
	editor := cmp.Or(p.Getenv("VISUAL"), p.Getenv("EDITOR"), "vi")
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file) // an editor may have arguments
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = p.In, p.Out, p.Err, p.Dir
	if err := cmd.Run(); err != nil {
		return "", console.Fault("your answer was not sent: the editor %q failed: %s", editor, reason(err)).Next("Set EDITOR, or give the changed input with --input.")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", console.Fault("your answer was not sent: cannot read what you edited: %s", reason(err)).Next("Give the changed input with --input.")
	}
	changed := string(data)
	if !strings.HasSuffix(text, "\n") {
		changed = strings.TrimSuffix(changed, "\n") // editors end the last line
	}
	switch {
	case changed == text:
		return "", console.Usage("your answer was not sent: you changed nothing").Next("To allow it as it is: sayso answer %s allow.", a.ID)
	case member == "":
		if err := sayso.CheckJSON([]byte(changed)); err != nil {
			return "", console.Usage("your answer was not sent: the changed input is not JSON: %w", err).Next("Edit it again: sayso answer %s allow --edit.", a.ID)
		}
		return changed, nil
	}
	return a.Approval.EditedInput(member, changed)
}
