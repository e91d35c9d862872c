package attacktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// greedy is how long one asker takes what it can get.
const greedy = time.Minute

// TestFigure_S36 measures what one asker's key takes of a hub in a minute, with the
// quotas and without, and what another asker notices. The attacker is this program
// at the lowest priority, so that it competes with the hub for the connection and
// not for the processors.
func TestFigure_S36(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("takes five minutes: run make figures ONLY=S36")
	}
	off := []string{}
	for _, name := range strings.Fields("open rate burst stored reads reads-at-once streams waits mcp-sessions mcp-sessions-total") {
		off = append(off, "--quota", name+"=off")
	}
	for _, c := range []struct {
		suffix string
		flags  []string
	}{{"-before", off}, {"", nil}} {
		took := takeAll(t, c.flags)
		t.Logf("FIGURE S36-disk%s %d MB", c.suffix, took.disk>>20)
		t.Logf("FIGURE S36-memory%s %d MB", c.suffix, took.memory>>10)
		t.Logf("FIGURE S36-cpu%s %.1f s", c.suffix, took.cpu.Seconds())
		if c.suffix == "" {
			t.Logf("FIGURE S36-other-p50-before %.2f ms", ms(took.calm.p50))
			t.Logf("FIGURE S36-other-p50-during %.2f ms", ms(took.busy.p50))
			t.Logf("FIGURE S36-other-p99-before %.2f ms", ms(took.calm.p99))
			t.Logf("FIGURE S36-other-p99-during %.2f ms", ms(took.busy.p99))
			t.Logf("FIGURE S36-other-slower %.2f x", float64(took.busy.p50)/float64(took.calm.p50))
			t.Logf("FIGURE S36-other-p99-slower %.2f x", float64(took.busy.p99)/float64(took.calm.p99))
		} else {
			t.Logf("FIGURE S36-other-p99-unbounded %.2f ms", ms(took.busy.p99))
		}
	}
}

// taken is what an attack took, and what another asker noticed.
type taken struct {
	disk       int64
	memory     int // kB, at most
	cpu        time.Duration
	calm, busy spread
}

type spread struct{ p50, p99 time.Duration }

func takeAll(t *testing.T, flags []string) (took taken) {
	w := newWorld(t)
	mallory, alice, bob := w.key("asker", "mallory"), w.key("asker", "alice"), w.key("answerer", "bob")
	w.serve(flags...)
	w.cycles(alice, bob, 2*time.Second) // warm
	took.calm = w.cycles(alice, bob, greedy/3)
	disk, cpu, memory := w.disk(), w.worked(), w.memory()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	attacker := exec.Command("nice", "-n", "19", exe)
	attacker.Env = append(os.Environ(), asGreedy+"="+w.url+" "+mallory)
	if err := attacker.Start(); err != nil {
		t.Fatal(err)
	}
	took.busy = w.cycles(alice, bob, greedy)
	attacker.Process.Kill()
	attacker.Wait()
	took.disk, took.cpu, took.memory = w.disk()-disk, w.worked()-cpu, w.memory()-memory
	w.stop()
	return took
}

// asGreedy makes this test program the attacker: its value is the URL of the hub and
// the key.
const asGreedy = "SAYSO_GREEDY"

// takeWhatYouCan attacks on 32 connections until the process is killed.
func takeWhatYouCan(what string) {
	url, key, _ := strings.Cut(what, " ")
	w := &world{url: url}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 32
	for i := range 31 {
		go w.grab(key, i)
	}
	w.grab(key, 31)
}

// grab takes what it can get in one of several ways, again and again.
func (w *world) grab(key string, way int) {
	ctx := context.Background()
	for n := 0; ; n++ {
		switch way % 4 {
		case 0:
			if id := w.quietly(ctx, "POST", "/v1/asks", key, largeAsk(fmt.Sprint(way, "-", n))); id != "" {
				w.quietly(ctx, "POST", "/v1/asks/"+id+"/withdraw", key, nil)
			}
		case 1:
			w.quietly(ctx, "GET", "/v1/asks?status=any&limit=1000", key, nil)
		case 2:
			w.quietly(ctx, "POST", "/mcp", key, []byte(beginSession))
		case 3:
			w.quietly(ctx, "GET", "/v1/asks/none", key, nil)
		}
	}
}

// quietly makes a request, whatever becomes of it, and returns the id in its reply.
func (w *world) quietly(ctx context.Context, method, path, key string, body any) string {
	data, raw := body.([]byte)
	if !raw && body != nil {
		data, _ = json.Marshal(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.url+path, bytes.NewReader(data))
	if err != nil {
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var got struct {
		ID string `json:"id"`
	}
	if resp.StatusCode == http.StatusCreated {
		json.NewDecoder(resp.Body).Decode(&got)
	}
	io.Copy(io.Discard, resp.Body)
	return got.ID
}

// cycles asks and answers, ten times a second, and returns how long it takes.
func (w *world) cycles(asker, answerer string, during time.Duration) spread {
	w.t.Helper()
	var all []time.Duration
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(during); time.Now().Before(end); <-tick.C {
		start := time.Now()
		a := w.asked(asker, "Deploy?")
		if r := w.do("PUT", "/v1/asks/"+a.text("id")+"/answer", answerer, yes(a.text("digest"))); r.status != http.StatusOK {
			w.t.Fatalf("answering: %d %s", r.status, r.body)
		}
		if r := w.do("GET", "/v1/asks/"+a.text("id"), asker, nil); r.text("status") != "answered" {
			w.t.Fatalf("reading: %d %s", r.status, r.body)
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	return spread{all[len(all)/2], all[len(all)*99/100]}
}
