package attacktest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/mutanttest"
)

// descriptors is how many the hub under attack has, and ofOwner how many of them
// the connections of others must leave.
const (
	descriptors = 400
	ofOwner     = 64
)

// TestS36 opens connections without a credential until the hub should have no file
// descriptor left, and wants the owner not to notice.
func TestS36(t *testing.T) { besieged(t, 3_000, 3*time.Second) }

// TestFigure_S36Connections is the same with 10,000 connections, and measures.
func TestFigure_S36Connections(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("takes a minute: run make figures ONLY=S36")
	}
	socket, command, tcp := besieged(t, 10_000, 20*time.Second)
	t.Logf("FIGURE S36-connections-socket %.0f ms", ms(socket))
	t.Logf("FIGURE S36-connections-command %.0f ms", ms(command))
	t.Logf("FIGURE S36-connections-key %.0f ms", ms(tcp))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// besieged has a hub with few descriptors flooded for a time, and returns how long
// the slowest request on the owner's socket took, the slowest of the owner's
// commands, and the slowest new connection with a key.
func besieged(t *testing.T, connections int, during time.Duration) (socket, command, tcp time.Duration) {
	w := newWorld(t)
	agent := w.key("asker", "agent")
	w.limited(descriptors, "serve", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0")
	waits := w.asked(agent, "Deploy?").text("id")

	// Who has a credential and waits is not to be disturbed.
	waited := make(chan error, 1)
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	go func() {
		r, _ := http.NewRequestWithContext(ctx, "GET", w.url+"/v1/asks/"+waits+"?wait=60s", nil)
		r.Header.Set("Authorization", "Bearer "+agent)
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		waited <- err
	}()

	again, honest := 0, 0
	stop := w.flood(connections, w.url, w.web)
	for end := time.Now().Add(during); time.Now().Before(end); {
		if n := w.open(); n > descriptors-ofOwner {
			t.Fatalf("the hub has %d of %d descriptors open; %d are to be left for the owner", n, descriptors, ofOwner)
		}
		for _, path := range []string{"/v1/asks?limit=1", "/v1/asks/" + waits} {
			took, err := w.overSocket(path)
			if err != nil {
				t.Fatalf("the owner's request failed after %v: %v", took, err)
			}
			socket = max(socket, took)
		}
		for _, args := range [][]string{{"list"}, {"ask", "--wait", "1ms", "--dialog", "never", "Now?", "-o", "Yes"}, {"doctor"}} {
			start := time.Now()
			_, bad, code := w.sayso(args...)
			took := time.Since(start)
			if code != 0 && code != 75 || took > 5*time.Second {
				t.Fatalf("sayso %s: exit code %d after %v: %s", args[0], code, took, bad)
			}
			command = max(command, took)
		}
		took, tries, err := w.newConnection(agent)
		again, honest = again+tries-1, honest+1
		if err != nil {
			t.Fatalf("a client with a key does not get through: %v", err)
		}
		tcp = max(tcp, took)
	}
	opened := stop()
	if opened < connections {
		t.Errorf("the attacker opened only %d connections", opened)
	}
	select {
	case err := <-waited:
		t.Errorf("the wait of a client with a key was ended: %v", err)
	default:
	}
	if socket > time.Second {
		t.Errorf("a request of the owner took %v", socket)
	}
	if n := strings.Count(w.said.String(), "closed the slowest connections"); n != 1 {
		t.Errorf("the log mentions it %d times in less than a minute:\n%s", n, w.said)
	}
	w.noted("connections-closed")
	t.Logf("%d connections, at most %d descriptors: socket %v, command %v, key %v, which was closed %d times in %d", opened, descriptors, socket, command, tcp, again, honest)
	return socket, command, tcp
}

// limited starts a hub with so many descriptors.
func (w *world) limited(files int, args ...string) {
	w.t.Helper()
	cmd := w.command(args...)
	sh := exec.Command("/bin/sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, files), cmd.Path}, args...)...)
	sh.Env, sh.Dir = cmd.Env, cmd.Dir
	w.start(sh)
}

// open returns how many descriptors the hub has open.
func (w *world) open() int {
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.hub.Process.Pid))
	if err != nil {
		w.t.Skip("descriptors are counted in /proc: ", err)
	}
	return len(files)
}

// overSocket makes a request on a new connection to the owner's socket.
func (w *world) overSocket(path string) (time.Duration, error) {
	name := filepath.Join(w.home, "run", "sayso", "hub.sock")
	c := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", name)
	}}}
	return timed(c, "http://localhost"+path, "")
}

// newConnection makes a request with a key on a new connection. An attacker at the
// same address may be faster, so it tries again, as clients do.
func (w *world) newConnection(key string) (took time.Duration, tries int, err error) {
	c := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for tries < 5 {
		tries++
		if took, err = timed(c, w.url+"/v1/asks?limit=1", key); err == nil {
			break
		}
	}
	return took, tries, err
}

func timed(c *http.Client, url, key string) (time.Duration, error) {
	start := time.Now()
	r, _ := http.NewRequest("GET", url, nil)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.Do(r)
	if err != nil {
		return time.Since(start), err
	}
	defer resp.Body.Close()
	if _, err = io.ReadAll(resp.Body); err == nil && resp.StatusCode != 200 {
		err = fmt.Errorf("status %s", resp.Status)
	}
	return time.Since(start), err
}

// flood has another process open connections to these addresses, and returns when
// it opened so many. It goes on until stop is called, which returns how many were
// opened in all.
func (w *world) flood(connections int, urls ...string) (stop func() int) {
	w.t.Helper()
	cmd := w.command()
	cmd.Env = []string{fmt.Sprintf("%s=%d %s", asFlood, connections, strings.ReplaceAll(strings.Join(urls, " "), "http://", ""))}
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		w.t.Fatalf("the attacker: %v", err)
	}
	return func() (opened int) {
		in.Close()
		fmt.Fscan(lines, &opened)
		return opened
	}
}

// s36 are the guards of TestS36, each turned off.
var s36 = []mutanttest.Mutant{
	{
		Name: "as many connections as there are descriptors", Test: "TestS36", Says: `of 400 descriptors open|the owner's request failed|exit code`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/guard.go", Old: "\tif c.kind == anonymous {\n", New: "\tif MUTANT {\n\t\treturn nil, \"\"\n\t}\n\tif c.kind == anonymous {\n"}},
	},
	{
		Name: "the API has no limits", Test: "TestS36", Says: `of 400 descriptors open|the owner's request failed|exit code`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/serve.go", Old: "\ttcp = guard.Listen(tcp)\n", New: "\tif !MUTANT {\n\t\ttcp = guard.Listen(tcp)\n\t}\n"}},
	},
	{
		Name: "the web inbox has no limits", Test: "TestS36", Says: `of 400 descriptors open|the owner's request failed|exit code`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/web.go", Old: "\t\t\tall[i] = in.guard.Listen(ln)\n", New: "\t\t\tif !MUTANT {\n\t\t\t\tall[i] = in.guard.Listen(ln)\n\t\t\t}\n"}},
	},
	{
		Name: "a credential is not seen", Test: "TestS36", Says: `the wait of a client with a key was ended`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/connections.go", Old: "if err == nil && who.Tenant != \"\" {", New: "if err == nil && who.Tenant != \"\" && !MUTANT {"}},
	},
	{
		Name: "the log of closed connections is not held back", Test: "TestS36", Says: `the log mentions it \d+ times`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/report.go", Old: "r.every-time.Since(r.last)), func() {", New: "r.every-time.Since(r.last))*map[bool]time.Duration{false: 1}[MUTANT], func() {"}},
	},
	{
		Name: "the security log has no closed connections", Test: "TestS36", Says: `no line connections-closed`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/connections.go", Old: "Closed: func(why connlimit.Reason, n int) {\n", New: "Closed: func(why connlimit.Reason, n int) {\n\t\tif MUTANT {\n\t\t\treturn\n\t\t}\n"}},
	},
	{
		Name: "one address may have all places", In: "../connlimit", Test: "TestWhoGivesWay", Says: `at_most_so_many_of_one_address`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/guard.go", Old: "case l.AnonymousPerAddress > 0 &&", New: "case !MUTANT && l.AnonymousPerAddress > 0 &&"}},
	},
	{
		Name: "all addresses together may have more places", In: "../connlimit", Test: "TestWhoGivesWay", Says: `of_the_address_with_the_most`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/guard.go", Old: "case g.count[anonymous] > l.Anonymous:", New: "case g.count[anonymous] > l.Anonymous && !MUTANT:"}},
	},
	{
		Name: "with a key one address may have all places", In: "../connlimit", Test: "TestWhoGivesWay", Says: `with_a_credential,_at_most_so_many_of_one_address`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/guard.go", Old: "case l.PerAddress > 0 &&", New: "case !MUTANT && l.PerAddress > 0 &&"}},
	},
	{
		Name: "with a key there are no limits", In: "../connlimit", Test: "TestWhoGivesWay", Says: `a_stream_if_there_is_nothing_else`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/guard.go", Old: "case g.count[idle]+g.count[active] > l.Credential:", New: "case g.count[idle]+g.count[active] > l.Credential && !MUTANT:"}},
	},
	{
		Name: "a stream goes before an idle connection", In: "../connlimit", Test: "TestWhoGivesWay", Says: `with_a_credential,_an_idle_one_of_any_address`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/guard.go", Old: "if out := g.slowest(idle); out != nil {", New: "if out := g.slowest(idle); out != nil && !MUTANT {"}},
	},
	{
		Name: "progress does not count", In: "../connlimit", Test: "TestWhoGivesWay", Says: `not_one_that_made_progress`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/listener.go", Old: "\t\tg.become(known, anonymous)\n\t}\n", New: "\t\tif !MUTANT {\n\t\t\tg.become(known, anonymous)\n\t\t}\n\t}\n"}},
	},
	{
		Name: "a credential counts for ever", In: "../connlimit", Test: "TestWhoGivesWay", Says: `a_request_without_a_credential_gives_the_place_up`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/listener.go", Old: "\tknown.shown = false\n", New: "\tknown.shown = MUTANT && shown\n"}},
	},
	{
		Name: "the others leave no descriptors", In: "../connlimit", Test: "TestDerive", Says: `leave no reserve`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/limits.go", Old: "\tif total <= 0 {\n", New: "\tif MUTANT {\n\t\tspare = files\n\t}\n\tif total <= 0 {\n"}},
	},
	{
		Name: "the owner waits for a descriptor", In: "../connlimit", Test: "TestNoDescriptors", Says: `closed ""`,
		Edits: []mutanttest.Edit{{File: "app/connlimit/listener.go", Old: "\t\tif !l.g.shed() {\n", New: "\t\tif MUTANT || !l.g.shed() {\n"}},
	},
}
