package natsserver

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/saysohq/sayso/hub"
)

// lowRoom is how much must be free for a write to be worth trying: one that the disk refuses stops the store until it is
// opened anew.
const lowRoom = 1 << 20

// Room returns how many bytes are free for the folder, -1 where that cannot be told. The error is a *hub.StorageError when
// nothing can be written there. It writes nothing, and costs some microseconds.
func Room(dir string) (free int64, err error) {
	if err := mayWrite(dir); err != nil {
		return -1, Explain(dir, err)
	}
	free, err = space(dir)
	if err != nil {
		return -1, Explain(dir, err)
	}
	if free >= 0 && free < lowRoom {
		return free, &hub.StorageError{Fault: hub.FaultDiskFull, Dir: dir, Err: fmt.Errorf("%d bytes are free, and %d are needed", free, lowRoom)}
	}
	return free, nil
}

// Explain makes an error of the system that tells why nothing can be written a *hub.StorageError. It returns any other
// error as it is.
func Explain(dir string, err error) error {
	var known *hub.StorageError
	if err == nil || errors.As(err, &known) {
		return err
	}
	if f := fault(err); f != "" {
		return &hub.StorageError{Fault: f, Dir: dir, Err: err}
	}
	return err
}

// refusals are the errors with which a system refuses to write.
var refusals = [...]struct {
	errno syscall.Errno
	fault hub.Fault
}{
	{syscall.ENOSPC, hub.FaultDiskFull},
	{syscall.EDQUOT, hub.FaultDiskFull},
	{syscall.EROFS, hub.FaultNotWritable},
	{syscall.EACCES, hub.FaultNotWritable},
	{syscall.EPERM, hub.FaultNotWritable},
	{syscall.EMFILE, hub.FaultNoDescriptors},
	{syscall.ENFILE, hub.FaultNoDescriptors},
}

func fault(err error) hub.Fault {
	var damaged *DamagedError
	switch {
	case errors.As(err, &damaged):
		return hub.FaultDamaged
	case errors.Is(err, fs.ErrPermission): // some systems have more errors for it
		return hub.FaultNotWritable
	}
	for _, r := range refusals {
		if errors.Is(err, r.errno) {
			return r.fault
		}
	}
	return ""
}
