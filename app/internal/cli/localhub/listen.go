package localhub

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"

	"github.com/saysohq/sayso/app/console"
)

// listen takes the socket. Only the holder of the hub's lock calls it, so
// whatever is at the path is left over from a hub that is gone.
func listen(p Places) (net.Listener, error) {
	if err := private(p.Runtime); err != nil {
		return nil, err
	}
	name := p.Socket()
	if err := fits(name); err != nil {
		return nil, err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("removing the socket of an earlier hub: %w", err)
	}
	ln, err := net.Listen("unix", name)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(name, 0o600); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

// listenTCP takes the address of a flag.
func listenTCP(flag, address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	if err == nil {
		return ln, nil
	}
	_, port, _ := net.SplitHostPort(address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, console.Fault("cannot listen on %s: another process uses this port", address).
			Next("Find it with: ss -ltnp 'sport = :%s'. Stop it, or choose another port with %s.", port, flag)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, console.Fault("cannot listen on %s: this machine does not have this address", address).
			Next("Choose one of its addresses with %s, or 0.0.0.0:%s for all.", flag, port)
	case errors.Is(err, syscall.EACCES):
		return nil, console.Fault("cannot listen on %s: no permission for this port", address).
			Next("Choose a port from 1024 with %s.", flag)
	}
	return nil, fmt.Errorf("cannot listen on %s: %w", address, err)
}

// addressesAreFree fails where an address is taken, before a large store is read.
func (o *ServeOptions) addressesAreFree() error {
	for _, at := range []struct{ flag, address string }{{"--listen", o.Listen}, {"--web", o.Web}, {"--metrics", o.Metrics}} {
		if at.address == "" {
			continue
		}
		ln, err := listenTCP(at.flag, at.address)
		if err != nil {
			return err
		}
		ln.Close()
	}
	return nil
}

// fits returns an error if a socket cannot have that path: systems allow about a
// hundred bytes, and say "invalid argument" for more.
func fits(socket string) error {
	if len(socket) > 100 {
		return fmt.Errorf("%s is too long for the path of a socket; set XDG_RUNTIME_DIR to a shorter one", socket)
	}
	return nil
}
