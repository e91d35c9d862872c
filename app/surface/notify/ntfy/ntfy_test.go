package ntfy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
	"github.com/saysohq/sayso/app/surface/notify/ntfytest"
	"github.com/saysohq/sayso/hub"
)

var inside = []string{"127.0.0.1"}

func channel(t testing.TB) *Channel {
	c := New(&Options{
		Client: outbound.Client(&outbound.Options{Allow: inside}), Stream: outbound.Client(&outbound.Options{Allow: inside, Stream: true}),
		Ready: time.Minute,
	})
	t.Cleanup(c.opts.Client.CloseIdleConnections)
	return c
}

func contact(t testing.TB, a *Address) *notify.Contact {
	t.Helper()
	c := &notify.Contact{Tenant: "local", ID: "ntfy-1", Detail: notify.DetailText}
	if err := a.Fill(c); err != nil {
		t.Fatal(err)
	}
	return c
}

func ticket() *hub.Ticket {
	a := &sayso.Ask{ID: "a", Origin: sayso.Origin{Host: "claude-code"}, Questions: []sayso.Question{{Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL, or; so"}, {Label: "SQLite"}}}}}
	a.Normalize()
	return &hub.Ticket{Address: hub.Address{Tenant: "local", ID: "a"}, Ask: a, Digest: a.Digest(), Revision: 1}
}

func note(c *Channel, to *notify.Contact, change func(*notify.Matter)) *notify.Note {
	m := &notify.Matter{Key: "k1", Token: "tokentoken", Alert: true, Asks: []*hub.Ticket{ticket()}, Inbox: "https://hub.example/", URL: "https://hub.example/ask/a", Now: time.Now()}
	if change != nil {
		change(m)
	}
	return notify.Compose(to, c.Limits(), m)
}

func closed(m *notify.Matter) {
	m.Asks[0].Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Surface: "web"}}
}

func TestPut(t *testing.T) {
	s := ntfytest.New(t)
	c := channel(t)
	to := contact(t, &Address{Server: s.URL(), Topic: "ask"})
	put := func(n *notify.Note, where string) string {
		t.Helper()
		where, err := c.Put(t.Context(), to, n, where)
		if err != nil {
			t.Fatal(err)
		}
		return where
	}
	where := put(note(c, to, nil), "")
	shown := s.Shown("ask")
	if len(shown) != 1 || shown[0].Title != "claude-code asks" || !strings.Contains(shown[0].Message, "PostgreSQL, or; so") || shown[0].Click != "https://hub.example/ask/a" || shown[0].Priority != 3 {
		t.Fatalf("%+v", shown)
	}
	if a := shown[0].Actions; len(a) != 1 || a[0].Action != "view" || a[0].Label != "Open in the inbox" {
		t.Errorf("without a topic for answers: %+v", a)
	}
	where = put(note(c, to, func(m *notify.Matter) { m.Round = 1 }), where)
	if shown := s.Shown("ask"); len(shown) != 1 || shown[0].Priority != 3 {
		t.Errorf("a reminder is a second message: %+v", shown)
	}
	where = put(note(c, to, func(m *notify.Matter) { m.Alert = false }), where)
	if shown := s.Shown("ask"); len(shown) != 1 || shown[0].Priority != 2 {
		t.Errorf("a change makes a sound: %+v", shown)
	}
	if where := put(note(c, to, closed), where); where != "" || len(s.Shown("ask")) != 0 {
		t.Errorf("it is over: %q, %+v", where, s.Shown("ask"))
	}
	if put(note(c, to, closed), "") != "" || len(s.Shown("ask")) != 0 {
		t.Error("what was never shown is shown when it is over")
	}

	to.Detail = notify.DetailSender
	put(note(c, to, nil), "")
	if m := s.Shown("ask")[0]; m.Message != "A question waits for you." || len(m.Actions) != 1 || m.Actions[0].Action != "view" {
		t.Errorf("who asks only: %+v", m)
	}
}

func TestOldServer(t *testing.T) {
	s := ntfytest.New(t)
	s.Old()
	c := channel(t)
	to := contact(t, &Address{Server: s.URL(), Topic: "ask"})
	where, err := c.Put(t.Context(), to, note(c, to, nil), "")
	if err != nil {
		t.Fatal(err)
	}
	if where, err = c.Put(t.Context(), to, note(c, to, closed), where); where != "" || err != nil {
		t.Errorf("%q, %v", where, err)
	}
}

func TestRefused(t *testing.T) {
	s := ntfytest.New(t)
	c := channel(t)
	to := contact(t, &Address{Server: s.URL(), Topic: "secrettopic", Token: "tk_secret"})
	s.Allow("tk_secret", "secrettopic", "w")
	tests := []struct {
		status int
		after  string
		want   time.Duration
		never  bool
		says   string
	}{
		{400, "", 0, true, "400"}, {413, "", 0, true, "413"},
		{401, "", 0, false, "token"}, {403, "", 0, false, "access control"}, {404, "", 0, false, "404"},
		{429, "30", 30 * time.Second, false, "429"}, {500, "", 0, false, "500"}, {503, "999999", 24 * time.Hour, false, "503"}, {307, "", 0, false, "307"},
	}
	for _, tt := range tests {
		s.Fail(tt.status, tt.after)
		where, err := c.Put(t.Context(), to, note(c, to, nil), "old")
		var retry *notify.RetryError
		if !errors.As(err, &retry) || retry.After != tt.want || retry.Never != tt.never || !strings.Contains(err.Error(), tt.says) || where != "old" {
			t.Errorf("%d: %q, %+v", tt.status, where, err)
		}
		if err != nil && (strings.Contains(err.Error(), "tk_secret") || strings.Contains(err.Error(), "secrettopic")) {
			t.Errorf("a secret is in the error: %v", err)
		}
	}
	s.Deny()
	s.Allow("tk_secret", "secrettopic", "r")
	if _, err := c.Put(t.Context(), to, note(c, to, nil), ""); err == nil || !strings.Contains(err.Error(), "403") {
		t.Error(err)
	}
	if _, err := New(nil).Put(t.Context(), to, note(c, to, nil), ""); !errors.Is(err, outbound.ErrRefused) {
		t.Errorf("this machine is reached: %v", err)
	}
	for _, raw := range []string{``, `{}`, `[]`} {
		var retry *notify.RetryError
		if _, err := c.Put(t.Context(), &notify.Contact{Address: json.RawMessage(raw)}, note(c, to, nil), ""); !errors.As(err, &retry) || !retry.Never {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestAddress(t *testing.T) {
	for _, bad := range []string{"", "ntfy.sh", "https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a/b", "https://ntfy.sh/a?x=1", "https://ntfy.sh/a b", "https://ntfy.sh/" + strings.Repeat("x", 65), "https://ntfy.sh/a#b"} {
		if _, err := ParseURL(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	a, err := ParseURL("https://NTFY.example.com/my-topic_1")
	if err != nil || a.Server != "https://ntfy.example.com" || a.Topic != "my-topic_1" || a.Check(nil) != nil || a.Public() || a.Detail() != notify.DetailSender {
		t.Errorf("%+v, %v", a, err)
	}
	if sh := (&Address{Server: "https://ntfy.sh", Topic: "x"}); !sh.Public() || sh.Detail() != notify.DetailCount {
		t.Error("ntfy.sh is not public")
	}
	for name, bad := range map[string]Address{
		"in clear":                 {Server: "http://ntfy.example.com", Topic: "x"},
		"inside":                   {Server: "https://127.0.0.1", Topic: "x"},
		"a path":                   {Server: "https://ntfy.example.com/x", Topic: "x"},
		"no topic":                 {Server: "https://ntfy.example.com"},
		"a line end in the token":  {Server: "https://ntfy.example.com", Topic: "x", Token: "tk\r\nX: y"},
		"answers without token":    {Server: "https://ntfy.example.com", Topic: "x", Answers: "y"},
		"answers to the same":      {Server: "https://ntfy.example.com", Topic: "x", Token: "tk", Answers: "x"},
		"answers at ntfy.sh":       {Server: "https://ntfy.sh", Topic: "x", Token: "tk", Answers: "y"},
		"answers with a bad topic": {Server: "https://ntfy.example.com", Topic: "x", Token: "tk", Answers: "y/z"},
	} {
		if bad.Check(nil) == nil {
			t.Errorf("%s: taken", name)
		}
	}
	good := &Address{Server: "https://ntfy.example.com", Topic: "x", Token: "tk", Answers: "y"}
	c := contact(t, good)
	if good.Check(nil) != nil || c.Account != "https://ntfy.example.com/x y" || c.Assurance != sayso.AssuranceKey || strings.Contains(c.Account+c.Name, "tk") {
		t.Errorf("%+v", c)
	}
	if c := contact(t, &Address{Server: "https://ntfy.sh", Topic: "x"}); c.Account != "" || c.Assurance != sayso.AssuranceLocal {
		t.Errorf("%+v", c)
	}
}

func TestHostile(t *testing.T) {
	for _, answers := range []string{"", "back"} {
		t.Run(fmt.Sprintf("answers to %q", answers), func(t *testing.T) {
			s := ntfytest.New(t)
			s.Allow("tk", "ask", "w")
			c := channel(t)
			if answers != "" {
				runReplies(t, c, newDesk())
			}
			to := contact(t, &Address{Server: s.URL(), Topic: "ask", Token: "tk", Answers: answers})
			notifytest.Run(t, &notifytest.Target{
				Channel: c, Contact: *to, Sealed: true,
				Seen: func() notifytest.View {
					v := notifytest.View{Wire: []byte(s.Wire())}
					for _, m := range s.Shown("ask") {
						v.Lock = append(v.Lock, m.Title, m.Message)
						v.Unlocked = append(v.Unlocked, m.Title, m.Message)
						v.Buttons = len(m.Actions)
						v.Links = append(v.Links, m.Click)
						for _, a := range m.Actions {
							v.Unlocked = append(v.Unlocked, a.Label)
							v.Lock = append(v.Lock, a.Label)
							if a.Action == "view" {
								v.Links = append(v.Links, a.URL)
							} else if a.URL != s.URL()+"/back" {
								t.Errorf("a button posts to %s", a.URL)
							}
						}
					}
					return v
				},
			})
		})
	}
}
