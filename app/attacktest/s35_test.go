package attacktest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// largeAsk is an ask of 257 KB, about the largest there is.
func largeAsk(id string) map[string]any {
	option := func(i int) any {
		return map[string]any{"id": fmt.Sprint("o", i), "label": fmt.Sprint("L", i), "preview": strings.Repeat("y", 16_000)}
	}
	question := func(i int) any {
		return map[string]any{
			"id": fmt.Sprint("q", i), "text": fmt.Sprintf("%s %d", id, i), "body": strings.Repeat("x", 16_000),
			"options": []any{option(0), option(1), option(2)},
		}
	}
	return map[string]any{"id": id, "questions": []any{question(0), question(1), question(2), question(3)}}
}

// askAndWithdraw does so with large asks until it is refused, n times at most.
func (w *world) askAndWithdraw(key string, n int) (done int, refusal *reply) {
	w.t.Helper()
	for ; done < n; done++ {
		r := w.do("POST", "/v1/asks", key, largeAsk(fmt.Sprint("a", done)))
		if r.status != http.StatusCreated {
			return done, r
		}
		if r := w.do("POST", "/v1/asks/"+r.text("id")+"/withdraw", key, nil); r.status != http.StatusOK {
			w.t.Fatalf("withdrawing: %d %s", r.status, r.body)
		}
	}
	return done, nil
}

// refusedBy wants a refusal that names the quota, the use and when to retry.
func (w *world) refusedBy(r *reply, quota string) {
	w.t.Helper()
	q, _ := r.json["quota"].(map[string]any)
	limit, _ := q["limit"].(float64)
	used, _ := q["used"].(float64)
	retry, _ := q["retry"].(float64)
	after, _ := strconv.Atoi(r.header.Get("Retry-After"))
	if r.status != http.StatusTooManyRequests || q["name"] != quota || limit <= 0 || used <= 0 || retry <= 0 || after != int(retry) ||
		!strings.Contains(r.text("detail"), "--quota "+quota+"=") {
		w.t.Errorf("the refusal does not name %s, its use and when to retry: %d %s", quota, r.status, r.body)
	}
}

// disk is how many bytes the hub has on its disk.
func (w *world) disk() (sum int64) {
	filepath.Walk(filepath.Join(w.home, ".local/state/sayso"), func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

const beginSession = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// TestS35 has one asker's key try to use up the disk, the memory and the sessions
// of a hub.
func TestS35(t *testing.T) {
	const mib = 1 << 20
	t.Run("stored", func(t *testing.T) {
		w := newWorld(t)
		key, other := w.key("asker", "mallory"), w.key("asker", "alice")
		flags := []string{"--quota", "stored=16MiB", "--quota", "rate=off", "--quota", "reads=off"}
		w.serve(flags...)
		before := w.disk()
		n, r := w.askAndWithdraw(key, 100)
		if r == nil {
			t.Fatalf("one key stores without end: %d MB", (w.disk()-before)/mib)
		}
		w.refusedBy(r, "stored")
		if grown := w.disk() - before; n < 10 || grown > 24*mib {
			t.Errorf("%d asks take %d MB of 16", n, grown/mib)
		}
		if r := w.do("POST", "/v1/asks", other, largeAsk("hers")); r.status != http.StatusCreated {
			t.Errorf("another asker: %d %s", r.status, r.body)
		}
		w.stop()
		w.serve(flags...)
		if r := w.do("POST", "/v1/asks", key, largeAsk("more")); r.status == http.StatusCreated {
			t.Error("a restart forgets what was stored")
		} else {
			w.refusedBy(r, "stored")
		}
	})
	t.Run("lists", func(t *testing.T) {
		w := newWorld(t)
		w.env = append(w.env, "GOGC=20") // what a busy machine has not collected yet is not held
		key := w.key("asker", "mallory")
		w.serve("--quota", "stored=off", "--quota", "rate=off", "--quota", "reads=off", "--quota", "reads-at-once=off")
		if n, r := w.askAndWithdraw(key, 60); r != nil {
			t.Fatalf("%d asks, then %d %s", n, r.status, r.body)
		}
		before := w.memory() >> 10
		var work sync.WaitGroup
		for range 10 {
			work.Go(func() {
				if r := w.do("GET", "/v1/asks?status=any&limit=1000", key, nil); r.status != http.StatusOK || len(r.body) > 6*mib {
					t.Errorf("a list: %d, %d bytes", r.status, len(r.body))
				}
			})
		}
		work.Wait()
		after := w.memory() >> 10
		t.Logf("at most %d MB of memory before ten lists of 15 MB at once, %d MB with them", before, after)
		if after-before > 150 {
			t.Errorf("lists take %d MB", after-before)
		}
	})
	t.Run("taken", func(t *testing.T) {
		w := newWorld(t)
		key, other := w.key("asker", "mallory"), w.key("asker", "alice")
		w.serve("--quota", "reads=128KiB", "--quota", "mcp-sessions=8", "--quota", "streams=2", "--quota", "waits=2", "--quota", "rate=off", "--quota", "stored=off")
		open := w.asked(key, "Deploy?")
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		hang := func(path string) {
			work.Go(func() {
				for ctx.Err() == nil { // the test itself may be in the way for a moment
					req, _ := http.NewRequestWithContext(ctx, "GET", w.url+path, nil)
					req.Header.Set("Authorization", "Bearer "+key)
					if resp, err := http.DefaultClient.Do(req); err == nil {
						if resp.StatusCode == http.StatusOK {
							<-ctx.Done()
						}
						resp.Body.Close()
					}
				}
			})
		}
		for quota, path := range map[string]string{"streams": "/v1/events?wait=", "waits": "/v1/asks/" + open.text("id") + "?wait="} {
			hang(path + "10m")
			hang(path + "10m")
			var r *reply
			eventually(t, "one more of the "+quota+" is refused", func() bool {
				if quota == "streams" { // one that is let in does not end
					short, end := context.WithTimeout(ctx, patience)
					defer end()
					r = w.head(short, path, key)
				} else {
					r = w.do("GET", path+"1ms", key, nil)
				}
				return r.status == http.StatusTooManyRequests
			})
			if quota == "waits" {
				w.refusedBy(r, quota)
			}
		}
		begun, refused := 0, (*reply)(nil)
		for range 60 {
			r := w.do("POST", "/mcp", key, []byte(beginSession), "Accept", "application/json, text/event-stream")
			if r.status == http.StatusOK {
				begun++
			} else {
				refused = r
			}
		}
		if begun != 8 || refused == nil {
			t.Fatalf("one key begins %d sessions of 8", begun)
		}
		w.refusedBy(refused, "mcp-sessions")
		w.askAndWithdraw(key, 4)
		var r *reply
		n := 0
		for ; n < 60; n++ {
			if r = w.do("GET", "/v1/asks?status=any", key, nil); r.status != http.StatusOK {
				break
			}
		}
		if n == 60 {
			t.Fatal("one key reads without end")
		}
		w.refusedBy(r, "reads")
		w.asked(other, "Deploy?")
		if r := w.do("GET", "/v1/asks", other, nil); r.status != http.StatusOK {
			t.Errorf("another asker reads: %d", r.status)
		}
	})
}

// head asks for the head of a response.
func (w *world) head(ctx context.Context, path, key string) *reply {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "HEAD", w.url+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body.Close()
	return &reply{status: resp.StatusCode, header: resp.Header}
}

// s35 are the guards of TestS35, each turned off.
var s35 = []mutanttest.Mutant{
	{
		Name: "stored bytes are not counted", Test: "TestS35/stored", Says: `one key stores without end`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/stored.go", Old: "if used+need <= limit {", New: "if used+need <= limit || MUTANT {"}},
	},
	{
		Name: "a restart forgets what was stored", Test: "TestS35/stored", Says: `a restart forgets what was stored`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/usages.go", Old: "if known || u.store == nil {", New: "if known || u.store == nil || MUTANT {"}},
	},
	{
		Name: "a refusal does not name the quota", Test: "TestS35/stored", Says: `does not name stored`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/limits.go", Old: "\treturn &problem{Problem: q.Problem(u.who), retry: retry}\n", New: "\tif MUTANT {\n\t\treturn tooMany.problem(\"later\")\n\t}\n\treturn &problem{Problem: q.Problem(u.who), retry: retry}\n"}},
	},
	{
		Name: "a list is built in memory", Test: "TestS35/lists", Says: `lists take .* MB`,
		Edits: []mutanttest.Edit{
			{File: "app/httpapi/list.go", Old: "\tlimit, scanned := f.Limit, 0\n", New: "\tlimit, scanned := f.Limit, 0\n\tif MUTANT {\n\t\tf.Bytes = 1 << 30\n\t}\n"},
		},
	},
	{
		Name: "reads cost nothing", Test: "TestS35/taken", Says: `one key reads without end`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/reads.go", Old: "\tb.left -= n\n", New: "\tif !MUTANT {\n\t\tb.left -= n\n\t}\n"}},
	},
	{
		Name: "MCP sessions are not counted", Test: "TestS35/taken", Says: `one key begins 60 sessions of 8`,
		Edits: []mutanttest.Edit{{File: "app/door/mcp/sessions.go", Old: "if s.count(q.who)+q.elsewhere < q.most {\n\t\t\tcontinue\n\t\t}\n\t\tif s.sweep()", New: "if s.count(q.who)+q.elsewhere < q.most || MUTANT {\n\t\t\tcontinue\n\t\t}\n\t\tif s.sweep()"}},
	},
	{
		Name: "streams and waits are not counted", Test: "TestS35/taken", Says: `waited in vain until one more of the|does not name waits`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/limits.go", Old: "used >= most {\n", New: "used >= most && !MUTANT {\n"}},
	},
	{
		Name: "who goes on after a refusal is not held", In: "../httpapi", Test: "TestQuotaHoldsRefusals", Says: `a further one takes`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/limits.go", Old: "if u.refusals.AllowN(l.now(), 1) {", New: "if u.refusals.AllowN(l.now(), 1) || MUTANT {"}},
	},
}
