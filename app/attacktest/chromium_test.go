package attacktest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// window is a real browser of the person, without a screen.
type window interface {
	open(url string) (tab string)   // in a new tab
	eval(tab, script string) string // the value of an expression, as a string; "" if the page is not ready for it
	shut(tab string)
}

// chromium is driven through a pipe, so that it listens on no port.
type chromium struct {
	t        *testing.T
	in       *os.File
	out      *bufio.Reader
	last     int
	sessions map[string]string // of tabs
}

func newChromium(w *world) window {
	w.t.Helper()
	fromUs, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, toUs, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command("chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(w.home, "chromium"), "--remote-debugging-pipe", "about:blank")
	cmd.Env, cmd.Dir = w.env, w.home
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	w.launch(cmd)
	fromUs.Close()
	toUs.Close()
	w.t.Cleanup(func() { in.Close(); out.Close() })
	return &chromium{t: w.t, in: in, out: bufio.NewReader(out), sessions: map[string]string{}}
}

// call makes a call of the DevTools protocol and reads its reply into a result, if
// one is given.
func (c *chromium) call(session, method string, params, result any) error {
	c.t.Helper()
	c.last++
	m := map[string]any{"id": c.last, "method": method, "params": params}
	if session != "" {
		m["sessionId"] = session
	}
	line, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, 0)); err != nil {
		c.t.Fatalf("Chromium: %s: %v", method, err)
	}
	for {
		text, err := c.out.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("Chromium ended: %v", err)
		}
		var got struct {
			ID     int
			Error  *struct{ Message string }
			Result json.RawMessage
		}
		if err := json.Unmarshal(text[:len(text)-1], &got); err != nil {
			c.t.Fatalf("Chromium says %s: %v", text, err)
		}
		switch {
		case got.ID != c.last: // an event
		case got.Error != nil:
			return fmt.Errorf("%s: %s", method, got.Error.Message)
		case result != nil:
			return json.Unmarshal(got.Result, result)
		default:
			return nil
		}
	}
}

func (c *chromium) open(url string) string {
	c.t.Helper()
	var target struct{ TargetID, SessionID string }
	if err := c.call("", "Target.createTarget", map[string]any{"url": url}, &target); err != nil {
		c.t.Fatalf("Chromium: %v", err)
	}
	if err := c.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target); err != nil {
		c.t.Fatalf("Chromium: %v", err)
	}
	c.sessions[target.TargetID] = target.SessionID
	return target.TargetID
}

func (c *chromium) eval(tab, script string) string {
	c.t.Helper()
	var got struct{ Result struct{ Value any } }
	if c.call(c.sessions[tab], "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &got) != nil || got.Result.Value == nil {
		return "" // the page is being left
	}
	return fmt.Sprint(got.Result.Value)
}

func (c *chromium) shut(tab string) {
	c.t.Helper()
	c.call("", "Target.closeTarget", map[string]any{"targetId": tab}, nil)
	delete(c.sessions, tab)
}
