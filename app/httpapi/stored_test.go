package httpapi

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// heavy is an ask of about 100 KB.
func heavy(id string) string {
	return fmt.Sprintf(`{"id":%q,"questions":[{"id":"db","text":"Which?","body":%q}]}`, id, strings.Repeat("x", 100_000))
}

// An asker that asks and withdraws is kept from filling the disk, and told when to
// come back. Whatever it owes an end to, it may still end.
func TestQuotaStored(t *testing.T) {
	store := hub.NewMemory(nil)
	w := newWorldOver(t, store, nil, &Options{Quota: Quota{Rate: -1, Stored: 1_000_000}, Usage: store})
	var last api.Ticket
	for i := range 3 {
		last = must[api.Ticket](t, w, "bot", "POST", "/v1/asks", heavy(fmt.Sprint("a", i)))
		if i < 2 {
			must[api.Ticket](t, w, "bot", "POST", "/v1/asks/"+last.ID+"/withdraw", "")
		}
	}
	refused := func(w *world, who, method, path, body string) *api.Problem {
		t.Helper()
		rec := w.do(who, method, path, body)
		p := decoded[api.Problem](t, rec.Body.Bytes())
		if rec.Code != 429 || p.Quota == nil || p.Quota.Name != "stored" || p.Quota.Limit != 1_000_000 || p.Quota.Used < 900_000 || p.Quota.Used > 1_000_000 {
			t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
		}
		return &p
	}
	p := refused(w, "bot", "POST", "/v1/asks", heavy("a3"))
	if left := time.Duration(p.Quota.Retry) * time.Second; left < 30*day || left > 31*day {
		t.Errorf("told to come back in %v", left)
	}
	eventually(t, func() bool { return w.waiting(t) == 1 }) // what was refused is not reserved
	// The same ask again, and the end of one, take no room.
	must[api.Ticket](t, w, "bot", "POST", "/v1/asks", heavy("a2"))
	must[api.Ticket](t, w, "bot", "POST", "/v1/asks", heavy("a0"))
	must[api.Ticket](t, w, "bot", "POST", "/v1/asks/"+last.ID+"/withdraw", "")
	must[api.Ticket](t, w, "bot2", "POST", "/v1/asks", heavy("a3"))
	// What comes too late does.
	eventually(t, func() bool { return w.waiting(t) == 1 })
	for range 3 {
		w.do("bot", "POST", "/v1/asks/"+last.ID+"/relay", `{"digest":"`+last.Digest+`","reply":"Yes"}`)
	}
	if used := w.limits.usageOf(principal("bot")).ledger.used(dayOf(time.Now())); used > 1_000_000 {
		t.Errorf("%d bytes are used", used)
	}

	// Another server knows, also when this one has ended.
	w.Close()
	var later atomic.Int64
	again := newWorldOver(t, store, nil, &Options{Quota: Quota{Rate: -1, Stored: 1_000_000}, Usage: store, Now: func() time.Time {
		return time.Now().Add(time.Duration(later.Load()))
	}})
	refused(again, "bot", "POST", "/v1/asks", heavy("a3"))
	later.Store(int64(p.Quota.Retry) * int64(time.Second))
	must[api.Ticket](t, again, "bot", "POST", "/v1/asks", heavy("a3"))
}

// However many ask at once, they do not get more than there is.
func TestQuotaStoredRace(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Rate: -1, Stored: 2_000_000}})
	var mu sync.Mutex
	codes := map[int]int{}
	var work sync.WaitGroup
	for i := range 40 {
		work.Go(func() {
			rec := w.do("bot", "POST", "/v1/asks", heavy(fmt.Sprint("a", i)))
			mu.Lock()
			defer mu.Unlock()
			codes[rec.Code]++
		})
	}
	work.Wait()
	if codes[201] != 6 || codes[429] != 34 {
		t.Errorf("%v", codes)
	}
}

// An answer that is taken back and given again and again counts for who does so.
func TestQuotaStoredUndo(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Rate: -1, Stored: 1_000_000}})
	tk := must[api.Ticket](t, w, "bot", "POST", "/v1/asks", heavy("a"))
	code := 200
	n := 0
	for ; code == 200 && n < 100; n++ {
		body := `{"digest":"` + tk.Digest + `","answers":[{"questionId":"db","other":"` + fmt.Sprint("pg", n) + `"}]}`
		must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", body)
		code = w.do("ada", "POST", "/v1/asks/"+tk.ID+"/undo", "").Code
	}
	if code != 429 || n > 6 {
		t.Errorf("%d times, then %d", n, code)
	}
}

// Two servers add up what they note.
func TestUsagesAddUp(t *testing.T) {
	store := hub.NewMemory(nil)
	opts := func() *Options { return &Options{Quota: Quota{Rate: -1, Stored: 1_000_000}, Usage: store} }
	one, two := newWorldOver(t, store, nil, opts()), newWorldOver(t, store, nil, opts())
	must[api.Ticket](t, one, "bot", "POST", "/v1/asks", heavy("a0"))
	must[api.Ticket](t, two, "bot", "POST", "/v1/asks", heavy("a1"))
	one.flushUsages(t.Context())
	two.flushUsages(t.Context())
	one.flushUsages(t.Context())
	_, days, err := one.usages.read(t.Context(), holderOf(principal("bot")))
	if sum := days[dayOf(time.Now())]; err != nil || sum < 600_000 || sum > 620_000 {
		t.Errorf("%d bytes are noted, %v", sum, err)
	}
	if rec := two.do("bot", "POST", "/v1/asks", heavy("a2")); rec.Code != 201 {
		t.Errorf("the third: %d", rec.Code)
	}
	if rec := two.do("bot", "POST", "/v1/asks", heavy("a3")); rec.Code != 429 {
		t.Errorf("the fourth: %d", rec.Code)
	}
}

// What was written long ago no longer counts, and tells when the rest will not.
func TestLedgerForgets(t *testing.T) {
	start := time.Date(2031, 1, 1, 12, 0, 0, 0, time.UTC)
	var g ledger
	g.add(start, 600)
	g.add(start.Add(day), 300)
	for _, c := range []struct {
		after time.Duration
		need  int64
		used  int64
		retry time.Duration
	}{
		{day, 100, 900, 0},
		{day, 101, 900, 29*day + 12*time.Hour},
		{30 * day, 101, 900, 12 * time.Hour},
		{30 * day, 800, 900, day + 12*time.Hour},
		{30*day + 12*time.Hour, 700, 300, 0},
		{32 * day, 1000, 0, 0},
	} {
		used, retry, ok := g.reserve(start.Add(c.after), c.need, 1000)
		if used != c.used || retry != c.retry || ok != (c.retry == 0) {
			t.Errorf("after %v, %d bytes: %d are used, %v, %v", c.after, c.need, used, retry, ok)
		}
		if ok {
			g.release(c.need)
		}
	}
}

// principal is a holder of an asker's key in every world.
func principal(name string) *auth.Principal {
	return &auth.Principal{Tenant: "acme", ID: name, Role: auth.Asker}
}
