//go:build unix

package cli

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhenReaderGone: agents give a hook a pipe, or a pair of sockets.
func TestWhenReaderGone(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]func() (ours, theirs *os.File){
		"pipe": func() (*os.File, *os.File) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			return w, r
		},
		"sockets": func() (*os.File, *os.File) {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			if err != nil {
				t.Fatal(err)
			}
			return os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := pair()
			defer ours.Close()
			gone := make(chan struct{})
			stop := whenReaderGone(ours, func() { close(gone) })
			if _, err := ours.WriteString("x"); err != nil {
				t.Fatal(err)
			}
			select {
			case <-gone:
				t.Error("somebody could read")
			default:
			}
			theirs.Close()
			<-gone
			stop()
		})
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	whenReaderGone(file, func() { t.Error("a file has no reader that goes") })()
}
