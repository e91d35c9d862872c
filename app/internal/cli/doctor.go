package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/hub"
)

func (p *program) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what is configured, whether the hub is well, and what the terminal can do",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.doctor(cmd.Context()) },
	}
}

// finding is one line of the doctor's.
type finding struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	OK    bool   `json:"ok"`
}

func (p *program) doctor(ctx context.Context) error {
	found := []finding{
		{"version", version() + " " + runtime.GOOS + "/" + runtime.GOARCH, true},
		p.lookAtSettings(),
	}
	found = append(found, p.lookAtHub(ctx)...)
	found = append(found, p.lookAtTerminal())
	well := true
	for _, f := range found {
		well = well && f.OK
	}
	if p.json {
		if err := p.PrintJSON(map[string]any{"ok": well, "findings": found}); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			mark := "✓"
			if !f.OK {
				mark = "✗"
			}
			if err := p.Print(fmt.Sprintf("%s %-10s %s", mark, f.Name, f.Value)); err != nil {
				return err
			}
		}
	}
	if !well {
		return &console.ExitError{Code: console.ExitFault}
	}
	return nil
}

func (p *program) lookAtSettings() finding {
	name := p.settingsFile()
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return finding{"settings", "none; they would be in " + name, true}
	}
	return finding{"settings", name, err == nil}
}

// lookAtHub tells which hub is used, starts it if it is the person's own, and
// reads from it.
func (p *program) lookAtHub(ctx context.Context) []finding {
	var found []finding
	switch p.hub {
	case "none":
		return []finding{{"hub", "none; questions are asked on this terminal, or left in a file", true}}
	case "":
		s, err := p.starter()
		if err != nil {
			return []finding{{"hub", err.Error(), false}}
		}
		found = append(found,
			finding{"hub", "your own, on " + s.Places.Socket(), true},
			finding{"engine", "NATS JetStream in " + s.Places.State, true},
			finding{"log", s.Places.Log(), true})
	default:
		found = append(found, finding{"hub", p.hub, true})
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	begin := time.Now()
	c, err := p.connect(ctx)
	if err != nil {
		return append(found, finding{"health", err.Error(), false})
	}
	defer c.Close()
	open, err := collect(ctx, c, &hub.Filter{})
	if err != nil {
		return append(found, finding{"health", err.Error(), false})
	}
	took := time.Since(begin).Round(time.Millisecond)
	return append(found, finding{"health", fmt.Sprintf("it answers, after %s; %d open", took, len(open)), true})
}

func (p *program) lookAtTerminal() finding {
	if p.dialog == "auto" {
		p.dialog = "always"
	}
	here, err := p.here()
	switch {
	case err != nil:
		return finding{"terminal", err.Error() + "; questions wait at the hub", true}
	case p.isPlain():
		here.Close()
		return finding{"terminal", "line by line", true}
	}
	here.Close()
	return finding{"terminal", "it can show the dialog", true}
}
