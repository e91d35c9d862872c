package natsserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Node is a node of a cluster, as the leader of the cluster sees it.
type Node struct {
	Name    string
	Leader  bool          // of the cluster; each stream has its own
	Online  bool          // it answers
	Current bool          // and has caught up with the configuration of the streams
	Lag     uint64        // how many changes of that it is behind
	Seen    time.Duration // ago
	Version string        // of the server; empty: it does not answer
}

const (
	pingServers = "$SYS.REQ.SERVER.PING.JSZ"
	removePeer  = "$JS.API.SERVER.REMOVE"
	pingWait    = time.Second // for the last of the nodes
)

// ErrAlone says that the server is not part of a cluster.
var ErrAlone = errors.New("the server is not a node of a cluster")

// ErrNoLeader says that the cluster has no leader: too few of its nodes can reach each other.
var ErrNoLeader = errors.New("the cluster has no leader")

// Nodes asks the nodes of the cluster about themselves, also those that do not run: their peers know them. They come sorted by
// their names.
func (s *Server) Nodes(ctx context.Context) ([]Node, error) {
	if s.opts.Cluster == nil {
		return nil, ErrAlone
	}
	nc, err := s.SystemConn(ctx)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	inbox := nc.NewRespInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	if err := nc.PublishRequest(pingServers, inbox, nil); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	versions := map[string]string{}
	var nodes []Node
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			break // all that answer have
		}
		var got struct {
			Server struct {
				Name    string `json:"name"`
				Version string `json:"ver"`
			} `json:"server"`
			Data struct {
				Meta *struct {
					Leader   string `json:"leader"`
					Replicas []struct {
						Name    string        `json:"name"`
						Current bool          `json:"current"`
						Offline bool          `json:"offline"`
						Active  time.Duration `json:"active"`
						Lag     uint64        `json:"lag"`
					} `json:"replicas"`
				} `json:"meta_cluster"`
			} `json:"data"`
		}
		if json.Unmarshal(m.Data, &got) != nil {
			continue
		}
		versions[got.Server.Name] = got.Server.Version
		if meta := got.Data.Meta; meta != nil && meta.Leader == got.Server.Name {
			nodes = []Node{{Name: meta.Leader, Leader: true, Current: true}}
			for _, r := range meta.Replicas {
				nodes = append(nodes, Node{Name: r.Name, Current: r.Current && !r.Offline, Lag: r.Lag, Seen: r.Active})
			}
		}
		if len(nodes) > 0 && len(versions) == len(nodes) {
			break
		}
	}
	if len(nodes) == 0 {
		return nil, ErrNoLeader
	}
	for i := range nodes {
		// The leader takes a killed node for online for a while.
		nodes[i].Version, nodes[i].Online = versions[nodes[i].Name], versions[nodes[i].Name] != ""
	}
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes, nil
}

// RemoveNode removes a node that will not come back from the cluster: its streams go to the others, and it no longer counts
// for a majority. If it starts again with its old folder, it stays out.
func (s *Server) RemoveNode(ctx context.Context, name string) error {
	if s.opts.Cluster == nil {
		return ErrAlone
	}
	nc, err := s.SystemConn(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := json.Marshal(map[string]string{"peer": name})
	if err != nil {
		return err
	}
	m, err := nc.RequestWithContext(ctx, removePeer, req)
	if err != nil {
		return fmt.Errorf("remove node %s: %w", name, err)
	}
	var got struct {
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &got); err != nil {
		return fmt.Errorf("remove node %s: %w", name, err)
	}
	if got.Error != nil {
		return fmt.Errorf("remove node %s: %s", name, got.Error.Description)
	}
	return nil
}
