package cli_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/internal/cli"
	"github.com/saysohq/sayso/client"
)

// TestMain is also the program: scripts run it as sayso, and it starts its hub as
// that.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sayso":     func() { os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:])) },
		"acp-agent": acpAgent,

		"tailscale-fake": tailscaleFake,
	})
}

// TestScripts runs every file of testdata/script, each with a home and a hub of
// its own.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			run := filepath.Join(env.WorkDir, "run")
			env.Values[outsideKey] = newOutside(t, env)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_RUNTIME_DIR", run)
			env.Setenv("TERM", "dumb")
			env.Setenv("LANG", "C")
			env.Setenv("SOCKET", filepath.Join(run, "sayso", "hub.sock"))
			env.Defer(func() { killHub(filepath.Join(run, "sayso", "hub.sock")) })
			return os.Mkdir(run, 0o700)
		},
		Cmds: withNotify(map[string]func(*testscript.TestScript, bool, []string){
			"tailnet": tailnet,
			"mayrun":  mayRun,
			// killhub ends the hub as a power cut would.
			"killhub": func(ts *testscript.TestScript, _ bool, _ []string) {
				if !killHub(ts.Getenv("SOCKET")) {
					ts.Fatalf("there is no hub")
				}
			},
			// signin uses the login address in a file, as a browser does.
			"signin": func(ts *testscript.TestScript, _ bool, args []string) {
				link, err := url.Parse(strings.TrimSpace(ts.ReadFile(args[0])))
				ts.Check(err)
				form := url.Values{"token": {link.Fragment}}.Encode()
				r, err := http.NewRequest("POST", "http://"+net.JoinHostPort("127.0.0.1", link.Port())+"/login", strings.NewReader(form))
				ts.Check(err)
				r.Host = link.Host
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				resp, err := new(http.Transport).RoundTrip(r)
				ts.Check(err)
				resp.Body.Close()
				if resp.StatusCode != http.StatusSeeOther {
					ts.Fatalf("signing in: %s", resp.Status)
				}
			},
			// otherhub VERSION has a hub of that version, which knows nothing but that;
			// without a version it does not know what it is asked.
			"otherhub": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.MkdirAll(filepath.Dir(ts.Getenv("SOCKET")), 0o700))
				ln, err := net.Listen("unix", ts.Getenv("SOCKET"))
				ts.Check(err)
				ts.Defer(func() { ln.Close() })
				go http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case strings.HasPrefix(r.URL.Path, "/local/hub/"): // it knows none of the later commands
						http.NotFound(w, r)
					case r.URL.Path != "/local/hub":
						fmt.Fprint(w, `{"tickets":[]}`)
					case len(args) == 0:
						http.NotFound(w, r)
					default:
						fmt.Fprintf(w, `{"build":{"version":%q,"commit":"0123456789abcdef"},"pid":7,"background":true}`, args[0])
					}
				}))
			},
			// nohub waits until there is none.
			"nohub": func(ts *testscript.TestScript, _ bool, _ []string) {
				poll(ts, "the hub to end", func() bool {
					_, err := os.Stat(ts.Getenv("SOCKET"))
					return err != nil
				})
			},
			// waiting N waits until so many asks are open.
			"waiting": func(ts *testscript.TestScript, _ bool, args []string) {
				n, err := strconv.Atoi(args[0])
				ts.Check(err)
				c, err := client.New(ts.Getenv("SOCKET"), &client.Options{Patience: -1})
				ts.Check(err)
				defer c.Close()
				poll(ts, "asks", func() bool {
					page, err := c.List(context.Background(), nil)
					return err == nil && len(page.Tickets) == n
				})
			},
		}),
	})
}

// withNotify are these and those of notifications.
func withNotify(all map[string]func(*testscript.TestScript, bool, []string)) map[string]func(*testscript.TestScript, bool, []string) {
	maps.Copy(all, notifyCommands())
	all["permission"] = permission
	return all
}

func poll(ts *testscript.TestScript, what string, done func() bool) {
	for end := time.Now().Add(2 * time.Minute); !done(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("waited in vain for %s", what)
		}
	}
}

// killHub kills the process that listens on the socket and waits until it is
// gone.
func killHub(socket string) bool {
	pid := hubPID(socket)
	if pid == 0 {
		return false
	}
	syscall.Kill(pid, syscall.SIGKILL)
	for {
		// The kernel closes its files one by one, the socket perhaps before the lock of the store.
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil || len(open) == 0 {
			return true
		}
		runtime.Gosched()
	}
}

// hubPID asks the kernel who listens.
func hubPID(socket string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return 0
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}
