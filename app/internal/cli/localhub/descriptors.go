package localhub

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/saysohq/sayso/app/connlimit"
	"github.com/saysohq/sayso/hub"
)

// A hub needs some files for the socket, the Go runtime and connections, and some for each
// stream of its store.
const (
	fewestDescriptors   = 54
	streamsOfShard      = 5
	descriptorsOfSystem = 1024 // what systems allow a process by default
)

// filesOfStream returns how many files a stream has open: its newest block and its mark, and
// in a cluster those of the log that the nodes agree on.
func filesOfStream(clustered bool) int {
	if clustered {
		return 3
	}
	return 2
}

// Descriptors returns how many files this process may open, and 0 if there is no limit, or
// none is known. The error is a [*hub.StorageError] if a hub of this folder needs more.
// A store that is not there yet gets so many shards.
func (p Places) Descriptors(newShards int, clustered bool) (limit int, err error) {
	limit = connlimit.Files()
	if limit == math.MaxInt32 {
		return 0, nil
	}
	streams := p.streams()
	if streams == 0 {
		streams = max(newShards, 1) * streamsOfShard
	}
	if needs := fewestDescriptors + streams*filesOfStream(clustered); limit < needs {
		err = &hub.StorageError{Fault: hub.FaultNoDescriptors, Err: fmt.Errorf("a process may open %d files here, and the hub needs %d", limit, needs)}
	}
	return limit, err
}

// streams returns how many streams the store on this disk has.
func (p Places) streams() int {
	all, err := filepath.Glob(filepath.Join(p.engine(), "jetstream", "*", "streams", "*"))
	if err != nil {
		return 0
	}
	return len(all)
}
