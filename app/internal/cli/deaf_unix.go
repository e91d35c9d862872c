//go:build unix

package cli

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// whenDeaf calls fn once nobody can read any more what is written to a pipe, or to
// a socket that serves as one. An agent that was killed does not say so, and an
// answer that is written then is lost. The function that it returns ends the watch.
func whenDeaf(pipe *os.File, fn func()) (stop func()) {
	info, err := pipe.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return func() {}
	}
	fd := int32(pipe.Fd())
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			fds := []unix.PollFd{{Fd: fd}} // errors are told unasked
			n, err := unix.Poll(fds, 200)
			select {
			case <-done:
				return
			default:
			}
			if n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 {
				fn()
				return
			}
			if err != nil && err != unix.EINTR {
				return
			}
		}
	})
	return func() { close(done); watch.Wait() }
}
