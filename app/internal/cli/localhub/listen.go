package localhub

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
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

// fits returns an error if a socket cannot have that path: systems allow about a
// hundred bytes, and say "invalid argument" for more.
func fits(socket string) error {
	if len(socket) > 100 {
		return fmt.Errorf("%s is too long for the path of a socket; set XDG_RUNTIME_DIR to a shorter one", socket)
	}
	return nil
}
