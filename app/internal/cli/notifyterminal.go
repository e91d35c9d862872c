package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/surface/notify/tty"
)

// fillTerminal names the terminal that the command runs in, with what tells which
// program shows it.
func (n *notifications) fillTerminal(_ *cobra.Command, _ []string, d *localhub.NewDevice) error {
	name := ""
	for _, f := range []any{n.In, n.Out, n.Err} {
		if file, ok := f.(*os.File); ok && console.IsTerminal(file) {
			if to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd())); err == nil {
				name = to
				break
			}
		}
	}
	if name == "" {
		return console.Fault("notify add terminal needs a terminal and this process has none").Next("Run it in the terminal that is to show notifications.")
	}
	a, err := tty.Here(n.Getenv, name)
	if err != nil {
		return console.Fault("%w", err).Next("Run it in the terminal that is to show notifications.")
	}
	d.Address, err = json.Marshal(a)
	return err
}
