package clustertest

import (
	"testing"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// TestFigure_EXTERNAL is TestFigure_CLUSTER with NATS servers of somebody else and two gateways, which fail as well.
func TestFigure_EXTERNAL(t *testing.T) {
	clusters(t)
	c, _ := startExternal(t, "--shards", "4")
	c.histories("EXTERNAL", append(enginetest.Calamities(), rolling,
		c.gatewayFault("kill gateway", (*process).Kill), c.gatewayFault("stop gateway", (*process).Stop),
		enginetest.Calamity{
			Name: "pause gateway",
			Hurt: func(_ *enginetest.Nemesis, i int) { c.doors[i%len(c.doors)].Pause() },
			Mend: func(_ *enginetest.Nemesis, i int) { c.doors[i%len(c.doors)].Resume() },
		}))
}

// gatewayFault ends a gateway and starts it again.
func (c *cluster) gatewayFault(name string, end func(*process)) enginetest.Calamity {
	return enginetest.Calamity{
		Name: name,
		Hurt: func(_ *enginetest.Nemesis, i int) { end(c.doors[i%len(c.doors)]) },
		Mend: func(_ *enginetest.Nemesis, i int) { start(c.doors[i%len(c.doors)]) },
	}
}
