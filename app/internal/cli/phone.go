package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// phonePorts are the ports that the inbox is served on behind tailscale: the first one
// that is free.
const phoneFirst, phoneLast = 7779, 7797

// phone finds a way for a phone to reach the inbox, tries it, and shows the address that
// pairs the phone. What is in the way is an error that names it and the next command.
func (p *program) phone(ctx context.Context, client *http.Client) error {
	starter, err := p.ownHub("web")
	if err != nil {
		return err
	}
	at, err := starter.WebAddress(ctx)
	if err != nil {
		return fmt.Errorf("cannot ask the hub for its address: %w", err)
	}
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	if at == "" || strings.HasSuffix(u.Hostname(), ".ts.net") {
		ts := findTailscale()
		if ts == nil {
			return noWay()
		}
		if err := ts.ready(ctx); err != nil {
			return err
		}
		if at != "" && u.Hostname() != ts.name {
			return p.wrongName(u.Hostname(), ts.name)
		}
		port, err := p.serveForPhone(ctx, starter, ts.name, at != "")
		if err != nil {
			return err
		}
		if err := ts.serve(ctx, port); err != nil {
			return err
		}
		at = "https://" + ts.name
		p.Say("Your inbox is at %s, for the devices in your tailnet.", at)
	}
	if err := tryFromHere(ctx, client, at); err != nil {
		return err
	}
	link, err := starter.PairLink(ctx)
	if err != nil {
		return fmt.Errorf("cannot make an address for the phone: %w", err)
	}
	if p.json {
		return p.PrintJSON(map[string]string{"url": link})
	}
	if err := p.showCode(link); err != nil {
		return err
	}
	p.Say("Scan the code with your phone. It works once, within 15 minutes.\nThen open Notifications on the phone and turn them on. On an iPhone, add the page to the home screen first.")
	return p.Print(link)
}

// noWay is the answer where nothing is set up.
func noWay() error {
	return console.Fault("no way was found for a phone to reach this machine: tailscale is not installed").
		Next(`Do one of these:
  Install tailscale here and on the phone (%s), then: sayso web --phone.
  Use a name and a certificate of your own: sayso serve --web 0.0.0.0:7778 --host NAME --tls-cert FILE --tls-key FILE.
  Answer in a chat, without a way to this machine: sayso notify add telegram, or sayso notify add slack.`, tailscaleInstall)
}

func (p *program) wrongName(has, wants string) error {
	return console.Fault("the inbox answers to %s, and this machine is %s in your tailnet", has, wants).
		Next("Change host to %q in %s, then: sayso restart.", wants, p.settingsFile())
}

// serveForPhone has the hub serve the inbox for that name on the loopback, and returns
// the port. If the hub does not do it yet, it writes the settings and restarts a hub
// that runs in the background.
func (p *program) serveForPhone(ctx context.Context, starter *localhub.Starter, name string, served bool) (port string, err error) {
	file, err := p.readSettings()
	if err != nil {
		return "", err
	}
	set := func(name string) string { return strings.Join(file[name], ",") }
	if served {
		_, port, err := net.SplitHostPort(set("web"))
		if err != nil {
			return "", console.Fault("the hub that runs was not started with the settings in %s, so its port is not known", p.settingsFile()).
				Next("Pass the port of its --web on yourself: tailscale serve --bg PORT. Then: sayso web --qr.")
		}
		return port, nil
	}
	for _, o := range []string{"web", "tls-cert", "listen"} {
		if v := set(o); v != "" {
			return "", console.Fault("the settings in %s have %s = %q, which does not fit an inbox behind tailscale", p.settingsFile(), o, v).
				Next("Serve it yourself: sayso serve --web 127.0.0.1:%d --host %s --behind-proxy. Then: sayso web --phone.", phoneFirst, name)
		}
	}
	info, err := starter.Info(ctx)
	if err == nil && !info.Background {
		return "", console.Fault("the hub (pid %d) was started with \"sayso serve\", without an inbox for %s", info.PID, name).
			Next("Start it there with: sayso serve --web 127.0.0.1:%d --host %s --behind-proxy. Then: sayso web --phone.", phoneFirst, name)
	}
	if port = freePort(); port == "" {
		return "", console.Fault("the ports %d to %d of this machine are all in use", phoneFirst, phoneLast).Next("Free one of them, then: sayso web --phone.")
	}
	if err := p.addSettings(fmt.Sprintf("# The inbox for your phone, behind tailscale serve (sayso web --phone).\nweb = \"127.0.0.1:%s\"\nhost = [%q]\nbehind-proxy = true\n", port, name)); err != nil {
		return "", err
	}
	p.Say("Wrote web, host and behind-proxy to %s.", p.settingsFile())
	quiet := *p
	quiet.json = false
	return port, quiet.restart(ctx)
}

func freePort() string {
	for n := phoneFirst; n <= phoneLast; n++ {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", n))
		if err == nil {
			ln.Close()
			return fmt.Sprint(n)
		}
	}
	return ""
}

// addSettings writes lines behind those of the settings file.
func (p *program) addSettings(lines string) error {
	name := p.settingsFile()
	if name == "" {
		return console.Fault("nothing says where your settings are").Next("Set HOME or SAYSO_CONFIG.")
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("cannot write the settings: %w", err)
	}
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot read the settings: %w", err)
	}
	text := string(before)
	if text != "" {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	if _, err := parseSettings(name, []byte(text+lines)); err != nil {
		return err
	}
	next := name + ".new"
	if err := os.WriteFile(next, []byte(text+lines), 0o600); err != nil {
		return fmt.Errorf("cannot write the settings: %w", err)
	}
	return os.Rename(next, name)
}

// tryFromHere opens the public address as the phone will, and says which part of the
// way is wrong: the name, the certificate, the proxy or the names the hub answers to.
func tryFromHere(ctx context.Context, client *http.Client, at string) error {
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second) // the first certificate takes a while
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(at, "/")+"/login", nil)
	if err != nil {
		return err
	}
	host := req.URL.Hostname()
	resp, err := client.Do(req)
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var wrong x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	switch {
	case errors.As(err, &dns):
		return console.Fault("the name %s is not known on this machine", host).Next("Check it with: tailscale status, or with your DNS. Then: sayso web --phone.")
	case errors.As(err, &unknown):
		return console.Fault("this machine does not trust the certificate of %s, and neither will a phone", host).
			Next("Use a certificate of a public authority, or install yours on the phone and here. Then: sayso web --phone.")
	case errors.As(err, &wrong), errors.As(err, &invalid):
		return console.Fault("the certificate of %s does not fit: %v", host, errors.Unwrap(err)).Next("Get a new one for that name. Then: sayso web --phone.")
	case errors.As(err, &alert):
		return console.Fault("%s has no certificate yet: %v", host, err).Next("Get it with: tailscale cert %s. Then: sayso web --phone.", host)
	case err != nil:
		return console.Fault("%s cannot be reached: %v", at, err).Next("Check the proxy in front of the inbox: tailscale serve status. Then: sayso web --phone.")
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	switch {
	case resp.StatusCode == http.StatusMisdirectedRequest:
		return console.Fault("the hub does not answer to the name %s", host).Next("Start it with --host %s, or set host in the settings. Then: sayso restart.", host)
	case resp.StatusCode >= 500:
		return console.Fault("the proxy at %s does not reach the hub: %s", at, resp.Status).Next("Check where it leads: tailscale serve status. The hub has to run: sayso restart.")
	case resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "sayso"):
		return console.Fault("another program answers at %s: %s", at, resp.Status).Next("Check where it leads: tailscale serve status.")
	}
	return nil
}
