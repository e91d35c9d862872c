package attacktest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// scene is one person with a hub and a browser, and one intruder.
type scene struct {
	*world
	browser  window
	thief    *stranger
	trap     string // the address on which the intruder serves pages
	agent    string // the key of who asks
	tab      string // shows the inbox
	base     *url.URL
	answered map[string]bool // asks that the intruder closed
}

func newScene(t *testing.T, start func(*world) window) *scene {
	s := &scene{world: newWorld(t), answered: map[string]bool{}}
	s.uid = personUID
	opener := filepath.Join(s.home, "bin", "xdg-open") // it stays, as a browser does
	if err := os.Mkdir(filepath.Dir(opener), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(opener, []byte("#!/bin/sh\necho \"$1\" >$HOME/opened.new\nmv $HOME/opened.new $HOME/opened\nuntil test -e $HOME/seen; do sleep 0.02; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+filepath.Dir(opener)+":"+os.Getenv("PATH"), "DISPLAY=:9")
	s.own(s.home)
	s.agent = s.key("asker", "agent")
	s.serve("--web", "127.0.0.1:0")
	// An answer that is held would look as if the intruder had given none.
	if _, said, code := s.sayso("preferences", "--grace", "0s"); code != 0 {
		t.Fatalf("preferences: exit %d: %s", code, said)
	}
	s.thief = newStranger(t)
	s.trap = s.thief.do(order{Do: "listen", Address: "127.0.0.1:0"}).Address
	// While the inbox is served, nobody else gets requests for its port.
	for _, address := range []string{"127.0.0.1", "[::1]", "0.0.0.0", "[::]"} {
		if l := s.thief.do(order{Do: "listen", Address: address + ":" + s.port()}); l.Err == "" {
			t.Errorf("the intruder has the port of the inbox on %s", address)
		}
	}
	s.browser = start(s.world)
	s.signIn("All caught up")
	return s
}

// port is that of the inbox.
func (s *scene) port() string {
	u, err := url.Parse(s.web)
	if err != nil {
		s.t.Fatal(err)
	}
	return u.Port()
}

// asks asks something, and returns the id and the text.
func (s *scene) asks(i int, where string) (id, text string) {
	text = fmt.Sprintf("%s, %s %d?", canary, where, i)
	return s.asked(s.agent, text).text("id"), text
}

// withdraw makes room for the next: a page of the inbox lists fifty.
func (s *scene) withdraw(id string) {
	s.do("POST", "/v1/asks/"+id+"/withdraw", s.agent, map[string]any{})
}

// signIn opens the inbox as sayso web does, and waits until the browser shows it.
func (s *scene) signIn(text string) {
	s.t.Helper()
	for _, name := range []string{"opened", "seen"} {
		os.Remove(filepath.Join(s.home, name))
	}
	out, bad, code := s.sayso("web")
	if code != 0 {
		s.t.Fatalf("sayso web: %s", bad)
	}
	var err error
	if s.base, err = url.Parse(out); err != nil {
		s.t.Fatal(err)
	}
	var opened string
	eventually(s.t, "a browser is opened", func() bool {
		b, _ := os.ReadFile(filepath.Join(s.home, "opened"))
		opened = strings.TrimSpace(string(b))
		return opened != ""
	})
	s.nameHidden()
	s.thief.do(order{Do: "look"})
	if err := os.WriteFile(filepath.Join(s.home, "seen"), nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
	if !strings.Contains(opened, ":") {
		opened = "file://" + opened
	}
	if s.tab != "" {
		s.browser.shut(s.tab)
	}
	s.tab = s.browser.open(opened)
	s.shows(text)
}

// shows waits until the tab of the inbox shows a text.
func (s *scene) shows(text string) {
	s.t.Helper()
	page := ""
	defer func() {
		if s.t.Failed() {
			s.t.Logf("the tab shows %.300q", page)
		}
	}()
	eventually(s.t, "the person is signed in and sees "+text, func() bool {
		if l := s.thief.do(order{}); len(l.Tokens) > 0 {
			s.t.Fatalf("the browser signs in at the intruder, who knows %v of %v", l.Tokens, l.Names)
		}
		page = s.browser.eval(s.tab, "location.href + ' ' + document.body.innerText")
		return strings.Contains(page, text)
	})
}

// nameHidden wants the name of the inbox on no command line and in no environment.
func (s *scene) nameHidden() {
	s.t.Helper()
	name, _, _ := strings.Cut(s.base.Hostname(), ".")
	for _, pattern := range []string{"/proc/[0-9]*/cmdline", "/proc/[0-9]*/environ"} {
		all, err := filepath.Glob(pattern)
		if err != nil || len(all) < 3 {
			s.t.Fatalf("no processes: %v", err)
		}
		for _, file := range all {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), name) || strings.Contains(string(text), s.base.Fragment) {
				s.t.Errorf("the address of the inbox is in %s: %q", file, text)
			}
		}
	}
}

// lure has the browser open a page of the intruder, which goes on under every name
// that the intruder knows.
func (s *scene) lure() {
	s.t.Helper()
	l := s.thief.do(order{Do: "look", Ports: []string{s.port()}})
	_, port, _ := net.SplitHostPort(s.trap)
	names := slices.DeleteFunc(l.last(), func(n string) bool { return n == "[::1]" }) // where the trap is not
	tab := s.browser.open("http://127.0.0.1:" + port + "/?next=" + strings.Join(names, "+"))
	eventually(s.t, "the pages of the intruder were opened", func() bool { return s.thief.do(order{}).Done > l.Done })
	s.browser.shut(tab)
}

// check has the intruder use what it knows, and wants it to get nothing.
func (s *scene) check(id, where string) {
	s.t.Helper()
	l := s.thief.do(order{Do: "attack", Ports: []string{s.port()}})
	r := s.do("GET", "/v1/asks/"+id, s.agent, nil)
	if r.text("status") != "pending" {
		s.answered[id] = true
		s.t.Errorf("%s: the ask is %s: %s; the intruder sent %v", where, r.text("status"), r.body, l.Sent)
	}
	if len(l.Read) > 0 {
		s.t.Errorf("%s: the intruder reads the inbox: %v", where, l.Read)
	}
	if len(l.Served) > 0 {
		s.t.Errorf("%s: the inbox answers to the names %v", where, l.Served)
	}
}

// steal: the person, who is signed in, opens pages of the intruder.
func (s *scene) steal(i int) {
	id, text := s.asks(i, "steal")
	s.shows(text)
	s.lure()
	s.check(id, "steal")
	s.withdraw(id)
}

// squat: the hub ends, the intruder takes its port and answers the page that is
// still open, and the hub comes back, on another port or on the same one.
func (s *scene) squat(i int) {
	id, text := s.asks(i, "squat")
	s.shows(text)
	old, name := s.port(), s.base.Hostname()
	s.end(i%2 == 1)
	var mine []string
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		address := host + ":" + old
		eventually(s.t, "the intruder has the port", func() bool { return s.thief.do(order{Do: "listen", Address: address}).Err == "" })
		mine = append(mine, address)
	}
	eventually(s.t, "the open page tells the intruder its name and cookie", func() bool {
		l := s.thief.do(order{})
		return slices.Contains(l.Names, name) && len(l.Cookies) > 0
	})
	left := s.tab
	s.browser.eval(left, "location.reload()") // as somebody may who wonders what happened
	eventually(s.t, "the page of the intruder has the tab", func() bool { return s.browser.eval(left, "document.title") == "harmless" })
	web := "127.0.0.1:0"
	if i%4 == 1 || i%4 == 2 {
		for _, address := range mine {
			s.thief.do(order{Do: "leave", Address: address})
		}
		mine, web = nil, "127.0.0.1:"+old
	}
	s.serve("--web", web)
	s.tab = "" // the old one stays open
	s.signIn(text)
	s.check(id, "squat, after the restart")
	s.lure()
	s.browser.eval(left, "location.reload()")
	s.check(id, "squat, with the old name")
	for _, address := range mine {
		s.thief.do(order{Do: "leave", Address: address})
	}
	s.browser.shut(left)
	s.withdraw(id)
}

// end ends the hub, one way or the other.
func (s *scene) end(kill bool) {
	if !kill {
		s.stop()
		return
	}
	s.hub.Process.Signal(syscall.SIGKILL)
	s.hub.Wait()
	s.hub = nil
}
