package telegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegram"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// bubble is a server, a channel that polls it and a person, in a bubble.
func bubble(t *testing.T, linked bool, fn func(s *telegramtest.Server, d *desk, ann *telegramtest.User)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, d := telegramtest.New(t), newDesk()
		ann := s.User(42, "ann")
		if linked {
			d.link("42")
		}
		c := channel(s)
		if linked {
			ann.Start("")
			if _, err := c.Put(t.Context(), contact(42), shown(), ""); err != nil {
				t.Fatal(err)
			}
		}
		run(t, c, d)
		settle()
		d.forget(0)
		fn(s, d, ann)
	})
}

// settle lets everything happen that happens soon.
func settle() { <-time.After(40 * time.Second) }

func TestReplies(t *testing.T) {
	private := map[string]any{"id": 42, "type": "private"}
	ann := map[string]any{"id": 42, "is_bot": false, "first_name": "Ann"}
	for _, c := range []struct {
		name string
		do   func(s *telegramtest.Server, u *telegramtest.User)
		want []string // what the desk was told
		said string   // the last message, if it changed
		told string   // the last toast
	}{
		{"a press", func(_ *telegramtest.Server, u *telegramtest.User) { u.Press(u.FromBot()[0].ID, "1. SQLite") }, []string{`press 42 "tok.0"`}, "", "Sent."},
		{"modified data", func(_ *telegramtest.Server, u *telegramtest.User) { u.PressData(1, "\x00'; drop") }, []string{`press 42 "\x00'; drop"`}, "", "Sent."},
		{"own words", func(_ *telegramtest.Server, u *telegramtest.User) { u.Press(u.FromBot()[0].ID, "Own words…") },
			[]string{`press 42 "tok.w"`, `prompted 42 tok 42.14`}, "Reply to this message with your answer.", "Write your answer."},
		{"a reply", func(_ *telegramtest.Server, u *telegramtest.User) { u.Reply(u.FromBot()[0].ID, " two  spaces ") },
			[]string{`say 42 {Token: Where:42.12} " two  spaces "`}, "Sent.", ""},
		{"a reply that begins with a slash", func(_ *telegramtest.Server, u *telegramtest.User) { u.Reply(u.FromBot()[0].ID, "/usr/bin") },
			[]string{`say 42 {Token: Where:42.12} "/usr/bin"`}, "Sent.", ""},
		{"a text", func(_ *telegramtest.Server, u *telegramtest.User) { u.Send("DuckDB") }, []string{`say 42 {Token: Where:} "DuckDB"`}, "Sent.", ""},
		{"a command", func(_ *telegramtest.Server, u *telegramtest.User) { u.Send("/yes") }, nil, "Not sent: a text that begins with / is a command in Telegram. To answer with it, reply to the question.", ""},
		{"a code", func(_ *telegramtest.Server, u *telegramtest.User) { u.Start("good") }, []string{`link "good" telegram "Telegram @ann" 42 {"chat":42} 1`}, "Linked.", ""},
		{"no code", func(_ *telegramtest.Server, u *telegramtest.User) { u.Start("") }, []string{`link "" telegram "Telegram @ann" 42 {"chat":42} 1`}, "This code is not valid.", ""},
		{"a picture", func(_ *telegramtest.Server, u *telegramtest.User) {
			u.SendWith("", map[string]any{"photo": []any{}, "caption": "yes"})
		}, nil, "Not sent: only text that you write here can be an answer.", ""},
		{"a forwarded text", func(_ *telegramtest.Server, u *telegramtest.User) {
			u.SendWith("yes", map[string]any{"forward_origin": map[string]any{"type": "hidden_user"}})
		}, nil, "Not sent: only text that you write here can be an answer.", ""},
		{"a reply to another chat", func(_ *telegramtest.Server, u *telegramtest.User) {
			u.SendWith("yes", map[string]any{"external_reply": map[string]any{}})
		}, nil, "Not sent: only text that you write here can be an answer.", ""},
		{"a text that may have been split", func(_ *telegramtest.Server, u *telegramtest.User) { u.Send(strings.Repeat("𝒻", 2000)) }, nil,
			"Not sent: Telegram splits texts as long as this one, so a part of it could be missing. Answer in the inbox instead.", ""},
		{"a bot", raw(map[string]any{"message": map[string]any{"message_id": 7, "chat": private, "from": map[string]any{"id": 42, "is_bot": true}, "text": "yes"}}), nil, "", ""},
		{"a group", raw(map[string]any{"message": map[string]any{"message_id": 7, "chat": map[string]any{"id": -5, "type": "group"}, "from": ann, "text": "yes"}}), nil, "", ""},
		{"a press in a group", raw(map[string]any{"callback_query": map[string]any{"id": "1", "from": ann, "data": "tok.0", "message": map[string]any{"message_id": 7, "chat": map[string]any{"id": -5, "type": "supergroup"}}}}), nil, "", ""},
		{"a press on an inline message", raw(map[string]any{"callback_query": map[string]any{"id": "1", "from": ann, "data": "tok.0", "inline_message_id": "x"}}), nil, "", ""},
		{"a press by another one in that chat", raw(map[string]any{"callback_query": map[string]any{"id": "1", "from": map[string]any{"id": 43}, "data": "tok.0", "message": map[string]any{"message_id": 7, "chat": private}}}), nil, "", ""},
		{"a message of a channel", raw(map[string]any{"message": map[string]any{"message_id": 7, "chat": private, "text": "yes"}}), nil, "", ""},
		{"another kind of update", raw(map[string]any{"poll": map[string]any{}}), nil, "", ""},
		{"another form", raw(map[string]any{"message": "what", "callback_query": 7}), nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, true, func(s *telegramtest.Server, d *desk, u *telegramtest.User) {
				before := len(u.FromBot())
				c.do(s, u)
				settle()
				if got := d.without(); !slices.Equal(got, c.want) {
					t.Errorf("the desk was told %q, want %q", got, c.want)
				}
				if s.Pending() != 0 {
					t.Errorf("%d updates are not confirmed", s.Pending())
				}
				said, told := u.Last().Text, ""
				if len(u.FromBot()) == before {
					said = ""
				}
				if all := u.Toasts(); len(all) > 0 {
					told = all[len(all)-1].Text
				}
				if said != c.said || told != c.told {
					t.Errorf("said %q and told %q, want %q and %q", said, told, c.said, c.told)
				}
				if r := s.Refusals(); r != nil {
					t.Errorf("refused: %q", r)
				}
			})
		})
	}
}

func raw(fields map[string]any) func(*telegramtest.Server, *telegramtest.User) {
	return func(s *telegramtest.Server, _ *telegramtest.User) {
		s.PushRaw(func(id int64) string {
			fields["update_id"] = id
			b, _ := json.Marshal(fields)
			return string(b)
		})
	}
}

// TestStrangers are told little: each one once, and all of them a few times a minute.
func TestStrangers(t *testing.T) {
	bubble(t, false, func(s *telegramtest.Server, d *desk, u *telegramtest.User) {
		for range 50 {
			u.Send("let me in")
		}
		for i := range 100 {
			s.User(int64(1000+i), "x").Send("me too")
		}
		settle()
		if n := len(u.FromBot()); n != 1 {
			t.Errorf("one stranger was told %d things", n)
		}
		if n := len(s.Calls("sendMessage")); n > 10 {
			t.Errorf("strangers were told %d things in a minute", n)
		}
		if s.Pending() != 0 {
			t.Errorf("%d updates are left", s.Pending())
		}
		keeps := len(d.did()) - len(d.without())
		if keeps > 10 {
			t.Errorf("the place was kept %d times for 150 messages of strangers", keeps)
		}
	})
}

// TestConfirm confirms an update after the desk has taken it and its place is kept, and
// not before: not while the desk fails, either.
func TestConfirm(t *testing.T) {
	bubble(t, true, func(s *telegramtest.Server, d *desk, u *telegramtest.User) {
		before := s.Confirmed()
		d.forget(6) // calls of Press fail
		id := u.Press(u.FromBot()[0].ID, "1. SQLite")
		synctest.Wait()
		if s.Pending() != 1 || s.Confirmed() != before || s.Answered(id) {
			t.Fatalf("%d pending, confirmed %d, answered %t, and the desk has nothing", s.Pending(), s.Confirmed(), s.Answered(id))
		}
		s.Before(func(method string, body json.RawMessage) {
			did := d.did()
			switch method {
			case "answerCallbackQuery":
				if len(did) != 1 || did[0] != `press 42 "tok.0"` {
					t.Errorf("the app was told before the desk: %q", did)
				}
			case "getUpdates":
				if len(did) != 2 || !strings.HasPrefix(did[1], "keep ") || !bytes.Contains(body, []byte(strings.TrimPrefix(did[1], "keep "))) {
					t.Errorf("polled for %s after %q", body, did)
				}
			}
		})
		settle()
		if s.Pending() != 0 || !s.Answered(id) {
			t.Errorf("%d pending, answered %t", s.Pending(), s.Answered(id))
		}
	})
}

// TestPromptOnce asks for own words once, although the desk fails to hear of it.
func TestPromptOnce(t *testing.T) {
	bubble(t, true, func(s *telegramtest.Server, d *desk, u *telegramtest.User) {
		n := len(s.Calls("sendMessage"))
		s.Before(func(method string, _ json.RawMessage) {
			if method == "sendMessage" {
				d.mu.Lock()
				d.fail = 3
				d.mu.Unlock()
			}
		})
		u.Press(u.FromBot()[0].ID, "Own words…")
		settle()
		if got := len(s.Calls("sendMessage")) - n; got != 1 {
			t.Errorf("asked for own words %d times", got)
		}
		if got := d.without(); len(got) != 2 {
			t.Errorf("the desk was told %q", got)
		}
	})
}

// TestRenumbered takes updates whose ids are lower than the place that was kept.
func TestRenumbered(t *testing.T) {
	bubble(t, true, func(s *telegramtest.Server, d *desk, u *telegramtest.User) {
		s.Renumber(5000)
		for range 2 {
			u.Press(u.FromBot()[0].ID, "1. SQLite")
			settle()
		}
		if got := d.without(); len(got) != 2 || s.Pending() != 0 {
			t.Errorf("%q, %d pending", got, s.Pending())
		}
	})
}

// TestPollFails is how polling ends, and how it does not.
func TestPollFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault telegramtest.Fault
		want  string // in the error that ends it; empty: it goes on
	}{
		{"401", telegramtest.Fault{Status: 401, Text: "Unauthorized"}, "does not know this bot token"},
		{"404", telegramtest.Fault{Status: 404, Text: "Not Found"}, "does not know this bot token"},
		{"409", telegramtest.Fault{Status: 409, Text: "Conflict: terminated by other getUpdates request"}, "another program polls with the token"},
		{"409, webhook", telegramtest.Fault{Status: 409, Text: "Conflict: can't use getUpdates method while webhook is active"}, "the bot has a webhook"},
		{"429", telegramtest.Fault{Status: 429, Text: "Too Many Requests: retry after 20", RetryAfter: 20}, ""},
		{"500", telegramtest.Fault{Status: 500, Text: "Internal Server Error"}, ""},
		{"502", telegramtest.Fault{Status: 502, Text: "Bad Gateway"}, ""},
		{"a broken connection", telegramtest.Fault{}, ""},
		{"an answer that is lost", telegramtest.Fault{Done: true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := telegramtest.New(t), newDesk("42")
				s.FailNext("getUpdates", 3, c.fault)
				u := s.User(42, "ann")
				u.PressData(1, "tok.0")
				begin := time.Now()
				ended := run(t, channel(s), d)
				if c.want != "" {
					if err := ended(); err == nil || !strings.Contains(err.Error(), c.want) {
						t.Errorf("ended with %v", err)
					}
					return
				}
				<-time.After(3 * time.Minute)
				if got := d.without(); len(got) != 1 || s.Pending() != 0 {
					t.Errorf("the desk was told %q, %d pending", got, s.Pending())
				}
				if c.fault.RetryAfter > 0 {
					if first := s.Calls("getUpdates")[0].At.Sub(begin); first != time.Minute {
						t.Errorf("polled after %s, not after three times 20 s", first)
					}
				}
			})
		})
	}
}

// TestSecondPoller ends when another program polls with the token.
func TestSecondPoller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telegramtest.New(t)
		first := run(t, channel(s), newDesk())
		synctest.Wait()
		run(t, channel(s), newDesk())
		if err := first(); err == nil || !strings.Contains(err.Error(), "another program polls") {
			t.Errorf("ended with %v", err)
		}
	})
}

// TestCheck is the check of a token.
func TestCheck(t *testing.T) {
	s := telegramtest.New(t)
	for _, c := range []struct{ token, api, want string }{
		{telegramtest.Token, s.URL(), ""},
		{telegramtest.Token, s.URL() + "/", ""},
		{"110201543:wrong", s.URL(), "does not know this bot token"},
		{"", s.URL(), "not a bot token"},
		{"110201543", s.URL(), "not a bot token"},
		{telegramtest.Token + "/../x", s.URL(), "not a bot token"},
		{telegramtest.Token, "http://hub.example", "must begin with https://"},
		{telegramtest.Token, "https://user@hub.example", "must begin with https://"},
		{telegramtest.Token, "ftp://127.0.0.1", "must begin with https://"},
	} {
		bot, err := telegram.Check(t.Context(), &telegram.Options{Token: c.token, API: c.api})
		if c.want == "" && (err != nil || bot != telegramtest.Bot) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s at %s: %q, %v", c.token, c.api, bot, err)
		}
	}
}

// TestToken takes a marked token through everything that can fail, and looks for it in
// every error and every line of the log.
func TestToken(t *testing.T) {
	const half = "MARKMARKMARKMARK"
	const token = "4711:" + half
	var log bytes.Buffer
	var said []string
	faults := map[string]http.HandlerFunc{
		"broken": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1"+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"no json":   func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL) },
		"no result": func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"ok":true,"result":%q}`, r.URL) },
		"echo 400": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error_code":400,"description":%q}`, r.URL)
		},
		"echo 401": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error_code":401,"description":%q}`, r.URL)
		},
		"echo 403": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error_code":403,"description":"bot was blocked by the user %s"}`, half)
		},
		"echo 409": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error_code":409,"description":%q}`, r.URL)
		},
		"echo 429": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error_code":429,"description":%q,"parameters":{"retry_after":1}}`, r.URL)
		},
		"echo 500": func(w http.ResponseWriter, r *http.Request) { http.Error(w, r.URL.String(), 500) },
	}
	bases := map[string]string{"refused": "http://127.0.0.1:1", "bad": "https://%zz", "plain": "http://example.com"}
	for name, h := range faults {
		bases[name] = serve(t, h)
	}
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	errs := make(chan string, len(bases))
	for name, base := range bases {
		go func() {
			o := &telegram.Options{Token: token, API: base, Log: logger}
			c := telegram.New(o)
			_, err := telegram.Check(t.Context(), o)
			_, put := c.Put(t.Context(), contact(42), shown(), "")
			_, edit := c.Put(t.Context(), contact(43), &notify.Note{Text: "x"}, "43.7")
			_, remove := c.Put(t.Context(), contact(43), &notify.Note{Over: true}, "43.7")
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			err = errors.Join(err, put, edit, remove, c.Replies(ctx, newDesk()))
			errs <- fmt.Sprintf("%s: %v %v %+v %#v %#v", name, err, c, c, c, err)
		}()
	}
	for range bases {
		said = append(said, <-errs)
	}
	o := &telegram.Options{Token: "not a token " + half}
	_, err := telegram.Check(t.Context(), o)
	said = append(said, err.Error(), log.String())
	for _, s := range said {
		if strings.Contains(s, half) {
			t.Errorf("the token is in %q", s)
		}
	}
	if log.Len() == 0 {
		t.Error("nothing was logged")
	}
}
