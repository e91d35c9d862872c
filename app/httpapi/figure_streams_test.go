package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/testenv"
)

// TestFigure_L1 opens 8,000 streams to a server in another process, and measures
// what each takes of its memory and how long an ask takes to reach them all.
func TestFigure_L1(t *testing.T) {
	if os.Getenv("SAYSO_L1_SERVER") != "" {
		serveStreams(t)
		return
	}
	figures(t)
	const streams, broadcasts = 8000, 5
	cmd := exec.Command(os.Args[0], "-test.run=^TestFigure_L1$", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), "SAYSO_L1_SERVER=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(syscall.SIGTERM)
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr = strings.TrimSpace(addr)
	before := resident(t, cmd.Process.Pid)

	arrived := make(chan time.Time, streams)
	start := time.Now()
	var ready sync.WaitGroup
	dials := make(chan struct{}, 100)
	for range streams {
		ready.Add(1)
		dials <- struct{}{}
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			fmt.Fprint(c, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
			lines := bufio.NewReaderSize(c, 512)
			for event, once := "", false; ; {
				line, prefix, err := lines.ReadLine()
				for ; prefix && err == nil; _, prefix, err = lines.ReadLine() {
				}
				if err != nil {
					return
				}
				if name, ok := strings.CutPrefix(string(line), "event: "); ok {
					event = name
				}
				if !strings.HasPrefix(string(line), "data: ") {
					continue
				}
				switch {
				case event == "ready" && !once:
					once = true
					<-dials
					ready.Done()
				case event == "ask":
					arrived <- time.Now()
				}
			}
		}()
	}
	ready.Wait()
	opened := time.Since(start)
	used := float64(resident(t, cmd.Process.Pid)-before) / streams
	cpu, at := processor(t, cmd.Process.Pid), time.Now()
	<-time.After(5 * time.Second)
	idle := 100 * (processor(t, cmd.Process.Pid) - cpu).Seconds() / time.Since(at).Seconds()

	var took []time.Duration
	for i := range broadcasts {
		begin := time.Now()
		body := fmt.Sprintf(`{"id":"a%d","questions":[{"text":"Which database?","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}`, i)
		resp, err := http.Post("http://"+addr+"/v1/asks", "application/json", strings.NewReader(body))
		if err != nil || resp.StatusCode != http.StatusCreated {
			t.Fatal(err, resp)
		}
		resp.Body.Close()
		for range streams {
			select {
			case when := <-arrived:
				took = append(took, when.Sub(begin))
			case <-time.After(soon):
				t.Fatalf("broadcast %d reached only %d streams", i, len(took)-i*streams)
			}
		}
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("FIGURE L1 %.1f KB a stream, of %d (opened in %v)", used, streams, opened.Round(time.Millisecond))
	t.Logf("FIGURE L1 %d ms until an ask is on 99 %% of %d streams (p50 %d ms)", p99.Milliseconds(), streams, took[len(took)/2].Milliseconds())
	t.Logf("FIGURE L1 %.1f %% of a processor while nothing happens", idle)
	if used > 32 || p99 > 300*time.Millisecond {
		t.Errorf("the bar is 32 KB and 300 ms")
	}
}

// serveStreams serves until it is told to stop.
func serveStreams(t *testing.T) {
	w := newWorld(t, &Options{
		Auth:  everybody{auth.Principal{Tenant: "acme", ID: "ada", Role: auth.Everything, Assurance: sayso.AssuranceLocal}},
		Quota: Quota{Streams: -1},
	})
	w.opts.Log = nil // of the test
	w.opts.setDefaults()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := w.HTTPServer()
	go server.Serve(l)
	debug.FreeOSMemory()
	fmt.Println(l.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	w.Close()
	server.Close()
}

// resident returns the resident memory of a process, in KB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		testenv.Missing(t, "/proc: "+err.Error())
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// processor returns how long a process has kept a processor busy.
func processor(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		testenv.Missing(t, "/proc: "+err.Error())
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
