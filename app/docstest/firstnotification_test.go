package docstest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify/pushtest"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
	"github.com/saysohq/sayso/app/testenv"
)

// TestFirstNotification sets notifications up as the pages say, in a fresh home, until
// the first one arrives and is confirmed. It counts the commands and the seconds.
func TestFirstNotification(t *testing.T) {
	for name, set := range map[string]func(*testing.T) (commands int, took time.Duration){
		"DESKTOP": setUpDesktop, "PUSH": setUpPush, "TELEGRAM": setUpTelegram,
	} {
		t.Run(name, func(t *testing.T) {
			commands, took := set(t)
			t.Logf("FIGURE NOTIFYSETUP-%s %d commands", name, commands)
			t.Logf("FIGURE NOTIFYSETUP-%s-time %.1f s", name, took.Seconds())
		})
	}
}

// TestFigure_NOTIFYSETUP measures the first notification.
func TestFigure_NOTIFYSETUP(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=NOTIFYSETUP")
	}
	TestFirstNotification(t)
}

// first is a person's first hour with notifications.
type first struct {
	t *testing.T
	w *world
}

func newFirst(t *testing.T, env ...string) *first {
	t.Helper()
	w, err := newWorld(program(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	w.env = append(w.env, env...)
	return &first{t, w}
}

// commands returns the commands of the first block of a page that has one which begins
// so.
func (f *first) commands(page, begins string) []step {
	f.t.Helper()
	p, problems, err := load(top, page)
	if err != nil || len(problems) > 0 {
		f.t.Fatal(err, problems)
	}
	for _, b := range p.Blocks {
		if b.Lang != "console" && b.Lang != "sh" {
			continue
		}
		all, err := b.steps()
		if err != nil {
			f.t.Fatal(err)
		}
		for _, s := range all {
			if strings.HasPrefix(s.command, begins) {
				return all
			}
		}
	}
	f.t.Fatalf("%s has no block with %s", page, begins)
	return nil
}

// run runs a command, which must succeed.
func (f *first) run(command string) string {
	f.t.Helper()
	out, code, err := f.w.run(call{command: command})
	if err != nil || code != 0 {
		f.t.Fatalf("$ %s\nexits with %d: %v\n%s", command, code, err, out)
	}
	return out
}

// confirmed runs the test of a device while do confirms it there, again and again.
func (f *first) confirmed(device string, do func()) {
	f.t.Helper()
	p, err := f.w.start(call{command: "sayso notify test " + device})
	if err != nil {
		f.t.Fatal(err)
	}
	for {
		select {
		case <-p.done:
			if code, err := p.wait(); code != 0 || err != nil {
				f.t.Fatalf("the test of %s: %d %v\n%s", device, code, err, f.w.printed(p))
			}
			return
		case <-time.After(100 * time.Millisecond):
			do()
		}
	}
}

// background runs a program until the test ends.
func (f *first) background(env []string, name string, args ...string) {
	f.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = env
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
}

func (f *first) eventually(what string, is func() bool) {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatalf("never: %s", what)
		}
	}
}

// setUpDesktop follows the quick start on a desktop with dunst.
func setUpDesktop(t *testing.T) (int, time.Duration) {
	testenv.Tools(t, "dbus-daemon", "Xvfb", "dunst", "dunstctl")
	f := newFirst(t)
	bus := filepath.Join(f.w.dir, "bus")
	config := filepath.Join(f.w.dir, "bus.conf")
	if err := os.WriteFile(config, []byte(`<busconfig><type>session</type><listen>unix:path=`+bus+`</listen><auth>EXTERNAL</auth>`+
		`<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600); err != nil {
		t.Fatal(err)
	}
	f.background(os.Environ(), "dbus-daemon", "--nofork", "--nopidfile", "--config-file="+config)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{w}
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { x.Process.Kill(); x.Wait() })
	number, err := io.ReadAll(io.LimitReader(r, 8))
	r.Close()
	if err != nil {
		t.Fatal(err)
	}
	f.w.env = append(f.w.env, "DBUS_SESSION_BUS_ADDRESS=unix:path="+bus, "DISPLAY=:"+strings.TrimSpace(string(number)))
	f.eventually("the bus listens", func() bool { return exists(bus) })
	f.background(f.w.env, "dunst", "-conf", os.DevNull)
	ctl := func(args ...string) string {
		cmd := exec.Command("dunstctl", args...)
		cmd.Env = f.w.env
		out, _ := cmd.Output()
		return string(bytes.TrimSpace(out))
	}
	f.eventually("dunst answers", func() bool { return ctl("count", "displayed") == "0" })

	begin := time.Now()
	steps := f.commands("docs/start/quick-start.md", "sayso notify add")
	for _, s := range steps {
		f.run(s.command)
	}
	f.eventually("the first notification is on the screen", func() bool { return ctl("count", "displayed") == "1" })
	took := time.Since(begin)
	f.confirmed("desktop-1", func() { ctl("action", "0") })
	f.clicked(ctl)
	return len(steps), took
}

// clicked has a question on the desktop, and a click on it opens the person's browser at
// that question, signed in.
func (f *first) clicked(ctl func(...string) string) {
	f.t.Helper()
	opened := filepath.Join(f.w.dir, "opened")
	opener := "#!/bin/sh\ncat \"$1\" >" + opened + ".new && mv " + opened + ".new " + opened + "\n"
	if err := os.WriteFile(filepath.Join(f.w.bin, "xdg-open"), []byte(opener), 0o700); err != nil {
		f.t.Fatal(err)
	}
	f.eventually("the test is withdrawn", func() bool { ctl("close-all"); return ctl("count", "displayed") == "0" })
	f.run("sayso notify set desktop-1 --after 0s")
	f.run("sayso ask 'Which database?' -o PostgreSQL -o SQLite --wait 1ms || test $? = 75")
	f.eventually("the question is on the screen", func() bool { return ctl("count", "displayed") == "1" })
	f.eventually("a click opens the browser", func() bool { ctl("action", "0"); return exists(opened) })
	page, err := os.ReadFile(opened)
	if err != nil || !regexp.MustCompile(`http://[a-z0-9]+\.localhost:\d+/login\?next=%2Fask%2F[\w-]+#[\w-]+"`).Match(page) {
		f.t.Errorf("the browser opens %s (%v)", page, err)
	}
}

// setUpTelegram follows the guide with a bot of the fake Telegram. Only the address of
// its API is added.
func setUpTelegram(t *testing.T) (int, time.Duration) {
	f := newFirst(t)
	telegram := telegramtest.New(t)
	ann := telegram.User(42, "ann")
	if u, err := url.Parse(telegram.URL()); err == nil {
		f.w.ports[u.Port()] = u.Port() // it is the real one
	}
	begin := time.Now()
	const page = "docs/guides/notify-telegram.md"
	steps := []step{{command: "sayso notify add telegram --token-file bot.token"}}
	if exists(filepath.Join(top, filepath.FromSlash(page))) {
		steps = f.commands(page, "sayso notify add telegram")
	}
	link := ""
	for _, s := range steps {
		command := s.command
		if strings.HasPrefix(command, "sayso notify add telegram") {
			if m := regexp.MustCompile(`--token-file (\S+)`).FindStringSubmatch(command); m != nil {
				f.run(fmt.Sprintf("echo %s >%s", telegramtest.Token, m[1]))
			}
			command += " --api " + telegram.URL()
		}
		out := f.run(command)
		if m := regexp.MustCompile(`https://t\.me/\S+`).FindString(out); m != "" {
			link = m
		}
	}
	u, err := url.Parse(link)
	if err != nil || u.Path != "/"+telegramtest.Bot {
		t.Fatalf("the link is %q", link)
	}
	ann.Start(u.Query().Get("start"))
	f.eventually("the account is linked", func() bool { return strings.Contains(f.run("sayso notify list"), "telegram-1") })
	took := time.Since(begin)
	f.confirmed("telegram-1", func() {
		for _, m := range ann.FromBot() {
			for _, label := range m.Labels() {
				if label == "It arrived" {
					ann.Press(m.ID, label)
				}
			}
		}
	})
	return len(steps), took
}

// setUpPush follows the guide of the phone behind a proxy, with a browser that subscribes
// at the fake push service.
func setUpPush(t *testing.T) (int, time.Duration) {
	push := pushtest.New(t)
	f := newFirst(t, "SAYSO_NOTIFY_ALLOW="+push.Host())
	begin := time.Now()
	commands := []string{
		"sayso serve --web 127.0.0.1:7778 --host my.name --behind-proxy",
		"sayso web --qr",
	}
	text, err := os.ReadFile(filepath.Join(top, "docs/guides/phone.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if !strings.Contains(string(text), c) {
			t.Errorf("the guide does not say: %s", c)
		}
	}
	serve, err := f.w.start(call{command: commands[0]})
	if err != nil {
		t.Fatal(err)
	}
	f.w.behind = append(f.w.behind, serve)
	f.eventually("the inbox is served", func() bool { return strings.Contains(f.w.printed(serve), "serving the web inbox") })
	_, word, ok := strings.Cut(f.run(commands[1]), "/login#")
	if !ok {
		t.Fatal("there is no address to sign in with")
	}
	word, _, _ = strings.Cut(word, "\n")
	b := &proxied{t: t, at: f.w.here("http://127.0.0.1:7778"), host: "my.name"}
	b.post("/login", url.Values{"token": {word}})
	key := regexp.MustCompile(`data-notify="([^"]+)"`).FindStringSubmatch(b.get("/notifications"))
	if key == nil {
		t.Fatal("the page of notifications has no key for push services")
	}
	browser := push.Browser(key[1])
	b.post("/notifications", url.Values{"do": {"subscribe"}, "subscription": {string(browser.Subscription())}})
	f.eventually("the browser is a device", func() bool { return strings.Contains(f.run("sayso notify list"), "push-1") })
	f.run("sayso notify test push-1 </dev/null")
	push.Wait("the first notification", func() bool { return len(browser.Shown()) > 0 })
	return len(commands), time.Since(begin)
}

// proxied is a browser behind a proxy that speaks TLS with it.
type proxied struct {
	t        *testing.T
	at, host string
	cookies  []*http.Cookie
}

func (b *proxied) do(method, path string, form url.Values) string {
	b.t.Helper()
	r, err := http.NewRequest(method, b.at+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Host = b.host
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://"+b.host)
	}
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	resp, err := new(http.Transport).RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode >= 400 {
		b.t.Fatalf("%s %s: %s: %s", method, path, resp.Status, body)
	}
	b.cookies = append(b.cookies, resp.Cookies()...)
	return string(body)
}

func (b *proxied) get(path string) string            { b.t.Helper(); return b.do(http.MethodGet, path, nil) }
func (b *proxied) post(path string, form url.Values) { b.t.Helper(); b.do(http.MethodPost, path, form) }
