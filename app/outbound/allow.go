package outbound

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// allowed is what the operator allows beyond public addresses.
type allowed struct {
	nets  []network
	names map[string]bool // host, or host:port
}

type network struct {
	netip.Prefix
	port string // empty: all
}

// CheckAllow reports the first entry that [Options].Allow does not understand.
func CheckAllow(entries []string) error {
	for _, s := range entries {
		if err := new(allowed).add(s); err != nil {
			return err
		}
	}
	return nil
}

func newAllowed(entries []string) *allowed {
	a := new(allowed)
	for _, s := range entries {
		_ = a.add(s) // what is not understood allows nothing
	}
	return a
}

func (a *allowed) add(s string) error {
	if p, err := netip.ParsePrefix(s); err == nil {
		a.nets = append(a.nets, network{Prefix: p.Masked()})
		return nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"), ""
	}
	ip, notIP := netip.ParseAddr(host)
	if _, bad := strconv.ParseUint(port, 10, 16); (notIP != nil && !hostName(host)) || ip.Zone() != "" || (err == nil && bad != nil) {
		return fmt.Errorf("%q is not a host, an address or a network; examples: gotify.lan, gotify.lan:8080, 10.1.2.3, 10.1.0.0/16", s)
	}
	if ip = ip.Unmap(); ip.IsValid() {
		a.nets = append(a.nets, network{netip.PrefixFrom(ip, ip.BitLen()), port})
		return nil
	}
	if a.names == nil {
		a.names = make(map[string]bool)
	}
	a.names[joinName(host, port)] = true
	return nil
}

// name reports whether the operator named the host, before it is looked up.
func (a *allowed) name(host, port string) bool {
	return a.names[joinName(host, "")] || a.names[joinName(host, port)]
}

// addr reports whether the address is in a network that the operator named.
func (a *allowed) addr(ip netip.Addr, port string) bool {
	for _, n := range a.nets {
		if ip.Zone() == "" && n.Contains(ip.Unmap()) && (n.port == "" || n.port == port) {
			return true
		}
	}
	return false
}

func joinName(host, port string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}

// hostName reports whether s can be a name: nothing that belongs to another part of a
// URL, and no wildcard, which would look as if it meant something.
func hostName(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
		default:
			return false
		}
	}
	return strings.Trim(s, ".") != ""
}
