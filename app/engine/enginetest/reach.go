package enginetest

import "github.com/saysohq/sayso/app/engine/natsserver"

// Reach says how to reach nodes, in a form that can be handed to another process as JSON.
type Reach struct {
	URLs  []string
	Seed  []byte
	Certs string // folder with the certificates; empty: without TLS
}

// Reach says how to reach the node.
func (n *Node) Reach() Reach {
	return Reach{URLs: []string{"nats://" + n.Spec.Client}, Seed: n.seed, Certs: n.Spec.Certs}
}

// Reach says how to reach the cluster by any of its nodes.
func (c *Cluster) Reach() Reach {
	r := c.Nodes[0].Reach()
	r.URLs = nil
	for _, n := range c.Nodes {
		r.URLs = append(r.URLs, n.Reach().URLs...)
	}
	return r
}

// ConnectOptions are what to connect with.
func (r Reach) ConnectOptions() (*natsserver.ConnectOptions, error) {
	o := &natsserver.ConnectOptions{URLs: r.URLs, Name: "enginetest", Seed: r.Seed}
	if r.Certs == "" {
		return o, nil
	}
	var err error
	o.TLS, err = loadCerts(r.Certs)
	return o, err
}
