//go:build unix

package cli

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhenDeaf: agents give a hook a pipe, or a pair of sockets.
func TestWhenDeaf(t *testing.T) {
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
			deaf := make(chan struct{})
			stop := whenDeaf(ours, func() { close(deaf) })
			if _, err := ours.WriteString("x"); err != nil {
				t.Fatal(err)
			}
			select {
			case <-deaf:
				t.Error("somebody could read")
			default:
			}
			theirs.Close()
			<-deaf
			stop()
		})
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	whenDeaf(file, func() { t.Error("a file is never deaf") })()
}
