package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/api"
)

func TestQuotaSet(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"open=20", "20"},
		{"stored=1GiB", "1073741824"},
		{"stored=1.5MiB", "1572864"},
		{"stored=10MB", "10000000"},
		{"reads=off", "-1"},
		{"rate=0.5", "0.5"},
		{"open=1, streams=2", "2"},
		{"mcp-sessions=3", "3"},
		{"open", `"open" is not NAME=VALUE, as in open=20 or stored=1GiB`},
		{"opne=1", `unknown quota "opne"; the quotas are open, rate, burst, stored, reads, reads-at-once, streams, waits, mcp-sessions, mcp-sessions-total`},
		{"open=0", `quota open: "0" is not a number above zero; use off for no limit`},
		{"open=-1", `quota open: "-1" is not a number above zero; use off for no limit`},
		{"rate=NaN", `quota rate: "NaN" is not a number above zero; use off for no limit`},
		{"stored=12", `quota stored: "12" is not a size such as 64MiB or 1GiB; use off for no limit`},
		{"stored=-1MiB", `quota stored: "-1MiB" is not a size such as 64MiB or 1GiB; use off for no limit`},
	} {
		var q Quota
		got := ""
		if err := q.Set(c.text); err != nil {
			got = err.Error()
		} else {
			all := strings.Split(c.text, ",")
			name, _, _ := strings.Cut(strings.TrimSpace(all[len(all)-1]), "=")
			for _, s := range quotaSettings {
				if s.name == name {
					b, _ := json.Marshal(s.field(&q))
					got = string(b)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// Every refusal names the quota, what is used of it, and when to come back.
func TestQuotaRefusal(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Open: 1, Streams: 1}})
	w.ask(t, "a0")
	rec := w.do("bot", "POST", "/v1/asks", `{"id":"more","questions":[{"text":"Which?"}]}`)
	p := decoded[api.Problem](t, rec.Body.Bytes())
	want := api.Quota{Name: "open", Limit: 1, Used: 1, Unit: "at a time", Retry: 5}
	if rec.Code != http.StatusTooManyRequests || p.Quota == nil || *p.Quota != want || rec.Header().Get("Retry-After") != "5" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if want := "asker bot has used 1 of 1 open asks; try again in 5 s, or raise the limit with sayso serve --quota open=2"; p.Detail != want {
		t.Errorf("%q, want %q", p.Detail, want)
	}
}

// A large body counts more than once.
func TestQuotaRateCountsBodies(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Rate: 0.001, Burst: 10}})
	large := fmt.Sprintf(`{"questions":[{"text":"Which?","body":%q}]}`, strings.Repeat("x", 70<<10))
	codes := []int{}
	for range 3 {
		codes = append(codes, w.do("bot", "POST", "/v1/asks", large).Code)
	}
	if codes[0] == 429 || codes[1] == 429 || codes[2] != 429 {
		t.Errorf("bodies of 70 KiB, ten changes: %v", codes)
	}
}

// Who goes on after being refused is made to wait; others are not.
func TestQuotaHoldsRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &Options{Quota: Quota{Rate: 0.0001, Burst: 1}})
		ask := func(who string) time.Duration {
			start := time.Now()
			w.do(who, "POST", "/v1/asks", `{"questions":[{"text":"Which?"}]}`)
			return time.Since(start)
		}
		var held time.Duration
		for range 1 + 2*freeRefusals {
			held += ask("bot")
		}
		if held != 0 {
			t.Errorf("the first refusals take %v", held)
		}
		if took := ask("bot"); took != holdFor {
			t.Errorf("a further one takes %v, want %v", took, holdFor)
		}
		if took := ask("bot2"); took != 0 {
			t.Errorf("another asker waits %v", took)
		}
	})
}
