package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func listed(id, text string) *hub.Ticket {
	a := &sayso.Ask{ID: id, AskedAt: time.Unix(0, 0), Questions: []sayso.Question{{Text: text}}}
	a.Normalize()
	a.Origin = sayso.Origin{Via: "socket", Host: "claude-code", Workspace: "payments-api", Branch: "main", Agents: []string{"planner", "researcher"}}
	return &hub.Ticket{Ask: a}
}

// TestListFits: every line fits, and as much of the question is shown as there is
// room for.
func TestListFits(t *testing.T) {
	t.Parallel()
	tickets := []*hub.Ticket{
		listed("ask_fyxnoyqi7evmhbzg6cq3nzic3u", "Which database should the service use for its orders, now that there are two of them?"),
		listed("ask_konazxmpyhkug6vu52jm7pc5wq", "どのデータベースを使いますか。注文サービスのために選んでください。"),
		listed("deploy-1", "Ship it?\x1b[31m"),
	}
	now := time.Unix(90, 0)
	for _, width := range []int{20, 40, 60, 80, 100, 200} {
		text := listColumns(tickets, now).fit(width)
		for line := range strings.Lines(text) {
			if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > width {
				t.Errorf("%d columns: %q has %d", width, line, w)
			}
		}
		if n := strings.Count(text, "\n"); n != 3 {
			t.Errorf("%d columns: %d lines\n%s", width, n, text)
		}
		if width >= 80 && (!strings.Contains(text, "Which database should t") || !strings.Contains(text, "unverified")) {
			t.Errorf("%d columns:\n%s", width, text)
		}
	}
	want := `ID           AGE  STATUS   BY          SAYS                          QUESTION
ask_fyxnoyq  1m   pending  unverified  planner ▸ researcher · clau…  Which database should t…
ask_konazxm  1m   pending  unverified  planner ▸ researcher · clau…  どのデータベースを使い…
deploy-1     1m   pending  unverified  planner ▸ researcher · clau…  Ship it?␛[31m`
	if got := listColumns(tickets, now).fit(93); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestShortIDs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ ids, want string }{
		{"", ""},
		{"ask_fyxnoyqi7evmhbzg6cq3nzic3u", "ask_fyxnoyq"},
		{"ask_fyxnoyqi7evmhbzg6cq3nzic3u ask_fyxnoyqi7ezmhbzg6cq3nzic3u", "ask_fyxnoyqi7ev ask_fyxnoyqi7ez"},
		{"ask_fyxnoyqi7evmhbzg6cq3nzic3u ask_fyxnoyqi7evmhbzg6cq3nzic3u", "ask_fyxnoyqi7evmhbzg6cq3nzic3u ask_fyxnoyqi7evmhbzg6cq3nzic3u"},
		{"deploy-production-2026-11-16 a", "deploy-production-2026-11-16 a"},
		{"ask_7f3", "ask_7f3"},
	} {
		var tickets []*hub.Ticket
		for _, id := range strings.Fields(tc.ids) {
			tickets = append(tickets, listed(id, "?"))
		}
		if got := strings.Join(shortIDs(tickets), " "); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.ids, got, tc.want)
		}
	}
}

func TestStatusOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		all  bool
		want sayso.Status
	}{
		{"", false, ""}, {"", true, hub.AnyStatus}, {"any", false, hub.AnyStatus},
		{"pending", true, sayso.StatusPending}, {"answered", true, sayso.StatusAnswered}, {"answered", false, sayso.StatusAnswered},
	} {
		if got, err := statusOf(tc.name, tc.all); got != tc.want || err != nil {
			t.Errorf("--status %q, --all %v: %q, %v", tc.name, tc.all, got, err)
		}
	}
	if _, err := statusOf("anwsered", false); err == nil || !strings.Contains(err.Error(), `unknown status "anwsered"`) {
		t.Error(err)
	}
}

// The time that is left is told to the nearest unit.
func TestRemaining(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                       "0s",
		59 * time.Second:                   "59s",
		10*time.Minute - time.Second:       "10m",
		time.Hour - time.Second:            "1h",
		3*time.Hour - time.Second:          "3h",
		2*time.Hour + 20*time.Minute:       "2h",
		7*24*time.Hour - time.Minute:       "7d",
		48*time.Hour - 10*time.Minute:      "2d",
		3*24*time.Hour + 2*time.Hour:       "3d",
		47*time.Hour + 10*time.Minute:      "47h",
		time.Minute - 100*time.Microsecond: "59s",
	} {
		if got := remaining(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
