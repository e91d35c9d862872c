package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/saysohq/sayso/agent/internal/cli"
)

var update = flag.Bool("update", false, "rewrite golden files")

// rpc is a program that speaks to the agent.
type rpc struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string // closed at the end of the output
	code  chan int
	said  *said
	ask   string // the last that was requested
}

func (h *home) rpc(args ...string) *rpc {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r := &rpc{t: h.t, in: inW, lines: make(chan string, 1000), code: make(chan int, 1), said: &said{}}
	go func() {
		defer close(r.lines)
		scan := bufio.NewScanner(outR)
		for scan.Scan() {
			r.lines <- scan.Text()
		}
	}()
	w := &cli.World{In: inR, Out: outW, Err: r.said, Getenv: func(k string) string { return h.env[k] }, Dir: h.dir}
	go func() {
		code := cli.Main(ctx, w, append([]string{"rpc"}, args...))
		outW.Close()
		r.code <- code
	}()
	h.t.Cleanup(func() { cancel(); inW.Close(); outR.Close() })
	return r
}

func (r *rpc) send(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, strings.ReplaceAll(line, "$ASK", r.ask)+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// next returns the next line and its type.
func (r *rpc) next() (line, kind string) {
	r.t.Helper()
	line, ok := <-r.lines
	if !ok {
		r.t.Fatalf("the agent says no more: %s", r.said)
	}
	var v struct{ Type, RequestID string }
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	if v.Type == "ask_user_request" {
		r.ask = v.RequestID
	}
	return line, v.Type
}

// end ends the input, and returns the exit code.
func (r *rpc) end() int {
	r.t.Helper()
	r.in.Close()
	for line := range r.lines {
		r.t.Errorf("at the end: %s", line)
	}
	return <-r.code
}

var varies = regexp.MustCompile(`"(askedAt|at)":"[^"]*"|c1\.[a-z2-7]{4}|ask_[0-9a-z]{12,}`)

// stable replaces what differs from run to run, or with every branch.
func stable(seen map[string]string) func(string) string {
	return func(s string) string {
		return varies.ReplaceAllStringFunc(s, func(s string) string {
			if name, _, ok := strings.Cut(s, `":"`); ok {
				return name + `":"TIME"`
			}
			kind, _, _ := strings.Cut(s, "_")
			if seen[s] == "" {
				seen[s] = fmt.Sprintf("%s#%d", kind[:min(3, len(kind))], len(seen)+1)
			}
			return seen[s]
		})
	}
}

// TestRPC plays the files of testdata/rpc: what is sent, and what comes until an
// event of a kind.
func TestRPC(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/rpc/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			file, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			h := newHome(t, service())
			r := h.rpc("--conversation", "c1")
			clean := stable(map[string]string{})
			line, _ := r.next()
			got := "← " + clean(line) + "\n"
			for _, command := range strings.Split(strings.TrimSpace(string(file.Files[0].Data)), "\n") {
				i := strings.LastIndex(command, " until ")
				got += "→ " + command[:i] + "\n"
				r.send(command[:i])
				for kind := ""; kind != command[i+len(" until "):]; {
					line, kind = r.next()
					got += "← " + clean(line) + "\n"
				}
			}
			if code := r.end(); code != 0 {
				t.Errorf("code %d, %s", code, r.said)
			}
			if *update {
				file.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(file), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(file.Files[1].Data); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A program that goes away leaves its question; the next one is asked it again.
func TestRPCGoesOn(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	r := h.rpc()
	r.send(`{"type":"prompt","message":"Set up a service"}`)
	for kind := ""; kind != "agent_end"; {
		_, kind = r.next()
	}
	if code := r.end(); code != 0 {
		t.Fatalf("code %d, %s", code, r.said)
	}
	again := h.rpc("-c")
	for kind := ""; kind != "ask_user_request"; {
		_, kind = again.next()
	}
	if again.ask != r.ask {
		t.Errorf("the question is %q, was %q", again.ask, r.ask)
	}
	again.send(`{"type":"ask_user_response","requestId":"$ASK","answers":["SQLite","x"]}`)
	for kind := ""; kind != "agent_end"; {
		_, kind = again.next()
	}
	if code := again.end(); code != 0 {
		t.Errorf("code %d, %s", code, again.said)
	}
	h.model.WantResults(t, `{"answers":{"Which database?":"SQLite","What name?":"x"}}`)
}
