//go:build unix

package cli_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
)

// exposed are the families that a hub on its own has from the start. One that needs a
// cluster, a backup or an export is in the tests of those.
var exposed = []string{
	"go_gc_cycles_total", "go_goroutines", "go_info", "go_memstats_heap_alloc_bytes", "go_memstats_sys_bytes",
	"process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_resident_memory_bytes", "process_start_time_seconds",
	"sayso_answer_seconds", "sayso_asks_overdue", "sayso_asks_total", "sayso_auth_failures_total", "sayso_build_info", "sayso_conflicts_total",
	"sayso_disk_free_bytes", "sayso_events_missed_total", "sayso_leader", "sayso_oldest_ask_seconds", "sayso_outcomes_total", "sayso_peers",
	"sayso_quota_refusals_total", "sayso_ready", "sayso_replica_lag", "sayso_request_seconds", "sayso_requests_total", "sayso_shard_records",
	"sayso_store_answers", "sayso_store_bytes", "sayso_store_connected", "sayso_store_errors_total", "sayso_store_quota_ratio",
	"sayso_store_reconnects_total", "sayso_store_synced", "sayso_store_undecided_total", "sayso_store_write_seconds", "sayso_streams", "sayso_waits",
}

// exposition is a line of the text format.
var exposition = regexp.MustCompile(`^[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? (-?[0-9.]+(e[+-][0-9]+)?|\+Inf|NaN)$`)

// TestMetricsListener: the metrics are there without a key, on their own address, and
// the log has a line for each ask that was closed, with ids only.
func TestMetricsListener(t *testing.T) {
	t.Parallel()
	s := serve(t, "", "--metrics", "127.0.0.1:0")
	at := regexp.MustCompile(`url=(http://\S+/metrics)`).FindStringSubmatch(s.text())
	if at == nil {
		t.Fatalf("no address in\n%s", s.text())
	}
	c, err := client.New(s.url, &client.Options{Key: s.key, Surface: "my secret surface"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, id := range []string{"a secret id", ""} {
		ask := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: "My secret question?"}}, Origin: sayso.Origin{Conversation: "secret conversation", Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}
		ask.Normalize()
		ticket, err := c.Submit(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: ticket.Ask.Questions[0].ID, Other: "secret answer"}}}
		if _, err := c.Answer(t.Context(), ticket, o); err != nil {
			t.Fatal(err)
		}
	}
	text := fetched(t, at[1], 200)
	heads := regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(text, -1)
	have := map[string]bool{}
	for _, h := range heads {
		have[h[1]] = true
	}
	for _, name := range exposed {
		if !have[name] {
			t.Errorf("no family %s", name)
		}
		delete(have, name)
	}
	for name := range have {
		t.Errorf("family %s is not listed in this test", name)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "# ") && !exposition.MatchString(line) {
			t.Errorf("not the text format: %s", line)
		}
	}
	for _, line := range []string{"sayso_asks_total 2", `sayso_outcomes_total{status="answered",surface="other"} 2`, "sayso_ready 1", `sayso_leader{shard="0"} 1`, "sayso_store_synced 1"} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
	req, err := http.NewRequest("GET", at[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode != 403 {
		t.Errorf("a web page gets %v, %v", resp, err)
	}
	s.signal(syscall.SIGTERM)
	if err := <-s.done; err != nil {
		t.Error(err)
	}
	log := s.text()
	if strings.Count(log, "msg=closed ask=") != 2 || strings.Count(log, " trace_id=4bf92f3577b34da6a3ce929d0e0e4736\n") != 2 || !strings.Contains(log, "ask=sha256:") || !strings.Contains(log, "ask=ask_") || !strings.Contains(log, "status=answered surface=other") {
		t.Errorf("the log has\n%s", log)
	}
	if strings.Contains(log, "secret") || strings.Contains(text, "secret") {
		t.Errorf("the log or the metrics tell a secret:\n%s\n%s", log, text)
	}
}

func fetched(t *testing.T, url string, status int) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Fatal(resp.StatusCode, err)
	}
	return string(body)
}
