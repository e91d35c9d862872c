package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
)

// What people are asked and say, and what keys there are, is in no sink: not in
// the log at its most talkative, the metrics, what others are told, standard
// error, or what a panic leaves. S24.
//
// A second process says and breaks all that, so that nothing of it is missed.
func TestCanary(t *testing.T) {
	if os.Getenv("SAYSO_CANARY") != "" {
		sing(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCanary$", "-test.v")
	cmd.Env = append(os.Environ(), "SAYSO_CANARY=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"msg=request", "msg=panic", "route=/v1/asks/{id}/answer", "sayso_requests_total", "status=500", "goroutine"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("the sinks hold no %s", want)
		}
	}
	for _, secret := range []string{canary, "Bearer", "sayso_asker_", "sayso_answerer_"} {
		for _, line := range strings.Split(string(out), "\n") {
			if strings.Contains(line, secret) {
				t.Errorf("a sink holds %s: %s", secret, line)
			}
		}
	}
}

// sing puts the canary into everything that a person or an asker says.
func sing(t *testing.T) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	slog.SetDefault(log)
	debug.SetTraceback("all")
	w := newWorld(t, &Options{Log: log, Quota: Quota{Open: -1, Rate: -1}})
	table := append(routes(), route{
		method: "POST", path: "/v1/break", rule: may(auth.Answerer), id: "break", summary: "Break", body: api.DeclineRequest{},
		serve: func(s *Server, c *call) error {
			var in api.DeclineRequest
			if err := c.decode(&in); err != nil {
				return err
			}
			panic(fmt.Errorf("cannot handle %+v", in))
		},
	}, route{
		method: "POST", path: "/v1/crash", rule: may(auth.Answerer), id: "crash", summary: "Crash", body: api.DeclineRequest{},
		serve: func(s *Server, c *call) error {
			var in api.DeclineRequest
			if err := c.decode(&in); err != nil {
				return err
			}
			var nobody *api.Ticket
			return c.problemOf(fmt.Errorf("%s", nobody.Digest+in.Reason))
		},
	})
	s, err := build(w.hub, &Options{Auth: w.keys, Log: log}, table)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	w.Server = s
	url := w.listen(t)

	send := func(who, method, path, body string) string {
		req, err := http.NewRequestWithContext(context.Background(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal("a request cannot be made")
		}
		req.Header.Set("Authorization", "Bearer "+w.key[who])
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", canary+path[len(path)-4:])
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return ""
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return string(text)
	}
	ask := `{"questions":[{"id":"q","header":"` + canary + `","text":"` + canary + `","body":"` + canary + `","options":[{"id":"o","label":"` + canary + `","description":"` + canary + `"}]}],
		"metadata":{"x":"` + canary + `"},"origin":{"conversation":"c-` + canary + `","workspace":"` + canary + `"}}`
	tk := decoded[api.Ticket](t, []byte(send("bot", "POST", "/v1/asks", ask)))
	at := "/v1/asks/" + tk.ID
	answer := `{"digest":"` + tk.Digest + `","answers":[{"questionId":"q","selected":["o"],"other":"` + canary + `","note":"` + canary + `"}],"surface":"` + canary + `"}`
	for _, body := range []string{
		`{"reply":"` + canary + `"}`, `{"reply":"` + canary, `{"reply":"` + canary + `","reply":1}`, `{"` + canary + `":1}`, `{"reply":{"a":"` + canary + `"}}`,
		`"` + canary + strings.Repeat("x", 1<<20) + `"`,
	} {
		send("ada", "PUT", at+"/draft", body)
		send("ada", "PUT", at+"/answer", body)
		send("bot", "POST", "/v1/dialects/claude/call?wait=1ms", body)
	}
	send("ada", "PUT", at+"/answer", `{"digest":"`+tk.Digest+`","answers":[{"questionId":"`+canary+`","selected":["`+canary+`"]}]}`)
	send("bot", "PUT", at+"/answer", answer)
	send("ada", "PUT", at+"/answer", answer)
	send("bob", "PUT", at+"/answer", `{"digest":"`+tk.Digest+`","reply":"`+canary+`"}`)
	send("ada", "POST", "/conversations/c-"+canary+"/respond", `{"ask":"`+canary+`","answers":{"`+canary+`":"`+canary+`"}}`)
	send("bot", "GET", "/v1/asks?conversation=c-"+canary+"&cursor="+canary, "")
	send("bot", canary, "/v1/asks", "")
	for _, path := range []string{"/v1/break", "/v1/crash"} {
		send("ada", "POST", path, `{"digest":"`+canary+`","reason":"`+canary+`"}`)
	}
	// And a client that goes away in the middle.
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "PUT", url+at+"/answer", io.MultiReader(strings.NewReader(`{"reply":"`+canary), blocked{ctx}))
	req.Header.Set("Authorization", "Bearer "+w.key["ada"])
	req.Header.Set("Content-Type", "application/json")
	http.DefaultClient.Do(req)
	fmt.Fprint(os.Stderr, send("eye", "GET", "/metrics", ""))
	for _, path := range []string{"/v1/asks?status=any", at} {
		for _, who := range []string{"root", "spyada", "bot2"} {
			fmt.Fprint(os.Stderr, send(who, "GET", path, ""))
		}
	}
}

// blocked is the rest of a body that does not come.
type blocked struct{ ctx context.Context }

func (b blocked) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}
