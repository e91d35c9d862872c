package localhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// ClusterNode is a node and what it has to do with the streams.
type ClusterNode struct {
	Name    string `json:"name"`
	Here    bool   `json:"here"` // the command was run on it
	Online  bool   `json:"online"`
	Leader  bool   `json:"leader"` // of the cluster
	Version string `json:"version,omitempty"`
	Streams int    `json:"streams"` // that it has a copy of
	Leads   int    `json:"leads"`   // and that it leads
	Behind  int    `json:"behind"`  // and in which it lacks something
	Lag     uint64 `json:"lag"`     // how much it lacks in the worst of them
	MayStop bool   `json:"mayStop"` // without it, every stream has a majority
}

// ClusterStatus is how the nodes of a cluster are.
type ClusterStatus struct {
	Nodes   []ClusterNode `json:"nodes"`
	Streams int           `json:"streams"`
	Leading int           `json:"leading"` // streams that have a leader
}

// cluster says how the nodes are.
func (op *operating) cluster(w http.ResponseWriter, r *http.Request) {
	status, err := op.nodes(r.Context())
	answerWith(w, status, err)
}

// nodesOf refuses a hub that has no nodes of its own.
func (op *operating) nodesOf() (*natsserver.Server, error) {
	switch server := op.engine.Server(); {
	case server == nil:
		return nil, &OperatorError{"the nodes of this hub's storage belong to NATS", "Use the tool of NATS with a login of its system account: nats server report jetstream, nats server cluster peer-remove NAME."}
	case op.o.Engine.Cluster == nil:
		return nil, &OperatorError{"this hub runs alone", "To run three nodes, see: sayso serve --help."}
	default:
		return server, nil
	}
}

func (op *operating) nodes(ctx context.Context) (*ClusterStatus, error) {
	server, err := op.nodesOf()
	if err != nil {
		return nil, err
	}
	nodes, err := server.Nodes(ctx)
	if errors.Is(err, natsserver.ErrNoLeader) {
		return nil, &OperatorError{err.Error() + ": this node is connected to " + fmt.Sprint(server.Peers()) + " others", "Start the nodes that do not run, and check that the nodes can reach each other (cluster-route)."}
	}
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(op.engine.Conn())
	if err != nil {
		return nil, err
	}
	s := &ClusterStatus{}
	quorum := len(nodes)/2 + 1
	for _, n := range nodes {
		others := 0
		for _, other := range nodes {
			if other.Name != n.Name && other.Online {
				others++
			}
		}
		s.Nodes = append(s.Nodes, ClusterNode{Name: n.Name, Here: n.Name == op.o.Engine.Cluster.ServerName, Online: n.Online, Leader: n.Leader, Version: n.Version, MayStop: others >= quorum})
	}
	all := js.ListStreams(ctx)
	for info := range all.Info() {
		s.count(info)
	}
	return s, all.Err()
}

// count adds what a stream says about the nodes.
func (s *ClusterStatus) count(info *jetstream.StreamInfo) {
	s.Streams++
	if info.Cluster == nil {
		return
	}
	if info.Cluster.Leader != "" {
		s.Leading++
	}
	current := []string{info.Cluster.Leader}
	for _, r := range info.Cluster.Replicas {
		if r.Current && !r.Offline {
			current = append(current, r.Name)
		}
	}
	quorum := info.Config.Replicas/2 + 1
	for i := range s.Nodes {
		n := &s.Nodes[i]
		j := slices.IndexFunc(info.Cluster.Replicas, func(r *jetstream.PeerInfo) bool { return r.Name == n.Name })
		leads := info.Cluster.Leader == n.Name
		if leads || j >= 0 {
			n.Streams++
		}
		if leads {
			n.Leads++
		}
		if j >= 0 && (!info.Cluster.Replicas[j].Current || info.Cluster.Replicas[j].Offline) {
			n.Behind++
			n.Lag = max(n.Lag, info.Cluster.Replicas[j].Lag)
		}
		left := len(current)
		if slices.Contains(current, n.Name) {
			left--
		}
		n.MayStop = n.MayStop && left >= quorum
	}
}

// removeNode removes a node that does not run.
func (op *operating) removeNode(w http.ResponseWriter, r *http.Request) {
	answerWith(w, struct{}{}, op.remove(r.Context(), r.PathValue("node")))
}

func (op *operating) remove(ctx context.Context, name string) error {
	server, err := op.nodesOf()
	if err != nil {
		return err
	}
	nodes, err := server.Nodes(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(nodes, func(n natsserver.Node) bool { return n.Name == name })
	switch {
	case i < 0:
		return &OperatorError{fmt.Sprintf("the cluster has no node %q", name), "Nodes: sayso cluster list."}
	case nodes[i].Online:
		return &OperatorError{fmt.Sprintf("node %q is running", name), "Stop it first. A node that comes back needs no remove: its peers bring it up to date."}
	}
	op.log.Warn("removing a node from the cluster", "node", name)
	return server.RemoveNode(ctx, name)
}

// Cluster asks the hub about the nodes of its cluster.
func (s *Starter) Cluster(ctx context.Context) (*ClusterStatus, error) {
	var status ClusterStatus
	return &status, s.asked(ctx, http.MethodGet, "cluster", &status)
}

// RemoveNode removes a node that will not come back from the cluster.
func (s *Starter) RemoveNode(ctx context.Context, name string) error {
	return s.asked(ctx, http.MethodDelete, "cluster/"+url.PathEscape(name), &struct{}{})
}

// asked sends a request without a body and reads the answer.
func (s *Starter) asked(ctx context.Context, method, path string, result any) error {
	resp, err := s.operate(ctx, method, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var said reply
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return fmt.Errorf("reading what the hub says: %w", err)
	}
	return said.into(result)
}
