package localhub

import (
	"fmt"
	"math"

	"github.com/saysohq/sayso/app/connlimit"
	"github.com/saysohq/sayso/hub"
)

// fewestDescriptors is what a hub needs: about 30 for the store, the socket and
// the Go runtime, and some for connections.
const fewestDescriptors = 64

// Descriptors returns how many files this process may open, and 0 if there is no
// limit, or none is known. The error is a [*hub.StorageError] if a hub needs more.
func Descriptors() (limit int, err error) {
	switch limit = connlimit.Files(); {
	case limit == math.MaxInt32:
		return 0, nil
	case limit < fewestDescriptors:
		err = &hub.StorageError{Fault: hub.FaultNoDescriptors, Err: fmt.Errorf("a process may open %d files here, and the hub needs %d", limit, fewestDescriptors)}
	}
	return limit, err
}
