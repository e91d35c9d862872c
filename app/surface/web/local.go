package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
)

// LocalName returns a new name for an inbox on this machine that is served without
// TLS. Give it as the only one of [Options.Hosts].
//
// A browser sends a cookie to every port of the name it belongs to, so a cookie of
// localhost reaches whatever another user of the machine serves there. Nobody can
// serve something under a name they do not know, and every browser looks for names
// below .localhost on its own machine, without asking anybody.
//
// Take a new name with every start. When a server ends, somebody else may take its
// port. A page that is still open then tells them the name and the cookie, and lets
// them leave a service worker behind, which is good for nothing if no server ever
// has that name again.
func LocalName() string { return strings.ToLower(rand.Text()) + ".localhost" }

// ListenLocal listens where browsers look for a name of [LocalName]: on the loopback
// addresses of IPv4 and of IPv6, at the same port. Whoever had only one of them would
// leave the other to somebody who is then asked first. The address is one of this
// machine, as in 127.0.0.1:7778; port 0 means any that is free.
func ListenLocal(address string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host) {
		return nil, fmt.Errorf("browsers do not look for a local name at %s: use 127.0.0.1:%s", host, port)
	}
	six, err := hasIPv6()
	if err != nil {
		return nil, err
	}
	for range maxPorts {
		var four, other net.Listener
		if four, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err != nil {
			break
		}
		if !six {
			return []net.Listener{four}, nil
		}
		_, taken, _ := net.SplitHostPort(four.Addr().String())
		if other, err = net.Listen("tcp", net.JoinHostPort("::1", taken)); err == nil {
			return []net.Listener{four, other}, nil
		}
		four.Close()
		if port != "0" {
			break
		}
	}
	return nil, err
}

const maxPorts = 20 // so many are tried of which somebody has the half

// hasIPv6 reports whether this machine has a loopback address of IPv6.
func hasIPv6() (bool, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false, errors.Join(errors.New("looking for the addresses of this machine"), err)
	}
	return slices.ContainsFunc(all, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(net.IPv6loopback)
	}), nil
}
