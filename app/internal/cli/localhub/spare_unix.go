//go:build unix

package localhub

import (
	"net"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/connlimit"
)

// spare holds descriptors back, so that whoever connects when the process has no
// other left is told that, and is not left waiting. They are opened first, which
// gives them low numbers: one of them helps also after the limit was lowered.
type spare struct {
	mu    sync.Mutex
	files []*os.File
}

// spares is how many such connections there can be at a time.
const spares = 8

func newSpare() *spare {
	s := &spare{}
	s.refill()
	return s
}

// refill takes back what can be had.
func (s *spare) refill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.files) < spares {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return
		}
		s.files = append(s.files, f)
	}
}

// give frees a descriptor, if there is one.
func (s *spare) give() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.files) == 0 {
		return false
	}
	last := len(s.files) - 1
	s.files[last].Close()
	s.files = s.files[:last]
	return true
}

func (s *spare) close() {
	for s.give() {
	}
}

// listener returns the listener with the spare descriptors behind it.
func (s *spare) listener(ln net.Listener) net.Listener { return &sparing{ln, s} }

type sparing struct {
	net.Listener
	s *spare
}

func (l *sparing) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	for connlimit.Scarce(err) {
		l.s.refill()
		if err := l.pending(); err != nil {
			return nil, err
		}
		if !l.s.give() {
			return nil, err // the server waits a little, and tries again
		}
		conn, err = l.Listener.Accept()
	}
	if err == nil {
		l.s.refill()
	}
	return conn, err
}

// pending returns when somebody wants to connect. Accept cannot wait for that without
// a descriptor.
func (l *sparing) pending() error {
	raw, ok := l.Listener.(syscall.Conn)
	if !ok {
		return nil
	}
	c, err := raw.SyscallConn()
	for there := false; err == nil && !there; {
		err = c.Control(func(fd uintptr) {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 100)
			there = n > 0 || err != nil && err != unix.EINTR
		})
	}
	return err
}
