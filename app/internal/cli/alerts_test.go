//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// alertRules reads the names and expressions of the rules that we ship. The file has
// one form only, so that this needs no library.
func alertRules(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../../../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^      - alert: (\w+)\n        expr: (.+)\n        for: \d+m\n        labels:\n          severity: (?:critical|warning)\n        annotations:\n          summary: .+\n          description: .+$`).FindAllStringSubmatch(string(data), -1) {
		rules[m[1]] = m[2]
	}
	if n := strings.Count(string(data), "- alert:"); n != 3 || len(rules) != 3 {
		t.Fatalf("%d alerts, %d of them read", n, len(rules))
	}
	return rules
}

var term = regexp.MustCompile(`^(rate\()?(\w+)(\{[^}]*\})?(?:\[5m\]\))? (==|>|<) ([0-9.]+)$`)

// fires evaluates an expression: comparisons with "or" between them. earlier is the
// exposition five minutes before.
func fires(t *testing.T, expr, earlier, now string) bool {
	t.Helper()
	for one := range strings.SplitSeq(expr, " or ") {
		m := term.FindStringSubmatch(one)
		if m == nil {
			t.Fatalf("cannot evaluate %q", one)
		}
		bound, err := strconv.ParseFloat(m[5], 64)
		if err != nil {
			t.Fatal(err)
		}
		before := values(t, earlier, m[2])
		for series, v := range values(t, now, m[2]) {
			if m[1] != "" {
				v = (v - before[series]) / 300
			}
			if m[4] == "==" && v == bound || m[4] == ">" && v > bound || m[4] == "<" && v < bound {
				return true
			}
		}
	}
	return false
}

// values returns the values of a metric by their labels.
func values(t *testing.T, text, name string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), name)
		labels, value, found := strings.Cut(rest, " ")
		if !ok || !found || labels != "" && labels[0] != '{' {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		all[labels] = v
	}
	return all
}

// TestAlerts: the rules name metrics that there are, are silent about a hub that is
// well, and each fires for its fault.
func TestAlerts(t *testing.T) {
	t.Parallel()
	rules := alertRules(t)
	for name, expr := range rules {
		for one := range strings.SplitSeq(expr, " or ") {
			m := term.FindStringSubmatch(one)
			if m == nil || m[2] != "up" && !slices.Contains(exposed, m[2]) {
				t.Errorf("%s: %q names no metric of the hub", name, one)
			}
		}
	}
	s := serve(t, "", "--metrics", "127.0.0.1:0")
	at := regexp.MustCompile(`url=(http://\S+/metrics)`).FindStringSubmatch(s.text())
	if at == nil {
		t.Fatalf("no address in\n%s", s.text())
	}
	well := fetched(t, at[1], 200)
	set := func(line string) string {
		name, _, _ := strings.Cut(line, " ")
		next := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(name)+` .*$`).ReplaceAllString(well, line)
		if !strings.Contains(next, "\n"+line+"\n") {
			next += line + "\n"
		}
		return next
	}
	free := values(t, well, "sayso_disk_free_bytes")[""]
	if free < 1<<30 {
		well = set(fmt.Sprintf("sayso_disk_free_bytes %d", 2<<30)) // of this machine
	}
	for _, c := range []struct{ line, want string }{
		{"sayso_ready 1", ""},
		{"sayso_ready 0", "SaysoNotReady"},
		{`up{job="sayso"} 0`, "SaysoNotReady"},
		{`sayso_store_errors_total{kind="disk-full"} 3`, "SaysoStorage"},
		{"sayso_store_answers 0", "SaysoStorage"},
		{"sayso_disk_free_bytes 1000", "SaysoStorage"},
		{"sayso_store_quota_ratio 0.95", "SaysoStorage"},
		{"sayso_oldest_ask_seconds 14399", ""},
		{"sayso_oldest_ask_seconds 20000", "SaysoNobodyAnswers"},
	} {
		got := ""
		for _, name := range []string{"SaysoNotReady", "SaysoStorage", "SaysoNobodyAnswers"} {
			if fires(t, rules[name], well, set(c.line)) {
				got += name
			}
		}
		if got != c.want {
			t.Errorf("%s: %q fires, want %q", c.line, got, c.want)
		}
	}
}

// TestMetricsPage: the page has every metric, and no other.
func TestMetricsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`(sayso_\\w+)(?:\\{[a-z,]+\\})?`").FindAllStringSubmatch(string(page), -1) {
		listed[m[1]] = true
	}
	for _, name := range append(slices.Clone(exposed), "sayso_asks_waiting", "sayso_backup_age_seconds", "sayso_audit_unexported") {
		if strings.HasPrefix(name, "sayso_") && !listed[name] {
			t.Errorf("the page does not have %s", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("the page has %s, which the hub does not", name)
	}
}
