package reachtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// loopback dials this machine, whatever the name: browsers do so for names below
// localhost.
func loopback(ctx context.Context, network, addr string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}

// TestFigure_REACHPeople measures how soon a notification is withdrawn while a thousand
// people are linked and each of them is shown one.
func TestFigure_REACHPeople(t *testing.T) {
	figures(t)
	people := 1000
	if n, err := strconv.Atoi(os.Getenv("SAYSO_PEOPLE")); err == nil {
		people = n
	}
	s := telegramtest.New(t)
	h := newHome(t, "--quota", "open=5000")
	token := h.file("token", telegramtest.Token)
	h.run("notify", "add", "telegram", "--person", "p0", "--token-file", token, "--api", s.URL())
	users := make([]*telegramtest.User, people)
	var work sync.WaitGroup
	next := make(chan int)
	for range 6 {
		work.Go(func() {
			for i := range next {
				users[i] = s.User(int64(1000+i), fmt.Sprint("p", i))
				start(h, users[i], h.run("notify", "add", "telegram", "--person", fmt.Sprint("p", i), "--after", "0s", "--detail", "text"))
			}
		})
	}
	for i := range people {
		next <- i
	}
	close(next)
	work.Wait()
	handles := make([]string, people)
	for i := range people {
		ticket, err := h.client.Submit(t.Context(), question(fmt.Sprint("to-", i), fmt.Sprint("p", i)))
		if err != nil {
			t.Fatal(err)
		}
		handles[i] = ticket.Handle
	}
	h.until("everybody is notified", func() bool {
		for i, u := range users {
			if !strings.Contains(u.Last().Text, fmt.Sprintf("to-%d?", i)) {
				return false
			}
		}
		return true
	})
	edited := map[int64]time.Time{}
	var mu sync.Mutex
	s.Before(func(method string, body json.RawMessage) {
		var at struct {
			Chat int64 `json:"chat_id"`
		}
		if method == "editMessageText" && json.Unmarshal(body, &at) == nil {
			mu.Lock()
			defer mu.Unlock()
			edited[at.Chat] = time.Now()
		}
	})
	var took []time.Duration
	closed := map[int64]time.Time{}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for i := 0; i < min(people, 300); i++ {
		<-tick.C
		if _, err := h.client.Withdraw(t.Context(), handles[i], sayso.StatusCancelled, ""); err != nil {
			t.Fatal(err)
		}
		closed[int64(1000+i)] = time.Now()
	}
	h.until("all of them are withdrawn", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(edited) >= len(closed)
	})
	for chat, at := range closed {
		took = append(took, edited[chat].Sub(at))
	}
	t.Logf("FIGURE REACH-people %d linked", people)
	report(t, "REACH-withdraw", took)
}
