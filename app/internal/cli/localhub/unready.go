package localhub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

// unready returns why the hub cannot be used now, in words for anybody, and with
// what [Engine.Fault] says for the log.
func (e *Engine) unready(ctx context.Context) error {
	err := e.Fault(ctx)
	if said := httpapi.NotReady(""); err == nil || hub.FaultOf(err) != "" || errors.As(err, &said) {
		return err
	}
	return fmt.Errorf("%w: %w", httpapi.NotReady("waiting for the storage: "+e.lacks(err)), err)
}

// lacks says what the storage lacks, without the names of machines.
func (e *Engine) lacks(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "meta leader") || strings.Contains(text, "no leader"):
		return "the cluster has no leader; most of its nodes must run"
	case strings.Contains(text, "reaches"):
		return "this node reaches too few of the others"
	case strings.Contains(text, "current") || strings.Contains(text, "recover"):
		return "this node is catching up with the others"
	}
	return "this node does not take part in its cluster"
}
