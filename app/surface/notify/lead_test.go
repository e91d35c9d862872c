package notify

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestThreeNodes: three processes serve one store, the one that notifies is killed or
// ends again and again. Every ask is told, and no round is sent twice.
func TestThreeNodes(t *testing.T) {
	for _, orderly := range []bool{true, false} {
		t.Run(fmt.Sprintf("orderly=%v", orderly), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { threeNodes(t, orderly) })
		})
	}
}

func threeNodes(t *testing.T, orderly bool) {
	store := hub.NewMemory(nil)
	d := newDevice(Limits{Buttons: 8, Text: 4000})
	d.chat = true
	type node struct {
		hub  *hub.Hub
		gate *gate
		n    *Notifier
	}
	start := func(name string) *node {
		h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests")})
		if err != nil {
			t.Fatal(err)
		}
		g := &gate{Store: store}
		return &node{h, g, Start(h, g, &Options{Node: name, Channels: map[Kind]Channel{Telegram: &kills{d, g, new(atomic.Int32)}}})}
	}
	end := func(n *node) {
		if !orderly {
			n.gate.dead.Store(true)
		}
		n.n.Close()
		n.hub.Stop()
	}
	leads := func(n *node) bool {
		n.n.mu.Lock()
		defer n.n.mu.Unlock()
		return n.n.leading != nil
	}
	nodes := []*node{start("a"), start("b"), start("c")}
	defer func() {
		for _, n := range nodes {
			n.n.Close()
			n.hub.Stop()
		}
	}()
	c, err := nodes[0].n.Add(t.Context(), &Contact{Tenant: "home", Kind: Telegram, After: -1, Account: "me"})
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for i := range 60 {
		name := fmt.Sprint("a", i)
		a := &sayso.Ask{ID: name, Origin: sayso.Origin{Conversation: name}, Questions: []sayso.Question{{Text: name}}}
		a.Normalize()
		if _, err := nodes[i%3].hub.Submit(t.Context(), "home", a); err != nil {
			t.Fatal(err)
		}
		asked[name] = true
		time.Sleep(time.Duration(3+i%11) * time.Second)
		synctest.Wait()
		if i%5 != 4 {
			continue
		}
		leading := 0
		for j, n := range nodes {
			if leads(n) {
				leading++
				end(n)
				nodes[j] = start(fmt.Sprint("n", i))
				break
			}
		}
		if leading == 0 && i > 10 && orderly {
			t.Errorf("nobody notifies after %d asks", i)
		}
	}
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	count := 0
	for _, n := range nodes {
		if leads(n) {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d processes notify", count)
	}
	told := map[string]bool{}
	rounds := map[string]int{}
	for _, s := range silent(d, id(c)) {
		for _, a := range s.note.Asks {
			told[a.Ask.ID] = true
		}
		if s.note.Alert {
			rounds[fmt.Sprint(s.note.Token, s.note.Round)]++
		}
	}
	for name := range asked {
		if !told[name] {
			t.Errorf("nobody was told of %s", name)
		}
	}
	for key, n := range rounds {
		if n > 1 {
			t.Errorf("%s was sent %d times", key, n)
		}
	}
}
