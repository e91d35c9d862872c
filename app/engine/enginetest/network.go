package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// Network is three network namespaces on one bridge. It needs root, ip and iptables.
type Network struct {
	t       testing.TB
	names   []string
	hosts   []string
	gateway string
	links   []string // the ends at the bridge
}

// NewNetwork makes a network that is gone with the test.
func NewNetwork(t testing.TB) *Network {
	t.Helper()
	testenv.Root(t, "ip", "iptables", "nsenter")
	id := os.Getpid() % 10000
	w := &Network{t: t}
	bridge := fmt.Sprintf("sy%dbr", id)
	subnet := fmt.Sprintf("10.%d.%d", 64+id%64, id/64%256)
	run(t, "ip", "link", "add", bridge, "type", "bridge")
	t.Cleanup(func() { run(t, "ip", "link", "del", bridge) })
	w.gateway = subnet + ".254"
	run(t, "ip", "addr", "add", w.gateway+"/24", "dev", bridge)
	run(t, "ip", "link", "set", bridge, "up")
	for i := 1; i <= 3; i++ {
		ns, outer, inner, host := fmt.Sprintf("sy%dn%d", id, i), fmt.Sprintf("sy%dp%d", id, i), "eth0", fmt.Sprintf("%s.%d", subnet, i)
		run(t, "ip", "netns", "add", ns)
		t.Cleanup(func() { run(t, "ip", "netns", "del", ns) })
		run(t, "ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", ns)
		t.Cleanup(func() { run(t, "ip", "link", "del", outer) }) // at once; with its namespace it would go some time later
		run(t, "ip", "link", "set", outer, "master", bridge, "up")
		run(t, "ip", "-n", ns, "addr", "add", host+"/24", "dev", inner)
		run(t, "ip", "-n", ns, "link", "set", inner, "up")
		run(t, "ip", "-n", ns, "link", "set", "lo", "up")
		w.names, w.hosts, w.links = append(w.names, ns), append(w.hosts, host), append(w.links, outer)
	}
	return w
}

// Hosts returns the addresses of the three namespaces.
func (w *Network) Hosts() []string { return w.hosts }

// Gateway is the address of the test's own side of the network.
func (w *Network) Gateway() string { return w.gateway }

// Command is a command in the namespace of a node (0, 1 or 2). It becomes the process that nsenter was, so signals reach it.
func (w *Network) Command(node int, name string, args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{inNetns(w.names[node]), name}, args...)...)
}

// Isolate cuts a node (0, 1 or 2) off from everybody, its clients included.
func (w *Network) Isolate(node int) {
	w.t.Helper()
	w.drop(node, "-i", "eth0")
	w.dropOut(node, "-o", "eth0")
}

// IsolateRoutes cuts a node off from the other nodes only; clients still reach it.
func (w *Network) IsolateRoutes(node int) {
	w.t.Helper()
	for _, side := range []string{"--dport", "--sport"} {
		w.drop(node, "-p", "tcp", side, "6222")
		w.dropOut(node, "-p", "tcp", side, "6222")
	}
}

// LinkDown pulls a node's cable: unlike with Isolate, the system on the other side notices.
func (w *Network) LinkDown(node int) {
	w.t.Helper()
	run(w.t, "ip", "link", "set", w.links[node], "down")
}

// Heal takes all cuts of a node back.
func (w *Network) Heal(node int) {
	w.t.Helper()
	run(w.t, "ip", "link", "set", w.links[node], "up")
	run(w.t, "nsenter", inNetns(w.names[node]), "iptables", "-F")
}

func (w *Network) drop(node int, match ...string)    { w.rule(node, "INPUT", match) }
func (w *Network) dropOut(node int, match ...string) { w.rule(node, "OUTPUT", match) }

func (w *Network) rule(node int, chain string, match []string) {
	w.t.Helper()
	args := append([]string{inNetns(w.names[node]), "iptables", "-I", chain}, match...)
	run(w.t, "nsenter", append(args, "-j", "DROP")...)
}

// inNetns is how nsenter is told of a namespace. "ip netns exec" would make a mount namespace as well, which holds every
// file system that somebody unmounts meanwhile.
func inNetns(name string) string { return "--net=/run/netns/" + name }
