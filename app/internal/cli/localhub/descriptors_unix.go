//go:build unix

package localhub

import (
	"fmt"
	"syscall"

	"github.com/saysohq/sayso/hub"
)

// fewestDescriptors is what a hub needs: about 30 for the store, the socket and
// the runtime, and some for whoever connects.
const fewestDescriptors = 64

// Descriptors returns how many files this process may open, 0 if that cannot be
// told. The error is a [*hub.StorageError] if a hub needs more.
func Descriptors() (limit uint64, err error) {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 0, nil
	}
	limit = uint64(r.Cur)
	if limit < fewestDescriptors {
		err = &hub.StorageError{Fault: hub.FaultNoDescriptors, Err: fmt.Errorf("a process may open %d files here, and the hub needs %d", limit, fewestDescriptors)}
	}
	return limit, err
}
