package clustertest

import (
	"context"
	"testing"

	"golang.org/x/sync/errgroup"
)

// each does something for all entries, some at a time, and fails the test if one fails.
func each[V any](t testing.TB, all map[string]V, do func(context.Context, string, V) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience+patience*5)
	defer cancel()
	var work errgroup.Group
	work.SetLimit(32)
	for id, v := range all {
		work.Go(func() error { return do(ctx, id, v) })
	}
	must(t, work.Wait())
}
