package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func (p *program) doctorCommand() *cobra.Command {
	var wrong error // with the settings
	var test bool
	cmd := &cobra.Command{
		GroupID: groupHelp,
		Use:     "doctor",
		Short:   "Check the installation",
		Long: `Check the installation: settings, folders, the hub, the terminal and your agents.

It starts no hub and changes nothing, unless you ask for a test. If something is wrong, it says how to fix it
and exits with 1. Put the output of "sayso doctor --json" into bug reports.

With --notify it sends a test notification to each of your devices and waits until you
confirm that it arrived.`,
		Example: `  $ sayso doctor
  $ sayso doctor --json
  sayso doctor --notify`,
		Args: console.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			wrong = p.configure(cmd.Flags()) // which is a finding
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.doctor(cmd.Context(), wrong, test) },
	}
	cmd.Flags().BoolVar(&test, "notify", false, "send a test notification to each of your devices")
	return cmd
}

// finding is one line of the doctor's. Its name does not change.
type finding struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	OK    bool   `json:"ok"`
	Fix   string `json:"fix,omitempty"` // what to do about it
}

// slowest is how long the doctor waits for a hub, and reads a store, each.
const slowest = 5 * time.Second

func (p *program) doctor(ctx context.Context, settings error, test bool) error {
	found := []finding{
		{Name: "version", Value: console.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH, OK: true},
		p.lookAtSettings(settings),
	}
	found = append(found, p.lookAtHub(ctx, test)...)
	found = append(found, p.lookAtTerminal())
	found = append(found, p.lookAtAgents()...)
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
			switch {
			case !f.OK:
				mark = "✗"
			case f.Fix != "":
				mark = "!"
			}
			line := fmt.Sprintf("%s %-11s %s", mark, f.Name, f.Value)
			if f.Fix != "" {
				line += fmt.Sprintf("\n  %-11s fix: %s", "", f.Fix)
			}
			if err := p.Print(line); err != nil {
				return err
			}
		}
	}
	if !well {
		return &console.ExitError{Code: console.ExitFault}
	}
	return nil
}

func (p *program) lookAtSettings(wrong error) finding {
	name := p.settingsFile()
	_, err := os.Stat(name)
	if wrong == nil && p.hub == "" {
		_, wrong = p.checkServing()
	}
	switch {
	case wrong != nil:
		return finding{"settings", wrong.Error(), false, cmp.Or(console.Hint(wrong), "correct that setting")}
	case name == "":
		return finding{"settings", "not set (neither XDG_CONFIG_HOME nor HOME is set)", true, ""}
	case errors.Is(err, fs.ErrNotExist):
		return finding{"settings", "not set (" + name + " does not exist)", true, ""}
	}
	return finding{"settings", name, err == nil, ""}
}

// checkServing returns what would keep a hub with these settings from starting, and
// the certificates that it would use.
func (p *program) checkServing() ([]*localhub.Certificate, error) {
	s := &serving{}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.bind(flags)
	if err := p.configure(flags); err != nil {
		return nil, err
	}
	o := &localhub.ServeOptions{}
	if err := s.secure(o); err != nil {
		return nil, err
	}
	if err := s.storage.engine(&o.Engine, false); err != nil {
		return nil, err
	}
	return s.certificates(o.Certificates), nil
}

// lookAtCertificates tells of those that have expired, or will soon. A hub that runs
// tells of its own.
func (p *program) lookAtCertificates() (found []finding) {
	all, err := p.checkServing()
	if err != nil {
		return nil // which is a finding already
	}
	for _, c := range all {
		if what, refused := c.Trouble(time.Now()); what != "" {
			found = append(found, finding{c.Name, what, !refused, "put a new certificate and its key into the same files"})
		}
	}
	return found
}

// lookAtHub tells which hub is used, and whether it, and what it needs, is well.
func (p *program) lookAtHub(ctx context.Context, test bool) []finding {
	switch p.hub {
	case "none":
		return []finding{{"hub", "none; sayso asks on this terminal, or writes questions to a file", true, ""}}
	case "":
		return p.lookAtOwnHub(ctx, test)
	}
	found := []finding{{"hub", p.hub, true, ""}, p.lookAtHealth(ctx, p.hub)}
	if clock, known := p.lookAtClock(ctx, p.hub); known {
		found = append(found, clock)
	}
	return found
}

func (p *program) lookAtOwnHub(ctx context.Context, test bool) []finding {
	s, err := p.starter()
	if err != nil {
		return []finding{{"state", errors.Unwrap(err).Error(), false, localhub.NoFolder}}
	}
	state, sound := lookAtFolder("state", s.Places.State, "XDG_STATE_HOME")
	if err := s.Places.CheckFormat(); err != nil && sound {
		state, sound = finding{"state", err.Error(), false, console.Hint(err)}, false
	}
	socket, _ := lookAtFolder("runtime", s.Places.Runtime, "XDG_RUNTIME_DIR")
	found := []finding{state, socket, lookAtDescriptors(s.Places)}
	engine := finding{"engine", "NATS JetStream in " + s.Places.Engine(), true, ""}
	where := []finding{{"log", s.Places.Log(), true, ""}, {"keys", "in the storage; before its first start in " + s.Places.Keys(), true, ""}}
	running, err := s.Running(ctx)
	if test && err == nil && !running {
		if err = p.started(ctx, s); err == nil {
			running = true
		}
	}
	switch {
	case err != nil:
		found = append(found, finding{"hub", fmt.Sprintf("your own, on %s: %v", s.Places.Socket(), err), false, "stop the process that uses that socket, or remove the socket"})
	case running:
		build, warnings := lookAtBuild(ctx, s, &engine)
		health := p.lookAtHealth(ctx, s.Places.Socket())
		found = append(append(found, build, health), warnings...)
		if health.OK { // otherwise the devices cannot be read, or it does not matter
			found = append(found, p.lookAtNotifications(ctx, s, test)...)
		}
	default:
		found = append(found, finding{"hub", fmt.Sprintf("your own, on %s; %v", s.Places.Socket(), errNotRunning), true, ""})
		found = append(found, p.lookAtCertificates()...)
		if sound {
			lookAtStore(ctx, s.Places, &engine)
		}
	}
	return append(append(found, engine), where...)
}

// lookAtBuild says which program serves the person's hub, where its storage is, and
// what it warns of.
func lookAtBuild(ctx context.Context, s *localhub.Starter, engine *finding) (_ finding, warnings []finding) {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	f := finding{"hub", "your own, on " + s.Places.Socket(), true, ""}
	info, err := s.Info(ctx)
	switch {
	case errors.Is(err, localhub.ErrOlder):
		f.Value, f.Fix = f.Value+" (an older version)", "use this version: sayso restart"
	case err != nil: // the health says more
	case !sameBuild(info.Build, console.ThisBuild()):
		f.Value = fmt.Sprintf("%s (pid %d, version %s; this program is version %s)", f.Value, info.PID, shortBuild(info.Build), shortBuild(console.ThisBuild()))
		f.Fix = "use this version: sayso restart"
	default:
		f.Value = fmt.Sprintf("%s (pid %d, version %s)", f.Value, info.PID, shortBuild(info.Build))
	}
	if info != nil {
		if info.Storage != "" {
			engine.Value = info.Storage
		}
		if info.Synced == localhub.SyncUnknown {
			engine.Value += " (not verified that it syncs every write)"
			engine.Fix = "set sync_interval: always on the NATS servers, and nats-sync-check here"
		}
		for _, w := range info.Warnings {
			warnings = append(warnings, finding{w.Name, w.Text, !w.Wrong, w.Fix})
		}
	}
	return f, warnings
}

// lookAtFolder says whether the hub can write to its folder.
func lookAtFolder(name, dir, variable string) (_ finding, sound bool) {
	f, err := localhub.LookAt(dir)
	if err != nil {
		fix := "make the folder yours and writable, or name another one with " + variable
		if hub.FaultOf(err) == hub.FaultDiskFull {
			fix = "free some space on its disk, or name another folder with " + variable
		}
		var storage *hub.StorageError
		if errors.As(err, &storage) {
			return finding{name, storage.What(), false, fix}, false
		}
		return finding{name, err.Error(), false, fix}, false
	}
	value := dir + " (does not exist yet"
	if f.There {
		value = fmt.Sprintf("%s (mode %04o", dir, f.Mode)
	}
	if f.Free >= 0 {
		value += fmt.Sprintf(", %d bytes free", f.Free)
	}
	return finding{name, value + ")", true, ""}, true
}

// lookAtDescriptors says how many files a hub that is started from here may open.
func lookAtDescriptors(p localhub.Places) finding {
	limit, err := p.Descriptors(1, false)
	switch {
	case err != nil:
		return finding{"descriptors", errors.Unwrap(err).Error(), false, "raise the limit where the hub is started: ulimit -n 1024"}
	case limit == 0:
		return finding{"descriptors", "no known limit", true, ""}
	}
	return finding{"descriptors", fmt.Sprintf("%d", limit), true, ""}
}

// lookAtStore reads the store of a hub that does not run.
func lookAtStore(ctx context.Context, p localhub.Places, engine *finding) {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	records, err := p.LookAtStore(ctx)
	switch {
	case err == nil:
		engine.Value += fmt.Sprintf(" (intact, %d records)", records)
	case ctx.Err() != nil:
		engine.Value += fmt.Sprintf(" (not completely read in %s; the hub reads it when it starts)", slowest)
	case localhub.IsServed(err): // a hub begins or ends
	default:
		engine.Value, engine.OK, engine.Fix = err.Error(), false, p.Advice()
	}
}

// lookAtHealth asks a hub that runs whether it is ready, and what waits there.
func (p *program) lookAtHealth(ctx context.Context, at string) finding {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	begin := time.Now()
	if err := p.ready(ctx); err != nil {
		fix := "check that the hub is running and that this machine can reach it"
		if f := hub.FaultOf(err); f != "" {
			return finding{"health", "not ready: " + f.What(), false, strings.TrimPrefix(f.Advice(), f.What()+": ")}
		}
		var says *client.Error
		if errors.As(err, &says) && says.Status == http.StatusServiceUnavailable && says.Detail != "" {
			fix := "start what it waits for, or check the network; the hub then goes on by itself. Its log says more"
			if what, next, ok := strings.Cut(says.Detail, ": "); ok && !strings.HasPrefix(what, "waiting") {
				return finding{"health", "not ready: " + what, false, next}
			}
			return finding{"health", "not ready: " + says.Detail, false, fix}
		}
		return finding{"health", explain(err).Error(), false, cmp.Or(console.Hint(explain(err)), fix)}
	}
	took := time.Since(begin).Round(time.Millisecond)
	key, err := p.key()
	if err != nil {
		return finding{"health", err.Error(), false, "name another file with --key-file"}
	}
	c, err := client.New(at, &client.Options{Key: key, Patience: -1})
	if err != nil {
		return finding{"health", err.Error(), false, "correct --hub"}
	}
	defer c.Close()
	open, err := collect(ctx, c, &hub.Filter{})
	if err != nil {
		return finding{"health", fmt.Sprintf("ready (%s), but cannot list questions: %v", took, explain(err)), false, cmp.Or(console.Hint(explain(err)), "check that the key is one of this hub")}
	}
	return finding{"health", fmt.Sprintf("ready (%s), %s", took, plural(len(open), "open question", "open questions")), true, ""}
}

func (p *program) lookAtTerminal() finding {
	if p.dialog == "auto" {
		p.dialog = "always"
	}
	here, err := p.here()
	switch {
	case errors.Is(err, errNobodyHere):
		where := "questions are in the inbox: sayso list"
		if p.hub == "none" {
			where = "questions are in a file: sayso questions"
		}
		return finding{"terminal", "none in this process; " + where, true, ""}
	case err != nil:
		return finding{"terminal", err.Error(), false, "correct the setting dialog"}
	}
	here.Close()
	if p.isPlain() {
		return finding{"terminal", "asks line by line", true, ""}
	}
	return finding{"terminal", "shows the dialog", true, ""}
}
