package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/web"
	language "github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/hub"
)

// screen is a channel that keeps what it was given to show.
type screen struct {
	mu    sync.Mutex
	fails error
	shown map[string]string // by contact and key
}

func (s *screen) Put(_ context.Context, to *notify.Contact, n *notify.Note, _ string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return "", s.fails
	}
	if n.Over {
		delete(s.shown, to.ID+n.Key)
		return "", nil
	}
	s.shown[to.ID+n.Key] = n.Title
	return n.Key, nil
}

func (s *screen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.shown)
}

func (s *screen) PublicKey() string { return "BKEY" }

func (s *screen) Address(b []byte, origin, agent string) (json.RawMessage, error) {
	if !strings.HasPrefix(string(b), "{") {
		return nil, errors.New("no subscription")
	}
	return json.Marshal(map[string]string{"sub": string(b), "origin": origin, "agent": agent})
}

// told is a site with the real notifier behind it.
type told struct {
	*world
	*screen
	n *notify.Notifier
}

func newTold(t *testing.T) *told {
	t.Helper()
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	s := &screen{shown: map[string]string{}}
	n := notify.Start(h, store, &notify.Options{Node: "n1", Alone: true, Wait: -1, Channels: map[notify.Kind]notify.Channel{notify.Push: s, notify.Telegram: s}})
	t.Cleanup(n.Close)
	w := &world{t: t, hub: h, sessions: auth.NewSessions(store, nil)}
	t.Cleanup(w.sessions.Close)
	w.site = web.New(h, w.sessions, &web.Options{Notify: n, Push: s, Accounts: func() []web.Account {
		return []web.Account{{Kind: notify.Telegram, Name: "Telegram", Do: func(*language.Catalogue) string { return "Send it this:" }, Text: func(c string) string { return "/start " + c }, Link: func(c string) string { return "https://t.me/bot?start=" + c }}}
	}})
	w.http = httptest.NewServer(w.site)
	t.Cleanup(w.http.Close)
	w.c = w.login("ann")
	return &told{w, s, n}
}

// do sends a form of the page.
func (w *told) form(pairs ...string) reply {
	w.t.Helper()
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return w.post(w.c, "/notifications", v)
}

func (w *told) contacts() []notify.Contact {
	w.t.Helper()
	all, err := w.n.Contacts(w.t.Context(), "local", "ann")
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *told) until(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("never: %s", what)
		}
	}
}

// TestSubscribe: a browser becomes a device, once, and again with another subscription;
// it is told; and it ends with its session.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	if r := w.form("do", "subscribe", "subscription", "x"); r.code != 422 || len(w.contacts()) != 0 {
		t.Errorf("no subscription: %d", r.code)
	}
	for _, sub := range []string{`{"a":1}`, `{"a":1}`, `{"a":2}`} {
		if r := w.form("do", "subscribe", "subscription", sub); r.code != 303 {
			t.Fatalf("%d %s", r.code, r.body)
		}
	}
	all := w.contacts()
	if len(all) != 1 || all[0].Kind != notify.Push || all[0].Detail != notify.DetailSender || all[0].Session == "" || !strings.Contains(string(all[0].Address), `{\"a\":2}`) {
		t.Fatalf("contacts: %+v", all)
	}
	if at := "\"origin\":\"" + w.http.URL; !strings.Contains(string(all[0].Address), at) {
		t.Errorf("the address has no %s: %s", at, all[0].Address)
	}
	page := w.get(w.c, "/notifications").body
	for _, want := range []string{"This device gets notifications.", "this device</span>", `data-notify="BKEY"`, "/assets/push.js", "Send a test"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if !strings.Contains(w.get(w.c, "/").body, "/assets/push.js") {
		t.Error("a device does not look after its subscription at each visit")
	}
	a := threeQuestions()
	a.To = []string{"ann"}
	w.ask(a)
	w.until("the device is told", func() bool { return w.count() == 1 })
	if r := w.post(w.c, "/logout", nil); r.code != 303 {
		t.Fatal(r.code)
	}
	w.until("nothing is left on a device that is signed out", func() bool { return w.count() == 0 && len(w.contacts()) == 0 })
	w.c = w.login("ann")
	if strings.Contains(w.get(w.c, "/").body, "/assets/push.js") {
		t.Error("a device that gets no notifications loads their script")
	}
}

// TestEndedSession: ending the session of a lost phone ends its notifications.
func TestEndedSession(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"one", "all others"} {
		w := newTold(t)
		w.form("do", "subscribe", "subscription", "{}")
		lost := w.contacts()[0].Session
		w.c = w.login("ann")
		w.form("do", "subscribe", "subscription", `{"here":1}`)
		if end == "one" {
			end = lost
		}
		if r := w.post(w.c, "/sessions", url.Values{"end": {end}}); r.code != 303 {
			t.Fatal(r.code, r.body)
		}
		if all := w.contacts(); len(all) != 1 || all[0].Session == lost {
			t.Errorf("%s: %+v", end, all)
		}
	}
}

// TestDevices changes, tests, confirms and removes a device.
func TestDevices(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.form("do", "subscribe", "subscription", "{}")
	id := w.contacts()[0].ID
	if c := w.contacts()[0]; c.After != 0 {
		t.Fatalf("a new device is told after %v", c.After)
	}
	if body := w.get(w.c, "/notifications").body; !strings.Contains(body, `<option value="-1" selected>at once</option>`) || strings.Contains(body, "after 0") {
		t.Error("the page does not say that a new device is notified at once")
	}
	if r := w.form("do", "change", "id", id, "detail", "2", "after", "-1"); r.code != 303 {
		t.Fatal(r.code, r.body)
	}
	if c := w.contacts()[0]; c.Detail != notify.DetailText || c.After >= 0 {
		t.Errorf("changed to %+v", c)
	}
	for _, bad := range [][]string{{"detail", "3", "after", "20"}, {"detail", "-1", "after", "20"}, {"detail", "1", "after", "99999999"}, {"detail", "1", "after", "x"}} {
		if r := w.form(append([]string{"do", "change", "id", id}, bad...)...); r.code != 422 {
			t.Errorf("%v: %d", bad, r.code)
		}
	}
	if r := w.form("do", "test", "id", id); r.code != 200 || !strings.Contains(r.body, "Did it arrive?") {
		t.Errorf("%d %s", r.code, r.body)
	}
	if r := w.form("do", "confirm", "id", id); r.code != 303 || w.contacts()[0].Confirmed.IsZero() {
		t.Error(r.code)
	}
	if !strings.Contains(w.get(w.c, "/notifications").body, "Works. You last saw a notification there just now.") {
		t.Error("a device that works does not say so")
	}
	w.mu.Lock()
	w.fails = errors.New("<b>no route</b>")
	w.mu.Unlock()
	if r := w.form("do", "test", "id", id); r.code != 200 || !strings.Contains(r.body, "did not get through") || strings.Contains(r.body, "<b>no route") {
		t.Errorf("%d %s", r.code, r.body)
	}
	w.until("the inbox says that it fails", func() bool { return strings.Contains(w.get(w.c, "/").body, "Notifications do not get through to") })
	if r := w.form("do", "remove", "id", id); r.code != 303 || len(w.contacts()) != 0 {
		t.Error(r.code)
	}
	if r := w.form("do", "remove", "id", id); r.code != 404 && r.code != 303 {
		t.Error(r.code)
	}
	if r := w.form("do", "sing"); r.code != 422 {
		t.Error(r.code)
	}
}

// TestWishes: quiet hours, mutes and agents.
func TestWishes(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	prefs := func() *notify.Prefs {
		p, err := w.n.Prefs(t.Context(), "local", "ann")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if r := w.form("do", "quiet", "quiet", "on", "from", "22:00", "to", "07:00", "zone", "Europe/Berlin", "deadlines", "on"); r.code != 303 {
		t.Fatal(r.code, r.body)
	}
	if q := prefs().Quiet; q == nil || *q != (notify.Quiet{From: "22:00", To: "07:00", Zone: "Europe/Berlin", Deadlines: true}) {
		t.Errorf("quiet: %+v", q)
	}
	for _, bad := range [][]string{{"from", "22:00", "to", "22:00", "zone", "UTC"}, {"from", "x", "to", "07:00", "zone", "UTC"}, {"from", "22:00", "to", "07:00", "zone", "Nowhere/None"}} {
		if r := w.form(append([]string{"do", "quiet", "quiet", "on"}, bad...)...); r.code != 422 || !strings.Contains(r.body, "Nothing was changed") {
			t.Errorf("%v: %d", bad, r.code)
		}
	}
	w.form("do", "quiet")
	if prefs().Quiet != nil {
		t.Error("quiet hours cannot be turned off")
	}
	w.form("do", "mute", "for", "hour")
	if d := time.Until(prefs().Until); d < 59*time.Minute || d > time.Hour {
		t.Errorf("muted for %v", d)
	}
	w.form("do", "mute", "for", "tomorrow", "zone", "Pacific/Auckland")
	zone, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	if u := prefs().Until.In(zone); u.Hour() != 8 || u.Day() != time.Now().In(zone).AddDate(0, 0, 1).Day() {
		t.Errorf("muted until %v", u)
	}
	if !strings.Contains(w.get(w.c, "/notifications").body, "Everything is muted until") {
		t.Error("the page does not say that everything is muted")
	}
	w.form("do", "unmute")
	w.form("do", "mute-agent", "agent", "codex")
	w.form("do", "mute-agent", "agent", "codex")
	if p := prefs(); !p.Until.IsZero() || len(p.Mutes) != 1 || p.Mutes[0].Agent != "codex" {
		t.Errorf("%+v", p)
	}
	w.form("do", "unmute-agent", "agent", "codex")
	w.form("do", "shared", "shared", "on")
	if p := prefs(); len(p.Mutes) != 0 || !p.Shared {
		t.Errorf("%+v", p)
	}
	for _, bad := range [][]string{{"do", "mute-agent"}, {"do", "mute", "for", "ever"}, {"do", "mute", "for", "tomorrow", "zone", "x/y"}} {
		if r := w.form(bad...); r.code != 422 {
			t.Errorf("%v: %d", bad, r.code)
		}
	}
}

// TestLinkAccount shows a code that is good once.
func TestLinkAccount(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	a, b := w.form("do", "link", "kind", "telegram"), w.form("do", "link", "kind", "telegram")
	if a.code != 200 || !strings.Contains(a.body, "/start ") || !strings.Contains(a.body, "https://t.me/bot?start=") || a.body == b.body {
		t.Errorf("%d %s", a.code, a.body)
	}
	if r := w.form("do", "link", "kind", "slack"); r.code != 422 {
		t.Errorf("a service that is not set up: %d", r.code)
	}
}

// TestNotificationsGuard: the page is as closed as the others.
func TestNotificationsGuard(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	ticket, page := w.ask(threeQuestions())
	stranger := client(nil)
	if r := w.get(stranger, "/notifications"); r.code != 303 {
		t.Error(r.code)
	}
	for _, path := range []string{"/notifications", page + "/attend"} {
		if r := w.post(stranger, path, url.Values{"do": {"mute"}, "for": {"hour"}}); r.code != 401 {
			t.Errorf("POST %s without a session: %d", path, r.code)
		}
		r, err := http.NewRequest("POST", w.http.URL+path, strings.NewReader("do=mute&for=hour"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if got := w.do(w.c, r); got.code != 403 {
			t.Errorf("POST %s from another site: %d", path, got.code)
		}
	}
	w.form("do", "subscribe", "subscription", "{}")
	bob := w.login("bob")
	for _, do := range []string{"remove", "test", "confirm", "change"} {
		w.post(bob, "/notifications", url.Values{"do": {do}, "id": {w.contacts()[0].ID}, "detail": {"2"}, "after": {"-1"}})
	}
	if all := w.contacts(); len(all) != 1 || all[0].Detail != notify.DetailSender || !all[0].Confirmed.IsZero() {
		t.Errorf("bob has changed ann's device: %+v", all)
	}
	if w.outcome(ticket) != nil {
		t.Error("the ask is closed")
	}
	plain := newWorld(t)
	if r := plain.get(plain.c, "/notifications"); r.code != 404 || strings.Contains(plain.get(plain.c, "/").body, "/notifications") {
		t.Errorf("a site without notifications: %d", r.code)
	}
}

// TestAttend: presence is told of open asks that are the person's.
func TestAttend(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	_, page := w.ask(threeQuestions())
	if r := w.post(w.c, page+"/attend", nil); r.code != 204 {
		t.Error(r.code)
	}
	a := threeQuestions()
	a.To = []string{"bob"}
	_, other := w.ask(a)
	if r := w.post(w.c, other+"/attend", nil); r.code != 404 {
		t.Error(r.code)
	}
}

// TestPick: the option of a button is selected and said so; nothing is sent, and
// nothing else can be selected by an address.
func TestPick(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := func() *sayso.Ask {
		return &sayso.Ask{Questions: []sayso.Question{{Text: "Which database?", Options: []sayso.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "rm", Label: "Drop it", Danger: true}, {ID: "x\"><b>", Label: "<b>bold</b>"}}}}}
	}
	multi := one()
	multi.Questions[0].Multi = true
	weak := one()
	weak.MinAssurance = sayso.AssuranceLogin
	for _, tt := range []struct {
		name   string
		ask    *sayso.Ask
		pick   string
		chosen string
	}{
		{"an option", one(), "pg", "option:pg"},
		{"a dangerous option", one(), "rm", ""},
		{"a hostile option", one(), `x"><b>`, `option:x"><b>`},
		{"none", one(), "", ""},
		{"an option that is not there", one(), "nope", ""},
		{"own words", one(), "own", ""},
		{"several options", multi, "pg", ""},
		{"several questions", threeQuestions(), "o1", ""},
		{"too weak a sign-in", weak, "pg", ""},
	} {
		ticket, page := w.ask(tt.ask)
		b := w.browse("ann")
		b.open(page + "?pick=" + url.QueryEscape(tt.pick))
		if got := b.value("q0"); got != tt.chosen {
			t.Errorf("%s: %q is selected", tt.name, got)
		}
		if said := find(b.doc, byID("picked")) != nil; said != (tt.chosen != "") {
			t.Errorf("%s: the page says that something is selected: %v", tt.name, said)
		}
		if w.outcome(ticket) != nil {
			t.Errorf("%s: something was sent", tt.name)
		}
	}
}

// TestPickKeepsWords: what the person typed before stays in the form.
func TestPickKeepsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Which database?", Options: []sayso.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite"}}}}})
	if r := w.post(w.c, page, form(ticket.Digest, "q0", "own", "t0", "half a sentence", "do", "save")); r.code != 200 {
		t.Fatal(r.code)
	}
	b := w.browse("ann")
	b.open(page + "?pick=lite")
	if b.value("q0") != "option:lite" || b.value("t0") != "half a sentence" {
		t.Errorf("%q %q", b.value("q0"), b.value("t0"))
	}
}

// TestIcons: what an iPhone needs to install the page.
func TestIcons(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var m struct {
		ID, Name, Display string
		Start             string `json:"start_url"`
		Icons             []struct{ Src, Sizes, Type string }
	}
	if err := json.Unmarshal([]byte(w.get(w.c, "/manifest.webmanifest").body), &m); err != nil || m.ID == "" || m.Name == "" || m.Start != "/" || m.Display != "standalone" {
		t.Fatalf("%v %+v", err, m)
	}
	var png []string
	for _, i := range m.Icons {
		if i.Type == "image/png" {
			png = append(png, i.Src)
		}
	}
	for _, path := range append(png, "/assets/apple-touch-icon.png") {
		if r := w.get(w.c, path); r.code != 200 || r.header.Get("Content-Type") != "image/png" || len(r.body) > 8<<10 {
			t.Errorf("%s: %d %s %d bytes", path, r.code, r.header.Get("Content-Type"), len(r.body))
		}
	}
	if len(png) != 2 || !strings.Contains(w.get(w.c, "/login").body, `rel="apple-touch-icon"`) {
		t.Error("an icon is missing")
	}
}
