package reachtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify/ntfytest"
	"github.com/saysohq/sayso/app/surface/notify/pushtest"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// channel is one way to be notified, as the test sees it.
type channel struct {
	id    string
	shown func(name string) bool // the notification of that ask is there
	gone  func() bool            // nothing is there; nil: what is there stays
	press func(name string)      // answers it there; nil: one cannot
	calm  time.Duration          // before the next ask: a chat takes a message a second, and edits count
}

// TestFigure_REACH measures the time from the hub's acknowledgement of an ask to the
// notification, on each channel alone, told at once; and from the press of a button to
// the agent that goes on.
func TestFigure_REACH(t *testing.T) {
	figures(t)
	for _, c := range []struct {
		name string
		set  func(*testing.T) (*home, channel)
	}{{"telegram", telegramOf}, {"slack", slackOf}, {"push", pushOf}, {"webhook", webhookOf}, {"ntfy", ntfyOf}, {"mail", mailOf}, {"desktop", desktopOf}, {"command", commandOf}} {
		t.Run(c.name, func(t *testing.T) {
			h, ch := c.set(t)
			measure(h, ch, 30)
		})
	}
}

func measure(h *home, ch channel, n int) {
	var told, resumed []time.Duration
	for i := range n {
		name := fmt.Sprintf("%s-%d", ch.id, i)
		ticket, err := h.client.Submit(h.Context(), question(name))
		if err != nil {
			h.Fatal(err)
		}
		acked := time.Now()
		told = append(told, h.until("the notification of "+name, func() bool { return ch.shown(name) }).Sub(acked))
		if ch.press == nil {
			if _, err := h.client.Withdraw(h.Context(), ticket.Handle, sayso.StatusCancelled, ""); err != nil {
				h.Fatal(err)
			}
			if ch.gone != nil {
				h.until("nothing is shown", ch.gone)
			}
			continue
		}
		done := make(chan time.Time, 1)
		go func() {
			if _, err := h.client.Await(h.Context(), ticket); err != nil {
				h.Error(err)
			}
			done <- time.Now()
		}()
		<-time.After(ch.calm / 3)
		pressed := time.Now()
		ch.press(name)
		resumed = append(resumed, (<-done).Sub(pressed))
		<-time.After(ch.calm)
	}
	report(h.T, "REACH-"+ch.id, told)
	report(h.T, "REACH-"+ch.id+"-press", resumed)
}

var atOnce = []string{"--after", "0s", "--detail", "text"}

func telegramOf(t *testing.T) (*home, channel) {
	s := telegramtest.New(t)
	h := newHome(t)
	link := h.run(append([]string{"notify", "add", "telegram", "--token-file", h.file("token", telegramtest.Token), "--api", s.URL()}, atOnce...)...)
	ann := s.User(42, "ann")
	start(h, ann, link)
	find := func(name string) (found telegramtest.Message, ok bool) {
		for _, m := range ann.FromBot() {
			if !m.Deleted && strings.Contains(m.Text, name+"?") && slices.Contains(m.Labels(), "2. SQLite") {
				found, ok = m, true
			}
		}
		return found, ok
	}
	return h, channel{id: "telegram", shown: func(name string) bool { _, ok := find(name); return ok }, press: func(name string) {
		m, _ := find(name)
		ann.Press(m.ID, "2. SQLite")
	}, calm: 3500 * time.Millisecond}
}

// start opens the link of the bot, and waits until the account is linked.
func start(h *home, u *telegramtest.User, link string) {
	h.Helper()
	at, err := url.Parse(link)
	if err != nil {
		h.Fatal(err)
	}
	before := len(u.FromBot())
	u.Start(at.Query().Get("start"))
	h.until("the account is linked", func() bool { return len(u.FromBot()) > before })
}

func slackOf(t *testing.T) (*home, channel) {
	s := slacktest.New(t)
	h := newHome(t)
	says := h.run(append([]string{"notify", "add", "slack", "--json", "--bot-token-file", h.file("bot", slacktest.BotToken), "--app-token-file", h.file("app", slacktest.AppToken), "--api", s.URL()}, atOnce...)...)
	const ann = "U0ANN"
	h.until("the hub is connected", func() bool { return s.Connections() > 0 })
	var added struct{ Code string }
	if err := json.Unmarshal([]byte(says), &added); err != nil || added.Code == "" {
		t.Fatal(says, err)
	}
	s.Slash(ann, added.Code)
	h.until("the account is linked", func() bool { return len(s.Told(ann)) > 0 || strings.Contains(h.run("notify", "list"), "slack-1") })

	find := func(name string) (found slacktest.Message, ok bool) {
		for _, m := range s.Messages(ann) {
			if !m.Deleted && strings.Contains(m.Shown, name+"?") && slices.ContainsFunc(m.Buttons, func(b slacktest.Button) bool { return b.Label == "2. SQLite" }) {
				found, ok = m, true
			}
		}
		return found, ok
	}
	return h, channel{id: "slack", shown: func(name string) bool { _, ok := find(name); return ok }, press: func(name string) {
		m, _ := find(name)
		s.Press(ann, m, "2. SQLite")
	}, calm: 3500 * time.Millisecond}
}

func pushOf(t *testing.T) (*home, channel) {
	s := pushtest.New(t)
	h := newHome(t, "--web", "127.0.0.1:0")
	at, err := url.Parse(h.run("web", "--no-open"))
	if err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	base := "http://" + at.Host
	browser.Transport = &http.Transport{DialContext: loopback}
	post := func(path string, form url.Values) {
		t.Helper()
		r, err := http.NewRequest("POST", base+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", base)
		resp, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode >= 400 {
			b, _ := io.ReadAll(resp.Body)
			t.Fatalf("%s: %s %s", path, resp.Status, b)
		}
	}
	post("/login", url.Values{"token": {at.Fragment}})
	resp, err := browser.Get(base + "/notifications")
	if err != nil {
		t.Fatal(err)
	}
	page, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	key := regexp.MustCompile(`data-notify="([^"]+)"`).FindSubmatch(page)
	if key == nil {
		t.Fatalf("the page has no key:\n%s", page)
	}
	b := s.Browser(string(key[1]))
	post("/notifications", url.Values{"do": {"subscribe"}, "subscription": {string(b.Subscription())}})
	h.run("notify", "set", "push-1", "--after", "0s", "--detail", "text")
	return h, channel{id: "push", shown: func(name string) bool {
		for _, n := range b.Shown() {
			if strings.Contains(n.Body, name+"?") {
				return true
			}
		}
		return false
	}}
}

func webhookOf(t *testing.T) (*home, channel) {
	var mu sync.Mutex
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, string(b))
	}))
	t.Cleanup(s.Close)
	h := newHome(t)
	h.run("notify", "add", "webhook", s.URL+"/hook")
	seen := 0
	return h, channel{id: "webhook", shown: func(string) bool {
		mu.Lock()
		defer mu.Unlock()
		for ; seen < len(got); seen++ {
			var e struct{ Type string }
			if json.Unmarshal([]byte(got[seen]), &e) == nil && e.Type == "ask.waiting" {
				seen++
				return true
			}
		}
		return false
	}}
}

func ntfyOf(t *testing.T) (*home, channel) {
	s := ntfytest.New(t)
	h := newHome(t)
	h.run(append([]string{"notify", "add", "ntfy", s.URL() + "/asks"}, atOnce...)...)
	return h, channel{id: "ntfy", shown: func(name string) bool {
		return slices.ContainsFunc(s.Published("asks"), func(m ntfytest.Message) bool { return strings.Contains(m.Message, name+"?") })
	}}
}

func commandOf(t *testing.T) (*home, channel) {
	out := filepath.Join(t.TempDir(), "out")
	t.Setenv("SAYSO_NOTIFY_COMMAND", "cat >>"+out)
	h := newHome(t)
	h.run(append([]string{"notify", "add", "command"}, atOnce...)...)
	return h, channel{id: "command", shown: func(name string) bool {
		b, _ := os.ReadFile(out)
		return strings.Contains(string(b), name+"?")
	}}
}
