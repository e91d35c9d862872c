package enginetest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

// Disk is a file system in a file, from which the power can be taken. It needs root, xfsprogs, and loop devices.
type Disk struct {
	Dir   string // where it is mounted
	t     testing.TB
	image string
	loop  string
	fs    string
}

// NewDisk makes and mounts a file system, "ext4" or "xfs", of the given size; it is gone with the test.
func NewDisk(t testing.TB, fs string, size int64) *Disk {
	t.Helper()
	testenv.Root(t, "xfs_io", "mkfs."+fs, "losetup", "mount", "umount")
	base := t.TempDir()
	d := &Disk{Dir: filepath.Join(base, "mnt"), t: t, image: filepath.Join(base, "image"), fs: fs}
	check(t, os.Mkdir(d.Dir, 0o700))
	f, err := os.Create(d.image)
	check(t, err)
	check(t, f.Truncate(size))
	check(t, f.Close())
	mkfs := []string{"-q", d.image}
	if fs == "ext4" {
		mkfs = append([]string{"-m", "0"}, mkfs...) // root, which the tests are, has no room that others have not
	}
	run(t, "mkfs."+fs, mkfs...)
	d.mount()
	t.Cleanup(func() {
		if d.loop != "" {
			d.unmount()
		}
	})
	return d
}

func (d *Disk) mount() {
	d.t.Helper()
	d.loop = run(d.t, "losetup", "-f", "--show", d.image)
	run(d.t, "mount", d.loop, d.Dir)
}

func (d *Disk) unmount() {
	d.t.Helper()
	run(d.t, "umount", d.Dir)
	run(d.t, "losetup", "-d", d.loop)
	// A mount namespace of somebody else may hold the file system for a while. Mounted twice it would be damaged.
	for deadline := time.Now().Add(2 * time.Minute); run(d.t, "losetup", "-j", d.image) != ""; <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("%s is unmounted, and still in use", d.loop)
		}
	}
	d.loop = ""
}

// Cut takes the power: what was not synced is lost, and nothing can be read or written until Repower.
func (d *Disk) Cut() {
	d.t.Helper()
	run(d.t, "xfs_io", "-x", "-c", "shutdown", d.Dir)
}

// Repower mounts the disk again after Cut. Nobody may have files open on it.
func (d *Disk) Repower() {
	d.t.Helper()
	d.unmount()
	d.mount()
}
