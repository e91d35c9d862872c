package localhub

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/hub"
)

// A server that was alone does not find its records as a node of a cluster, nor the other way round, and a node is known
// to the others by its name. So the state folder says which node it is of, and any other start is refused.

func (p Places) node() string { return filepath.Join(p.State, "node") }

// readNode returns the name of the cluster's node whose folder this is, empty if it is of none.
func (p Places) readNode() (string, error) {
	b, err := os.ReadFile(p.node())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return strings.TrimSpace(string(b)), err
}

// Node is readNode for who can only say what is known.
func (p Places) Node() string {
	name, _ := p.readNode()
	return name
}

// checkNode refuses to start a node on the folder of another, or of a server that is alone.
func (p Places) checkNode(cluster *natsserver.ClusterOptions) error {
	was, err := p.readNode()
	switch {
	case err != nil:
		return err
	case cluster == nil && was != "":
		return broken("the data folder %s belongs to node %q of a cluster, and --node is not set", p.State, was).
			Next("Start it with --node %s and the cluster's other settings. To run it alone, restore a backup into an empty folder.", was)
	case cluster == nil:
		return nil
	case was != "" && was != cluster.ServerName:
		return broken("the data folder %s belongs to node %q, not to node %q", p.State, was, cluster.ServerName).
			Next("Start it with --node %s, or give node %s a folder of its own.", was, cluster.ServerName)
	case was == "" && hasStreams(p.engine()):
		return broken("the data folder %s has the storage of a hub that ran alone, and a cluster would not find it", p.State).
			Next("Back it up without --node (sayso backup), then restore the backup to the cluster: sayso help restore.")
	}
	return nil
}

// hasStreams reports whether a server has stored something in the folder.
func hasStreams(engine string) bool {
	all, err := filepath.Glob(filepath.Join(engine, "jetstream", "HUB", "streams", "*"))
	return err == nil && len(all) > 0
}

// markNode writes down whose the folder is.
func (p Places) markNode(cluster *natsserver.ClusterOptions) error {
	if cluster == nil {
		return nil
	}
	return os.WriteFile(p.node(), []byte(cluster.ServerName+"\n"), 0o600)
}

// await waits until the cluster has a leader and this node has caught up.
func (o *EngineOptions) await(ctx context.Context, log *slog.Logger, s *natsserver.Server) error {
	for {
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := s.Ready(once)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		o.waitsForOthers(log, "connected", s.Peers(), "reason", s.Check())
	}
}

func (o *EngineOptions) waitsForOthers(log *slog.Logger, why ...any) {
	const what = "waiting for the other nodes of the cluster"
	log.Info(what, why...)
	if o.waiting != nil {
		o.waiting(what)
	}
}

// patiently tries a step of the start until it is decided. Nodes that start together elect leaders and learn of each other
// for some seconds, in which the storage refuses what it will do later.
func (o *EngineOptions) patiently(ctx context.Context, log *slog.Logger, step func() error) error {
	for told := ""; ; {
		err := step()
		if err == nil || o.Cluster == nil || !errors.Is(err, hub.ErrUndecided) || ctx.Err() != nil {
			return err
		}
		if err.Error() != told {
			told = err.Error()
			o.waitsForOthers(log, "reason", err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(250 * time.Millisecond):
		}
	}
}
