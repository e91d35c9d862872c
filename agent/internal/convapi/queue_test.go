package convapi

import (
	"testing"

	"github.com/saysohq/sayso/agent"
)

// A reader that falls too far behind is told so, and costs no more memory.
func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	q := &queue{bell: make(chan struct{}, 1)}
	for i := range queueMost {
		q.put(agent.Update{Length: i})
	}
	if all, over := q.take(); len(all) != queueMost || over || all[queueMost-1].Length != queueMost-1 {
		t.Errorf("%d updates, over %v", len(all), over)
	}
	for range queueMost + 1 {
		q.put(agent.Update{})
	}
	if all, over := q.take(); len(all) != queueMost || !over {
		t.Errorf("%d updates, over %v", len(all), over)
	}
}
