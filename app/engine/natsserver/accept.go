package natsserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso/app/engine/natsserver/internal/storecheck"
)

// Accepted says what a person accepted, and where the damaged files are.
type Accepted = storecheck.Accepted

// Accept makes a store that Start refuses one that it serves, without what is lost. It is for a person who has read the
// *DamagedError and has no better copy: every record that can be read is kept, damaged files go to the folder quarantine
// beside the store, and no sequence is given out twice. It returns nil when there is nothing to accept.
//
// A node of a cluster has a better copy, its peers: while both others are running and current, move its whole folder away
// instead and start it empty.
func Accept(ctx context.Context, dir string) (*Accepted, error) {
	o, err := (&Options{Dir: dir}).withDefaults()
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	guard, err := storecheck.Open(o.Dir, &storecheck.Options{Advice: o.Advice})
	if err != nil {
		return nil, fmt.Errorf("open the guard: %w", err)
	}
	a, err := guard.Accept(ctx)
	return a, errors.Join(err, guard.Close())
}
