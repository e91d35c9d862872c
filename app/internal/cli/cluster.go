package cli

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

func (p *program) clusterCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "cluster",
		Short:   "Look after the nodes of a cluster",
		Long: `List the nodes of the cluster that this hub is a node of, say whether one can be
stopped, and remove one that will not come back. Run it on any node.

The nodes of your own NATS (sayso serve --nats) belong to NATS: use its tools.`,
		Example: `  sayso cluster list
  sayso cluster status
  sayso cluster remove n3`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	console.Add(cmd, p.clusterList(), p.clusterStatus(), p.clusterRemove())
	return cmd
}

func (p *program) clusterOf(cmd *cobra.Command) (*localhub.ClusterStatus, error) {
	s, err := p.ownHub("cluster")
	if err != nil {
		return nil, err
	}
	status, err := s.Cluster(cmd.Context())
	if err != nil {
		return nil, p.operated(s, "look at the cluster", err)
	}
	return status, nil
}

func (p *program) clusterList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the nodes",
		Long: `List the nodes: whether they run, how many streams they have and lead, how far they are
behind, and whether you can stop one without stopping the others.`,
		Example: `  sayso cluster list`,
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := p.clusterOf(cmd)
			if err != nil {
				return err
			}
			if p.json {
				return p.PrintJSON(status)
			}
			return p.Print(nodeTable(status))
		},
	}
}

func nodeTable(s *localhub.ClusterStatus) string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSTATE\tSTREAMS\tLEADS\tBEHIND\tMAY STOP")
	for _, n := range s.Nodes {
		state := "online"
		if !n.Online {
			state = "offline"
		}
		if n.Leader {
			state += ", leader"
		}
		if n.Here {
			state += ", here"
		}
		behind := "no"
		if n.Behind > 0 {
			behind = fmt.Sprintf("%s, lag %s", amount(uint64(n.Behind), "stream", "streams"), digits(n.Lag))
		}
		stop := "yes"
		if !n.MayStop {
			stop = "no"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", n.Name, state, n.Streams, n.Leads, behind, stop)
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *program) clusterStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say whether the cluster is healthy",
		Long: `Say whether every node runs and has everything, and every stream has a leader. It exits
with 1 if not.`,
		Example: `  sayso cluster status`,
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := p.clusterOf(cmd)
			if err != nil {
				return err
			}
			if p.json {
				if err := p.PrintJSON(status); err != nil {
					return err
				}
			}
			var wrong []string
			for _, n := range status.Nodes {
				switch {
				case !n.Online:
					wrong = append(wrong, "node "+n.Name+" is offline")
				case n.Behind > 0:
					wrong = append(wrong, fmt.Sprintf("node %s is behind in %s", n.Name, amount(uint64(n.Behind), "stream", "streams")))
				}
			}
			if n := status.Streams - status.Leading; n > 0 {
				wrong = append(wrong, amount(uint64(n), "stream has", "streams have")+" no leader")
			}
			if len(wrong) > 0 {
				return console.Fault("the cluster is not healthy: %s", strings.Join(wrong, ", ")).Next("Nodes: sayso cluster list. Remove a node that will not come back: sayso cluster remove NODE.")
			}
			if p.json {
				return nil
			}
			return p.Print(fmt.Sprintf("The cluster is healthy: %d nodes run, %d streams have a leader and all their copies.", len(status.Nodes), status.Streams))
		},
	}
}

func (p *program) clusterRemove() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "remove NODE",
		Short: "Remove a node that will not come back",
		Long: `Remove a node that does not run and will not come back. Its copies are made on another
node, if there is one, and it no longer counts for a majority. Start its replacement
first. A node that only gets an empty disk keeps its name and needs no remove.

If the removed node starts again with its old folder, it stays out of the cluster.`,
		Example: `  sayso cluster remove n3`,
		Args:    console.Arg("the name of a node", "Nodes: sayso cluster list."),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := p.ownHub("cluster remove")
			if err != nil {
				return err
			}
			if !yes && !p.confirm(fmt.Sprintf("Remove node %s from the cluster for good?", args[0])) {
				return console.Fault("nothing was changed").Next("Without asking: sayso cluster remove %s --yes.", args[0])
			}
			if err := s.RemoveNode(cmd.Context(), args[0]); err != nil {
				return p.operated(s, "remove node "+args[0], err)
			}
			if p.json {
				return p.PrintJSON(map[string]any{"removed": args[0]})
			}
			return p.Print("Removed node " + args[0] + ". See how the others take over: sayso cluster list")
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "remove without asking")
	return cmd
}
