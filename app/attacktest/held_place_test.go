package attacktest

import (
	"context"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/saysohq/sayso/app/testenv"
)

// permissive is the program with these arguments, started by somebody whose files
// are open to everybody.
func (w *world) permissive(args ...string) *exec.Cmd {
	cmd := w.command(args...)
	sh := exec.Command("sh", append([]string{"-c", `umask 000; exec "$0" "$@"`}, cmd.Args...)...)
	sh.Env, sh.Dir = cmd.Env, cmd.Dir
	return sh
}

// state and runtime are the folders of the hub.
func (w *world) state() string   { return filepath.Join(w.home, ".local", "state", "sayso") }
func (w *world) runtime() string { return filepath.Join(w.home, "run", "sayso") }

// each calls fn for everything that the hub has on disk.
func (w *world) each(fn func(name string, info fs.FileInfo)) {
	w.t.Helper()
	for _, dir := range []string{w.state(), w.runtime()} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if info, err := d.Info(); err == nil { // some come and go
				fn(name, info)
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			w.t.Fatal(err)
		}
	}
}

// fileModes wants everything to be closed to others, whatever the umask.
func fileModes(w *world) {
	if out, err := w.permissive("keys", "create", "--role", "asker", "--for", "umask").CombinedOutput(); err != nil {
		w.t.Fatalf("making a key: %s", out)
	}
	n := 0
	w.each(func(name string, info fs.FileInfo) {
		if n++; info.Mode().Perm()&0o077 != 0 && !strings.Contains(name, "/engine/") { // whose folder nobody enters
			w.t.Errorf("%s is open to others: %v", name, info.Mode())
		}
	})
	if n < 10 {
		w.t.Errorf("there are %d files: this test looks in the wrong place", n)
	}
}

// otherUser tries what another user of the machine can reach: files, the process,
// the socket, also if somebody opened its folder, and the port.
func otherUser(w *world) {
	testenv.Root(w.t, "setpriv") // to be another user
	for _, dir := range []string{w.home, filepath.Dir(w.runtime())} {
		if err := os.Chmod(dir, 0o755); err != nil { // a home that others may look into
			w.t.Fatal(err)
		}
	}
	program := filepath.Join(w.home, "intruder")
	if out, err := exec.Command("install", "-m", "755", w.command().Path, program).CombinedOutput(); err != nil {
		w.t.Fatalf("copying the program: %s", out)
	}
	nobody := func(args ...string) {
		w.t.Helper()
		cmd := exec.Command("setpriv", append([]string{"--reuid=65534", "--regid=65534", "--clear-groups", "--"}, args...)...)
		cmd.Env, cmd.Dir = w.env, "/"
		if out, err := cmd.Output(); err == nil || len(out) > 0 {
			w.t.Errorf("another user runs %s: %v, and reads %.200s", strings.Join(args, " "), err, out)
		}
	}
	pid := strconv.Itoa(w.hub.Process.Pid)
	socket := filepath.Join(w.runtime(), "hub.sock")
	nobody("find", w.state(), w.runtime(), "-type", "f")
	for _, name := range []string{
		socket, filepath.Join(w.runtime(), "token"), filepath.Join(w.state(), "keys.json"), "/proc/" + pid + "/environ",
	} {
		nobody("cat", name)
	}
	nobody("ls", "/proc/"+pid+"/fd")
	nobody(program, "keys", "list")
	// As a careless chmod would have it: the hub asks the kernel who connects.
	for name, mode := range map[string]fs.FileMode{w.runtime(): 0o755, socket: 0o666} {
		if err := os.Chmod(name, mode); err != nil {
			w.t.Fatal(err)
		}
	}
	nobody(program, "list", "--hub", socket)
	os.Chmod(w.runtime(), 0o700)

	command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	for who, key := range w.keys {
		if strings.Contains(string(command), key) {
			w.t.Errorf("everybody sees the key of %s in the list of processes", who)
		}
	}
	token, err := os.ReadFile(filepath.Join(w.runtime(), "token"))
	if err != nil {
		w.t.Fatal(err)
	}
	if r := w.do("POST", "/local/web", strings.TrimSpace(string(token)), nil); r.status == 200 {
		w.t.Errorf("a login address is given out over TCP: %s", r.body)
	}
	overSocket := http.Client{Timeout: patience, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	for path, method := range map[string]string{"/local/web": "POST", "/v1/asks/x/draft": "GET"} {
		r, _ := http.NewRequest(method, "http://localhost"+path, nil)
		r.Header.Set("Authorization", "Bearer "+w.keys["mallory"])
		resp, err := overSocket.Do(r)
		if err != nil {
			w.t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode < 400 {
			w.t.Errorf("%s on the socket with the key of an asker: %d %s", path, resp.StatusCode, body)
		}
		resp.Body.Close()
	}
}

// links puts links where the hub makes its folders, as somebody could who was there
// first.
func links(w *world) {
	for _, place := range []string{".local/state/sayso", "run/sayso"} {
		trap := newWorld(w.t)
		theirs := filepath.Join(trap.home, "theirs")
		for _, dir := range []string{theirs, filepath.Dir(filepath.Join(trap.home, place))} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				w.t.Fatal(err)
			}
		}
		if err := os.Symlink(theirs, filepath.Join(trap.home, place)); err != nil {
			w.t.Fatal(err)
		}
		out, bad, code := trap.sayso("ask", "--wait", "1s", "Where does this go?")
		if found, _ := os.ReadDir(theirs); len(found) > 0 {
			w.t.Errorf("with a link at %s the hub writes %s there: %d %s %s", place, found[0].Name(), code, out, bad)
		}
	}
}

// canaries puts a word into everything that is sent, and looks for it in all that is
// logged.
func canaries(w *world) {
	const canary = "CANARY7f3a9"
	a := w.asked(w.keys["alice"], canary+"?", "origin", message{"conversation": canary, "agents": []string{canary}})
	said := message{"digest": a.text("digest"), "answers": []any{message{"questionId": "q", "other": canary}}}
	w.do("PUT", "/v1/asks/"+a.text("id")+"/answer", w.keys["bob"], said, "Idempotency-Key", canary)
	w.do("GET", "/v1/asks?conversation="+canary, w.keys["bob"], nil, "User-Agent", canary, "X-Forwarded-For", canary)
	w.do("GET", "/v1/asks", "sayso_asker_aaaaaaaa_"+canary, nil)
	w.do("POST", "/v1/asks", w.keys["alice"], message{canary: 1})
	w.do("GET", "/"+canary, w.keys["bob"], nil, "Host", canary+".test", "Origin", "http://"+canary+".test")
	b := w.browser()
	b.get("/?q=" + canary)
	b.do("POST", "/login", map[string][]string{"token": {canary}})
	b.do("GET", "/", nil, "Cookie", "sayso="+canary, "Host", canary+".test")
	logs := map[string]string{"standard error": w.said.String()}
	w.each(func(name string, info fs.FileInfo) {
		if info.Mode().IsRegular() && !strings.Contains(name, "/engine/") { // which is the store
			data, _ := os.ReadFile(name)
			logs[name] = string(data)
		}
	})
	if !strings.Contains(logs["standard error"], "level=") {
		w.t.Errorf("nothing is logged: this test looks in the wrong place: %s", logs["standard error"])
	}
	for name, text := range logs {
		if strings.Contains(strings.ToLower(text), strings.ToLower(canary)) {
			w.t.Errorf("%s has the canary", name)
		}
		for who, key := range w.keys {
			if secret := key[strings.LastIndex(key, "_")+1:]; strings.Contains(text, secret) {
				w.t.Errorf("%s has the secret of %s's key", name, who)
			}
		}
	}
}
