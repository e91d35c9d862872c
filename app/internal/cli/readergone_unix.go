//go:build unix

package cli

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// readerGone reports whether nobody can read any more what is written to a pipe, or to a
// socket that serves as one.
func readerGone(pipe *os.File) bool {
	isGone, _ := awaitReaderGone(pipe, 0)
	return isGone
}

// awaitReaderGone waits for so many milliseconds until the reader of the pipe is gone.
func awaitReaderGone(pipe *os.File, wait int) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(pipe.Fd())}} // errors are told unasked
	n, err := unix.Poll(fds, wait)
	return n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0, err
}

// whenReaderGone calls fn once the reader of a pipe is gone. An agent that was killed does
// not say so, and an answer that is written then is lost. The function that it returns ends
// the watch.
func whenReaderGone(pipe *os.File, fn func()) (stop func()) {
	info, err := pipe.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return func() {}
	}
	if readerGone(pipe) {
		fn()
		return func() {}
	}
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			isGone, err := awaitReaderGone(pipe, 200)
			select {
			case <-done:
				return
			default:
			}
			if isGone {
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
