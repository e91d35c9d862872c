package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// lookAtNotifications tells of the owner's devices, and of the address at which other
// devices find the inbox. With a test, it sends one to each device and waits until the
// person confirms it.
func (p *program) lookAtNotifications(ctx context.Context, s *localhub.Starter, test bool) []finding {
	short, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	all, err := s.Notified(short, "")
	switch {
	case errors.Is(err, localhub.ErrOlder):
		return nil // which is a finding already
	case err != nil:
		return []finding{{"notify", "cannot read your devices: " + err.Error(), false, "check the hub's log: " + s.Places.Log()}}
	}
	var found []finding
	for _, kind := range slices.Sorted(maps.Keys(all.Broken)) {
		found = append(found, finding{"notify", kind + " cannot be used: " + sayso.SafeLine(all.Broken[kind]), false, "set it up again: sayso notify add " + kind})
	}
	if len(all.Devices) == 0 {
		found = append(found, finding{"notify", "no device gets notifications", true, "on this desktop: sayso notify add desktop; on a phone or in a chat: sayso notify add --help"})
	}
	for _, d := range all.Devices {
		if test && !d.Off {
			found = append(found, p.testDevice(ctx, s, d))
			continue
		}
		found = append(found, lookAtDevice(d))
	}
	if all.Public != "" {
		found = append(found, lookAtPublic(ctx, all.Public, nil))
	}
	return found
}

// lookAtDevice says whether notifications arrive at a device.
func lookAtDevice(d *localhub.Device) finding {
	f := finding{"notify", fmt.Sprintf("%s (%s)", d.ID, sayso.SafeLine(d.Name)), true, ""}
	switch {
	case d.Off:
		f.Value += fmt.Sprintf(": gone: %s", cmp.Or(sayso.SafeLine(d.Error), "it no longer takes notifications"))
		f.Fix = fmt.Sprintf("add it again: sayso notify add %s; and remove the old one: sayso notify remove %s", d.Kind, d.ID)
	case !d.Failing.IsZero():
		f.Value += fmt.Sprintf(": failing since %s: %s", shortTime(d.Failing), sayso.SafeLine(d.Error))
		f.OK, f.Fix = false, "try again: sayso notify test "+d.ID
	case d.Confirmed.IsZero():
		f.Value += ": nobody has confirmed that notifications arrive"
		f.Fix = "test it: sayso notify test " + d.ID
	default:
		f.Value += ": confirmed " + shortTime(d.Confirmed)
	}
	return f
}

// testDevice sends a test, and waits.
func (p *program) testDevice(ctx context.Context, s *localhub.Starter, d *localhub.Device) finding {
	f := finding{"notify", fmt.Sprintf("%s (%s)", d.ID, sayso.SafeLine(d.Name)), true, ""}
	t, err := (&notifications{program: p}).testOne(ctx, s, d.ID)
	switch {
	case err != nil:
		f.Value += ": " + err.Error()
		f.OK, f.Fix = false, "try again: sayso notify test "+d.ID
	case !t.Sent:
		f.Value += ": the test was not sent: " + sayso.SafeLine(t.Error)
		f.OK, f.Fix = false, "correct that, then: sayso notify test "+d.ID
	case !t.Confirmed:
		f.Value += ": the test was sent, and " + t.Error
		f.OK, f.Fix = false, "check that the device is on and shows notifications of this program, then: sayso notify test "+d.ID
	case t.Unknown:
		f.Value += ": the test was sent; this device cannot confirm it"
	default:
		f.Value += ": the test arrived"
	}
	return f
}

// lookAtPublic opens the address of the inbox as another device would, and says which
// part of the way is wrong: the name, the network, the certificate, the proxy, or the
// list of names that the hub answers to. Roots are for tests; nil: those of the system.
func lookAtPublic(ctx context.Context, base string, roots *x509.CertPool) finding {
	f := finding{"public", base, true, ""}
	wrong := func(fix, format string, args ...any) finding {
		f.Value += ": " + fmt.Sprintf(format, args...)
		f.OK, f.Fix = false, fix
		return f
	}
	u, err := url.Parse(base)
	if err != nil {
		return wrong("correct the setting host", "not an address")
	}
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	if _, err := net.DefaultResolver.LookupHost(ctx, u.Hostname()); err != nil {
		return wrong("check the name in your DNS or private network, and the setting host", "this machine cannot find the name %s", u.Hostname())
	}
	c := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/login", nil)
	if err != nil {
		return wrong("correct the setting host", "not an address")
	}
	begin := time.Now()
	resp, err := c.Do(r)
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return wrong("use a certificate for "+u.Hostname()+" that your devices trust, in the proxy or with --tls-cert", "the certificate is refused: %s", certificateReason(certificate.Err))
	case err != nil:
		return wrong("start the proxy, or check the firewall and the port", "nothing answers there: %s", reason(err))
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	switch {
	case resp.StatusCode == http.StatusMisdirectedRequest:
		return wrong("let the proxy pass the Host header on unchanged, or add the name that it uses: --host NAME", "the hub does not answer to the name that the request arrives with")
	case resp.StatusCode >= 500:
		return wrong("check that the proxy forwards to the address of --web", "the proxy does not reach the hub: it says %s", resp.Status)
	case resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "<h1>sayso</h1>"):
		return wrong("check that the proxy forwards every path to the address of --web", "something else answers there: %s", resp.Status)
	}
	f.Value += fmt.Sprintf(" (reachable from this machine, %s)", time.Since(begin).Round(time.Millisecond))
	return f
}
