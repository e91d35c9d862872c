package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

func (p *program) webCommand() *cobra.Command {
	var code, noOpen, phone bool
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "web",
		Short:   "Open the inbox in your browser",
		Long: `Open the inbox in your browser. The address that it prints signs one browser in,
once, within 15 minutes. Your hub accepts browsers of this machine only.

To use a phone, run "sayso web --phone". It makes the inbox reachable for the
devices of your tailnet with "tailscale serve", tries the address, and shows a QR
code that pairs the phone. If something is missing, it says what, and what to do.
With a name and a certificate of your own, use "sayso serve --web" and --qr.`,
		Example: `  $ sayso web
  $ sayso web --no-open
  $ sayso web --phone`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if phone {
				return p.phone(cmd.Context(), &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }})
			}
			return p.web(cmd.Context(), code, noOpen)
		},
	}
	cmd.Flags().BoolVar(&phone, "phone", false, "make the inbox reachable for a phone and show the QR code that pairs it")
	cmd.Flags().BoolVar(&code, "qr", false, "show the address as a QR code for a phone, open no browser")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "only print the address, open no browser")
	return cmd
}

func (p *program) web(ctx context.Context, code, noOpen bool) error {
	if p.hub != "" {
		return console.Usage("cannot sign in to the web inbox of another hub (--hub %s)", p.hub).
			Next("Run \"sayso web\" on the hub's machine, without --hub.")
	}
	starter, err := p.starter()
	if err != nil {
		return err
	}
	get := starter.WebLink
	if code {
		get = starter.PairLink
	}
	link, err := get(ctx)
	if err != nil {
		return fmt.Errorf("cannot open the web inbox: %w", err)
	}
	if code {
		if err := p.showCode(link); err != nil {
			return err
		}
	} else if !noOpen && p.hasDisplay() {
		if err := openBrowser(starter.Places, link); err != nil {
			p.Say("Cannot open a browser (%v). Open the address yourself.", err)
		}
	}
	if p.json {
		return p.PrintJSON(map[string]string{"url": link})
	}
	p.Say("This address works once, within 15 minutes:")
	return p.Print(link)
}

// showCode draws the address. An address of this machine would lead a phone to
// itself.
func (p *program) showCode(link string) error {
	u, err := url.Parse(link)
	if err != nil {
		return err
	}
	if ofThisMachine(u.Hostname()) {
		return console.Usage("a phone cannot reach the inbox at %s, which is for this machine only", u.Hostname()).
			Next("Find a way for it: sayso web --phone. Or serve it with TLS: sayso serve --web 0.0.0.0:7778 --host NAME --tls-cert FILE --tls-key FILE.")
	}
	c, err := qr.Encode(link, qr.L)
	if err != nil {
		return fmt.Errorf("drawing the address: %w", err)
	}
	_, err = fmt.Fprint(p.Err, drawCode(c.Size, c.Black))
	return err
}

// ofThisMachine reports whether a name means the machine of whoever uses it.
func ofThisMachine(name string) bool {
	ip := net.ParseIP(name)
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return ip != nil && ip.IsLoopback() || name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// drawCode puts two rows of modules into one of text, light on dark with the
// margin of four that readers want.
func drawCode(size int, black func(x, y int) bool) string {
	var b strings.Builder
	for y := -4; y < size+4; y += 2 {
		b.WriteString("\x1b[97;40m") // whatever colours the terminal has
		for x := -4; x < size+4; x++ {
			switch up, down := !black(x, y), !black(x, y+1); {
			case up && down:
				b.WriteString("█")
			case up:
				b.WriteString("▀")
			case down:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}

func (p *program) hasDisplay() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return console.IsTerminal(p.Err)
	}
	return p.Getenv("DISPLAY") != "" || p.Getenv("WAYLAND_DISPLAY") != ""
}

// openBrowser opens a file that leads to the address. As an argument the address
// could be read by every user of the machine.
func openBrowser(places localhub.Places, link string) error {
	name, err := places.LoginPage(link)
	if err != nil {
		return err
	}
	open := []string{"xdg-open", name}
	switch runtime.GOOS {
	case "darwin":
		open[0] = "open"
	case "windows":
		open = []string{"rundll32", "url.dll,FileProtocolHandler", name}
	}
	cmd := exec.Command(open[0], open[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
