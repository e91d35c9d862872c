package slack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
)

// TestHostile puts hostile texts through the channel: no mention, no markup, no link.
func TestHostile(t *testing.T) {
	s := slacktest.New(t)
	var markup []string
	calls := 0
	contact := *ann()
	contact.Tenant, contact.Assurance = "home", sayso.AssuranceKey
	notifytest.Run(t, &notifytest.Target{
		Channel: slack.New(options(s)), Contact: contact, Clear: s.Clear,
		Seen: func() notifytest.View {
			var v notifytest.View
			markup = nil
			for _, m := range s.Messages(slacktest.Ann) {
				v.Lock = append(v.Lock, m.Text)
				v.Unlocked = append(v.Unlocked, m.Shown)
				v.Buttons = len(m.Buttons)
				for _, b := range m.Buttons {
					v.Unlocked = append(v.Unlocked, b.Label)
					if b.URL != "" {
						v.Links = append(v.Links, b.URL)
					}
				}
				markup = append(markup, m.Markup...)
			}
			all := s.Calls("")
			for _, c := range all[calls:] {
				v.Wire = append(v.Wire, strings.Join(texts(t, []byte(c.Body)), "\n")...)
			}
			calls = len(all)
			return v
		},
		Active: func(notifytest.View) []string { return markup },
	})
}

// texts are all strings in a JSON text.
func texts(t *testing.T, data []byte) (all []string) {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(string); ok {
			all = append(all, s)
		}
	}
}

// TestFormIsPlain shows the question in the form for own words as plain text, too.
func TestFormIsPlain(t *testing.T) {
	s, d := slacktest.New(t), newDesk()
	c := slack.New(options(s))
	listen(t, s, c, d) // the server says what is wrong with a form
	s.Press(slacktest.Ann, shown(t, s, c), "Own words").Wait()
	if v := s.View(slacktest.Ann); v == nil || !strings.Contains(v.Shown, "Which <database>") {
		t.Errorf("the form is %+v", v)
	}
}

// TestSecrets has Slack, and a server that means harm, fail in every way: no token and
// no address of a connection is in an error or a log.
func TestSecrets(t *testing.T) {
	secrets := []string{slacktest.BotToken, slacktest.AppToken, "ticket-secret", "Bearer"}
	var logged bytes.Buffer
	look := func(t *testing.T, what string) {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(what, secret) {
				t.Errorf("%q is in %q", secret, what)
			}
		}
	}
	echo := map[string]http.HandlerFunc{
		"echoes": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error":%q,"needed":%[1]q}`, r.Header.Get("Authorization"))
		},
		"echoes the token": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error":%q}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		},
		"nonsense": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Authorization")) },
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere?"+r.Header.Get("Authorization"), http.StatusFound)
		},
		"status": func(w http.ResponseWriter, r *http.Request) { http.Error(w, r.Header.Get("Authorization"), 500) },
		"dies":   func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
		"bad socket": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":true,"team_id":"T0WORK","url":"ws://127.0.0.1:1/link/?ticket=ticket-secret"}`)
		},
		"refused socket": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":true,"team_id":"T0WORK","url":"ws://%s/link/?ticket=ticket-secret"}`, r.Host)
		},
		"no socket": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":true,"team_id":"T0WORK","url":"https://evil.example/?ticket=ticket-secret"}`)
		},
	}
	for name, handle := range echo {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(handle)
			defer srv.Close()
			o := &slack.Options{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, API: srv.URL, Log: slog.New(slog.NewTextHandler(&logged, nil))}
			c := slack.New(o)
			_, err := c.Put(t.Context(), ann(), question(), "D0ANN 1.1")
			if err == nil && !strings.Contains(name, "socket") {
				t.Error("no error")
			}
			look(t, fmt.Sprint(err))
			_, _, err = slack.Check(t.Context(), o)
			look(t, fmt.Sprint(err))
			look(t, fmt.Sprint(c.Once(t.Context(), newDesk())))
		})
	}
	o := &slack.Options{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, API: "http://" + slacktest.BotToken + "\x7f"}
	_, _, err := slack.Check(t.Context(), o)
	look(t, fmt.Sprint(err))
	look(t, logged.String())
}

// TestSafeDefault follows no redirect, which would hand the token to another server.
func TestSafeDefault(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	_, err := slack.New(&slack.Options{BotToken: "xoxb-x", API: srv.URL}).Put(t.Context(), ann(), question(), "")
	if err == nil || asked {
		t.Errorf("%v; the other server was asked: %v", err, asked)
	}
}

var _ notify.Replier = (*slack.Channel)(nil)
