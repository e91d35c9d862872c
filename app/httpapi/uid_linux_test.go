package httpapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/testenv"
)

// Another user of the machine reads and answers nothing: not through the socket,
// not through a loopback port without its token, not in the files. S14.
//
// A second process, as that user, tries; it needs root to become it.
func TestOtherUser(t *testing.T) {
	if os.Getenv("SAYSO_INTRUDER") != "" {
		intrude(t)
		return
	}
	testenv.Root(t) // to be another user
	who := auth.Principal{Tenant: "acme", ID: "ada", Role: auth.Everything, Assurance: sayso.AssuranceLocal}
	peers := &auth.Peers{UID: os.Getuid(), Who: who}
	boot, token := auth.NewBoot(who)
	w := newWorld(t, &Options{Auth: auth.First(boot, peers)})
	w.key["bot"] = token
	tk := w.ask(t, "a1")

	open := t.TempDir() // t.TempDir is 0777 without the umask; its parents let others in
	for dir := open; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	private := filepath.Join(open, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	listen := func(path string, mode os.FileMode) {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		server := w.HTTPServer()
		server.ConnContext = peers.ConnContext
		go server.Serve(l)
		t.Cleanup(func() { server.Close() })
	}
	usual, bare, wide := filepath.Join(private, "usual.sock"), filepath.Join(open, "bare.sock"), filepath.Join(open, "wide.sock")
	listen(usual, 0o600)
	listen(bare, 0o600)
	listen(wide, 0o666) // as somebody's umask or chmod might have it
	port := w.listen(t)
	keys := filepath.Join(open, "keys.json") // the folder lets others in, the file must not
	file := &auth.KeyFile{Path: keys}
	if _, _, err := file.Create(t.Context(), auth.KeySpec{Role: auth.Answerer, Tenant: "acme"}); err != nil {
		t.Fatal(err)
	}
	// The user itself may.
	if code, err := try("unix", wide, "GET", "/v1/asks/"+tk.ID, "", ""); code != 200 {
		t.Fatalf("the user itself: %d %v", code, err)
	}
	if code, err := try("tcp", strings.TrimPrefix(port, "http://"), "GET", "/v1/asks/"+tk.ID, "", token); code != 200 {
		t.Fatalf("the user itself, with the token: %d %v", code, err)
	}

	program := filepath.Join(open, "intruder")
	if err := exec.Command("cp", os.Args[0], program).Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestOtherUser$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{"SAYSO_INTRUDER=1", "ASK=" + tk.ID, "DIGEST=" + tk.Digest,
		"SOCKETS=" + usual + ":" + bare + ":" + wide, "PORT=" + strings.TrimPrefix(port, "http://"), "KEYS=" + keys}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "tried 25") {
		t.Errorf("%v\n%s", err, out)
	}
	now, err := w.hub.Get(t.Context(), tk.Address)
	if err != nil || !now.Open() || now.Revision != tk.Revision {
		t.Errorf("the ask changed: %+v %v", now, err)
	}
}

// intrude tries everything as another user.
func intrude(t *testing.T) {
	if os.Getuid() != 65534 {
		t.Fatal("not another user")
	}
	ask, digest := "/v1/asks/"+os.Getenv("ASK"), os.Getenv("DIGEST")
	tried := 0
	attempts := func(network, addr string) {
		for _, c := range []struct{ method, path, body, token string }{
			{"GET", "/v1/asks", "", ""}, {"GET", ask, "", ""}, {"GET", "/v1/events", "", ""},
			{"PUT", ask + "/answer", `{"digest":"` + digest + `","reply":"yes"}`, ""},
			{"POST", ask + "/decline", `{"digest":"` + digest + `"}`, ""},
			{"GET", "/v1/asks", "", "sayso_boot_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		} {
			tried++
			if code, _ := try(network, addr, c.method, c.path, c.body, c.token); code >= 200 && code < 300 {
				t.Errorf("%s %s through %s: %d", c.method, c.path, addr, code)
			}
		}
	}
	for _, socket := range strings.Split(os.Getenv("SOCKETS"), ":") {
		attempts("unix", socket)
	}
	attempts("tcp", os.Getenv("PORT"))
	tried++
	if _, err := os.ReadFile(os.Getenv("KEYS")); err == nil {
		t.Error("the keys can be read")
	}
	fmt.Println("tried", tried)
}

// try makes one request and returns the status, or 0.
func try(network, addr, method, path, body, token string) (int, error) {
	client := &http.Client{Timeout: soon, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}}
	req, err := http.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	io.CopyN(io.Discard, resp.Body, 1)
	return resp.StatusCode, nil
}
