package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/saysohq/sayso/app/surface/notify/ntfytest"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// outside is what a script finds outside its machine: a Telegram with one person, a Slack,
// an ntfy server and a receiver of webhooks.
type outside struct {
	telegram *telegramtest.Server
	slack    *slacktest.Server
	ntfy     *ntfytest.Server
	hook     *httptest.Server

	mu    sync.Mutex
	calls []string
}

const outsideKey = "outside"

func newOutside(t *testing.T, env *testscript.Env) *outside {
	o := &outside{telegram: telegramtest.New(t), slack: slacktest.New(t), ntfy: ntfytest.New(t)}
	o.hook = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.calls = append(o.calls, string(b))
	}))
	env.Defer(o.hook.Close)
	env.Setenv("TELEGRAM", o.telegram.URL())
	env.Setenv("HOOK", o.hook.URL)
	env.Setenv("TOKEN", telegramtest.Token)
	env.Setenv("SLACK", o.slack.URL())
	env.Setenv("BOT_TOKEN", slacktest.BotToken)
	env.Setenv("APP_TOKEN", slacktest.AppToken)
	env.Setenv("NTFY", o.ntfy.URL())
	return o
}

func outsideOf(ts *testscript.TestScript) *outside { return ts.Value(outsideKey).(*outside) }

func (o *outside) ann() *telegramtest.User { return o.telegram.User(42, "ann") }

// notifyCommands are what scripts can do out there.
func notifyCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		// telegram-start FILE opens the link in a file, as ann.
		"telegram-start": func(ts *testscript.TestScript, _ bool, args []string) {
			link, err := url.Parse(strings.TrimSpace(ts.ReadFile(args[0])))
			ts.Check(err)
			if link.Host != "t.me" || link.Path != "/"+telegramtest.Bot {
				ts.Fatalf("the link is %s", link)
			}
			outsideOf(ts).ann().Start(link.Query().Get("start"))
		},
		// telegram-says TEXT waits until the bot has said that.
		"telegram-says": func(ts *testscript.TestScript, _ bool, args []string) {
			poll(ts, args[0], func() bool {
				return slices.ContainsFunc(outsideOf(ts).ann().FromBot(), func(m telegramtest.Message) bool { return strings.Contains(m.Text, args[0]) })
			})
		},
		// telegram-press LABEL presses a button, once there is one.
		"telegram-press": func(ts *testscript.TestScript, _ bool, args []string) {
			poll(ts, args[0], func() bool {
				for _, m := range outsideOf(ts).ann().FromBot() {
					if slices.Contains(m.Labels(), args[0]) {
						outsideOf(ts).ann().Press(m.ID, args[0])
						return true
					}
				}
				return false
			})
		},
		// slack-link FILE sends the command in a file, as Ann.
		"slack-link": func(ts *testscript.TestScript, _ bool, args []string) {
			_, code, ok := strings.Cut(ts.ReadFile(args[0]), "/sayso ")
			if !ok {
				ts.Fatalf("%s has no /sayso command", args[0])
			}
			s := outsideOf(ts).slack
			poll(ts, "the connection to Slack", func() bool { return s.Connections() > 0 })
			s.Slash(slacktest.Ann, strings.TrimSpace(code)).Wait()
		},
		// slack-press LABEL presses a button, once there is one.
		"slack-press": func(ts *testscript.TestScript, _ bool, args []string) {
			s := outsideOf(ts).slack
			poll(ts, args[0], func() bool {
				for _, m := range s.Messages(slacktest.Ann) {
					if _, ok := m.Button(args[0]); ok {
						s.Press(slacktest.Ann, m, args[0]).Wait()
						return true
					}
				}
				return false
			})
		},
		// ntfy-shows TOPIC TEXT waits until a message has it.
		"ntfy-shows": func(ts *testscript.TestScript, _ bool, args []string) {
			poll(ts, args[1], func() bool {
				for _, m := range outsideOf(ts).ntfy.Published(args[0]) {
					if strings.Contains(fmt.Sprintf("%+v", m), args[1]) {
						return true
					}
				}
				return false
			})
		},
		// hook-gets TEXT waits until a webhook has it.
		"hook-gets": func(ts *testscript.TestScript, _ bool, args []string) {
			o := outsideOf(ts)
			poll(ts, args[0], func() bool {
				o.mu.Lock()
				defer o.mu.Unlock()
				return slices.ContainsFunc(o.calls, func(c string) bool { return strings.Contains(c, args[0]) })
			})
		},
		// devices N waits until the person has so many devices.
		"devices": func(ts *testscript.TestScript, _ bool, args []string) {
			poll(ts, "devices", func() bool {
				err := ts.Exec("sh", "-c", fmt.Sprintf(`test $(sayso notify list | grep -vc ^ID) -eq %s`, args[0]))
				return err == nil
			})
		},
	}
}
