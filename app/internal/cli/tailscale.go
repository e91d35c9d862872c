package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
)

// tailscale is the program of that name on this machine.
type tailscale struct {
	file string
	name string // of this machine in its private network, with a certificate
}

const (
	tailscaleInstall = "https://tailscale.com/download"
	tailscaleHTTPS   = "https://login.tailscale.com/admin/dns"
)

// findTailscale returns the program, or nil if it is not installed.
func findTailscale() *tailscale {
	for _, file := range []string{"tailscale", "/Applications/Tailscale.app/Contents/MacOS/Tailscale"} {
		if found, err := exec.LookPath(file); err == nil {
			return &tailscale{file: found}
		}
	}
	return nil
}

// run runs a command of it. Some of them wait for somebody to click somewhere, so each
// has a time limit; what it has said until then is returned with the error.
func (ts *tailscale) run(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	end := cancel
	if args[0] != "serve" {
		end = func() {} // a status may have such an address, and ends by itself
	}
	out, said := &asks{cancel: end}, &asks{cancel: end}
	cmd := exec.CommandContext(ctx, ts.file, args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, said, time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		return strings.TrimSpace(out.String() + "\n" + said.String()), err
	}
	return out.String(), nil
}

// asks is the output of a program that is ended as soon as it wants somebody to go to
// an address: it would wait for that.
type asks struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (a *asks) Write(b []byte) (int, error) {
	n, err := a.Buffer.Write(b)
	if link := tailscaleLink.FindIndex(a.Bytes()); link != nil && bytes.HasSuffix(a.Bytes(), []byte("\n")) {
		a.cancel()
	}
	return n, err
}

// tailscaleStatus is what we read of `tailscale status --json`.
type tailscaleStatus struct {
	BackendState string
	CertDomains  []string
	Self         *struct {
		DNSName string
		CapMap  map[string]any
	}
}

// ready sees whether this machine is in a private network that has certificates, and
// learns its name there.
func (ts *tailscale) ready(ctx context.Context) error {
	out, err := ts.run(ctx, 10*time.Second, "status", "--json")
	var st tailscaleStatus
	if json.Unmarshal([]byte(out), &st) != nil { // a node that is stopped says so with an exit code, too
		if err == nil {
			err = errors.New("its status cannot be read")
		}
		return console.Fault("tailscale does not answer: %s", firstLine(out, err)).
			Next("Start it, for example: sudo systemctl enable --now tailscaled && sudo tailscale up. Then: sayso web --phone.")
	}
	switch st.BackendState {
	case "Running":
	case "NeedsLogin", "NoState":
		return console.Fault("this machine is not signed in to tailscale").Next("Run sudo tailscale up, then: sayso web --phone.")
	case "NeedsMachineAuth":
		return console.Fault("this machine waits for approval in your tailnet").Next("Approve it at https://login.tailscale.com/admin/machines, then: sayso web --phone.")
	default:
		return console.Fault("tailscale is not connected (%s)", sayso.SafeLine(st.BackendState)).Next("Run sudo tailscale up, then: sayso web --phone.")
	}
	if st.Self != nil {
		ts.name = strings.ToLower(strings.TrimSuffix(st.Self.DNSName, "."))
	}
	if !validName(ts.name) {
		return console.Fault("this machine has no name in your tailnet").Next("Turn MagicDNS on at %s, then: sayso web --phone.", tailscaleHTTPS)
	}
	_, https := st.Self.CapMap["https"]
	if !https && !slices.ContainsFunc(st.CertDomains, func(d string) bool { return strings.EqualFold(d, ts.name) }) {
		return console.Fault("HTTPS certificates are not enabled in your tailnet").
			Next("Enable them at %s (section HTTPS Certificates), then: sayso web --phone.", tailscaleHTTPS)
	}
	return nil
}

var dnsName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

func validName(name string) bool { return len(name) <= 253 && dnsName.MatchString(name) }

// proxied returns what `tailscale serve` passes the name's requests on to; empty: to
// nothing.
func (ts *tailscale) proxied(ctx context.Context) (string, error) {
	out, err := ts.run(ctx, 10*time.Second, "serve", "status", "--json")
	if err != nil {
		return "", console.Fault("tailscale serve does not answer: %s", firstLine(out, err)).Next("See what it says: tailscale serve status.")
	}
	var st struct {
		Web map[string]struct {
			Handlers map[string]struct{ Proxy, Path, Text string }
		}
	}
	if err := json.Unmarshal([]byte(out), &st); err != nil {
		return "", console.Fault("tailscale serve says something that sayso cannot read").Next("Update tailscale to 1.52 or later, then: sayso web --phone.")
	}
	h, ok := st.Web[ts.name+":443"].Handlers["/"]
	switch {
	case !ok:
		return "", nil
	case h.Proxy != "":
		return h.Proxy, nil
	}
	return "files", nil
}

var tailscaleLink = regexp.MustCompile(`https://login\.tailscale\.com/\S+`)

// serve passes the requests to the name on to a port of this machine.
func (ts *tailscale) serve(ctx context.Context, port string) error {
	now, err := ts.proxied(ctx)
	if err != nil {
		return err
	}
	switch strings.TrimSuffix(now, "/") {
	case "http://127.0.0.1:" + port, "http://localhost:" + port:
		return nil
	case "":
	default:
		return console.Fault("https://%s already leads to another program (%s)", ts.name, sayso.SafeLine(now)).
			Next("If you no longer need that: tailscale serve reset. Then: sayso web --phone.")
	}
	out, err := ts.run(ctx, 15*time.Second, "serve", "--bg", port)
	link := tailscaleLink.FindString(out)
	switch {
	case err == nil:
		return nil
	case link != "": // it waits for somebody to go there
		return console.Fault("tailscale serve is not enabled in your tailnet").Next("Enable it at %s, then: sayso web --phone.", link)
	case strings.Contains(strings.ToLower(out), "denied"):
		return console.Fault("tailscale does not let this user change what it serves").
			Next("Allow it once: sudo tailscale set --operator=$USER. Then: sayso web --phone.")
	}
	return console.Fault("tailscale serve --bg %s failed: %s", port, firstLine(out, err)).Next("See what it says: tailscale serve --bg %s.", port)
}

// firstLine is the first line of what a program said, or the error.
func firstLine(out string, err error) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" {
			return sayso.SafeLine(line)
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no reply in time"
	}
	return err.Error()
}
