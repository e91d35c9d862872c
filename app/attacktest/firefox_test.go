package attacktest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// firefox is driven with Marionette, the protocol below its WebDriver.
type firefox struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	last int
}

func newFirefox(w *world) window {
	w.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	profile := filepath.Join(w.home, "firefox")
	prefs := `user_pref("marionette.port", ` + port + `);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
`
	if err := os.Mkdir(profile, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.own(profile)
	cmd := exec.Command("firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", profile)
	cmd.Env, cmd.Dir = w.env, w.home
	w.launch(cmd)
	f := &firefox{t: w.t}
	eventually(w.t, "Firefox listens", func() bool {
		f.conn, err = net.Dial("tcp", address)
		return err == nil
	})
	w.t.Cleanup(func() { f.conn.Close() })
	f.in = bufio.NewReader(f.conn)
	f.read() // its name
	if err := f.call("WebDriver:NewSession", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"pageLoadStrategy": "none"}}}, nil); err != nil {
		w.t.Fatalf("Firefox: %v", err)
	}
	return f
}

// read reads a message: its length, a colon, and JSON.
func (f *firefox) read() []byte {
	f.t.Helper()
	length, err := f.in.ReadString(':')
	if err != nil {
		f.t.Fatalf("Firefox ended: %v", err)
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		f.t.Fatalf("Firefox says %q", length)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(f.in, text); err != nil {
		f.t.Fatalf("Firefox ended: %v", err)
	}
	return text
}

// call runs a command and reads its reply into a result, if one is given.
func (f *firefox) call(command string, params, result any) error {
	f.t.Helper()
	f.last++
	text, err := json.Marshal([]any{0, f.last, command, params})
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(f.conn, "%d:%s", len(text), text); err != nil {
		f.t.Fatalf("Firefox: %s: %v", command, err)
	}
	var got [4]json.RawMessage // 1, the number of the command, an error, a result
	if err := json.Unmarshal(f.read(), &got); err != nil {
		f.t.Fatalf("Firefox: %s: %v", command, err)
	}
	if string(got[2]) != "null" {
		return fmt.Errorf("%s: %s", command, got[2])
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(got[3], result)
}

func (f *firefox) open(url string) string {
	f.t.Helper()
	var tab struct{ Handle string }
	err := f.call("WebDriver:NewWindow", map[string]any{"type": "tab", "focus": true}, &tab)
	if err == nil {
		err = f.call("WebDriver:SwitchToWindow", map[string]any{"handle": tab.Handle}, nil)
	}
	if err == nil {
		err = f.call("WebDriver:Navigate", map[string]any{"url": url}, nil)
	}
	if err != nil {
		f.t.Fatalf("Firefox: %v", err)
	}
	return tab.Handle
}

func (f *firefox) eval(tab, script string) string {
	f.t.Helper()
	var got struct{ Value any }
	if f.call("WebDriver:SwitchToWindow", map[string]any{"handle": tab}, nil) != nil ||
		f.call("WebDriver:ExecuteScript", map[string]any{"script": "return " + script, "args": []any{}}, &got) != nil || got.Value == nil {
		return "" // the page is being left
	}
	return fmt.Sprint(got.Value)
}

func (f *firefox) shut(tab string) {
	f.t.Helper()
	if f.call("WebDriver:SwitchToWindow", map[string]any{"handle": tab}, nil) == nil {
		f.call("WebDriver:CloseWindow", map[string]any{}, nil)
	}
}
