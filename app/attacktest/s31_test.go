package attacktest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/app/testenv"
)

// TestS31: another user of the machine, who serves pages on other ports, and takes
// the port of the inbox when its hub has ended, reads and answers nothing. The
// person's browsers are real.
func TestS31(t *testing.T) {
	if os.Getenv("SAYSO_S31") != "" {
		twoUsers(t)
		return
	}
	if os.Getenv("SAYSO_ATTACKS") == "" {
		t.Skip("starts processes and browsers: set SAYSO_ATTACKS=1, or run .ci/run attacks")
	}
	out, err := inside(t, "^TestS31$", "2")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", bytes.Join(regexp.MustCompile(`S31-.*`).FindAll(out, -1), []byte("\n")))
}

// TestFigure_S31 does the same fifty times in each browser.
func TestFigure_S31(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	out, err := inside(t, "^TestS31$", "50")
	for _, m := range regexp.MustCompile(`S31-.*`).FindAll(out, -1) {
		t.Logf("FIGURE %s", m)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// inside runs a test as root of a machine of its own: its network and its processes
// are nobody else's, and all of them end with it.
func inside(t *testing.T, test, tries string) ([]byte, error) {
	browsers(t)
	dir, err := os.MkdirTemp("", "s31") // every user may run what is there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if out, err := exec.Command("cp", self, program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{dir, program} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
		"sh", "-c", `ip link set lo up; exec "$0" "$@"`, program, "-test.run="+test, "-test.v", "-test.timeout=50m")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SAYSO_ATTACKS=1", "SAYSO_S31="+tries)
	return cmd.CombinedOutput()
}

// twoUsers plays the scenes.
func twoUsers(t *testing.T) {
	tries, err := strconv.Atoi(os.Getenv("SAYSO_S31"))
	if err != nil {
		t.Fatal(err)
	}
	steals := tries
	if tries < 10 { // in CI; squatting has several forms
		steals = 1
	}
	for name, start := range map[string]func(*world) window{"chromium": newChromium, "firefox": newFirefox} {
		if only := os.Getenv("SAYSO_S31_BROWSER"); only != "" && only != name {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, start)
			for _, play := range []struct {
				name  string
				try   func(int)
				tries int
			}{{"steal", s.steal, steals}, {"squat", s.squat, tries}} {
				clear(s.answered)
				for i := range play.tries {
					if play.try(i); t.Failed() && tries < 10 {
						t.FailNow() // one is enough
					}
				}
				t.Logf("S31-%s-%s %d answers/%d", play.name, name, len(s.answered), play.tries)
			}
		})
	}
}

// s31 are the guards of TestS31, each turned off.
var s31 = []mutanttest.Mutant{
	{
		Name: "the local inbox is at 127.0.0.1, as it was", Test: "^TestS31$", Env: inChromium, Needs: browsers,
		Says: `steal: the ask is answered`,
		Edits: []mutanttest.Edit{
			{File: webInboxFile, Old: `[]string{in.name}, true`, New: `[]string{in.name}, !MUTANT`},
			{File: webInboxFile, Old: "\t\treturn \"http://\" + net.JoinHostPort(in.name, port)", New: "\t\tif MUTANT {\n\t\t\treturn \"http://127.0.0.1:\" + port\n\t\t}\n\t\treturn \"http://\" + net.JoinHostPort(in.name, port)"},
		},
	},
	{
		Name: "the name can be guessed", Test: "^TestS31$", Env: inFirefox, Needs: browsers,
		Says:  `steal: the ask is answered`,
		Edits: []mutanttest.Edit{named(`"sayso.localhost"`)},
	},
	{
		Name: "the name is used again", Test: "^TestS31$", Env: inChromium, Needs: browsers,
		Says:  `squat, with the old name: the ask is answered`,
		Edits: []mutanttest.Edit{named(`"bm5ukp2rmnxwkegkbq3t7zqv4e.localhost"`)},
	},
	{
		Name: "name and sessions outlive the hub", Test: "^TestS31$", Env: inFirefox, Needs: browsers,
		Says:  `squat, after the restart: the ask is answered`,
		Edits: []mutanttest.Edit{named(`"bm5ukp2rmnxwkegkbq3t7zqv4e.localhost"`), sessionsStay},
	},
	{
		Name: "sessions outlive the hub", In: "app/internal/cli/localhub", Test: "^TestWebLink$",
		Says:  `with a cookie of before the restart: 200`,
		Edits: []mutanttest.Edit{sessionsStay},
	},
	{
		Name: "the local inbox answers to other names", In: "app/internal/cli/localhub", Test: "^TestWebLink$",
		Says:  `under the name "localhost": 401`,
		Edits: []mutanttest.Edit{{File: webInboxFile, Old: `[]string{in.name}, true`, New: `[]string{in.name}, !MUTANT`}},
	},
	{
		Name: "the cookie is for all below localhost", In: "app/internal/cli/localhub", Test: "^TestWebLink$",
		Says:  `the cookie is .*Domain`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/session.go", Old: `		Name: s.cookieName(name), Value: value, Path: "/",`, New: `		Name: s.cookieName(name), Value: value, Path: "/", Domain: map[bool]string{true: "localhost"}[MUTANT],`}},
	},
	{
		Name: "agents are told the address of the local inbox", In: "app/internal/cli/localhub", Test: "^TestWebLink$",
		Says:  `agents are told the address "http`,
		Edits: []mutanttest.Edit{{File: webInboxFile, Old: "\tif in.name != \"\" {\n\t\treturn \"\"", New: "\tif in.name != \"\" && !MUTANT {\n\t\treturn \"\""}},
	},
	{
		Name: "the inbox takes one loopback address only", Test: "^TestS31$", Env: inChromium, Needs: browsers,
		Says:  `the browser signs in at the intruder`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/local.go", Old: `		if !six {`, New: `		if !six || MUTANT {`}},
	},
	{
		Name: "the address is on the command line", Test: "^TestS31$", Env: inChromium, Needs: browsers,
		Says:  `the address of the inbox is in /proc/\d+/cmdline`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/web.go", Old: "\topen := []string{\"xdg-open\", name}", New: "\tif MUTANT {\n\t\tname = link\n\t}\n\topen := []string{\"xdg-open\", name}"}},
	},
	{
		Name: "everybody can read the page that leads to the inbox", In: "app/internal/cli/localhub", Test: "^TestLoginPage$",
		Says:  `-rw-r--r--`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/loginpage.go", Old: "\tif err2 := f.Close(); err == nil {", New: "\tif MUTANT {\n\t\tf.Chmod(0o644)\n\t}\n\tif err2 := f.Close(); err == nil {"}},
	},
}

const webInboxFile = "app/internal/cli/localhub/web.go"

var (
	inChromium = []string{"SAYSO_S31_BROWSER=chromium"}
	inFirefox  = []string{"SAYSO_S31_BROWSER=firefox"}

	sessionsStay = mutanttest.Edit{File: webInboxFile, Old: "\treturn rand.Text()", New: "\tif MUTANT {\n\t\treturn \"\"\n\t}\n\treturn rand.Text()"}
)

// named gives the local inbox the same name each time.
func named(name string) mutanttest.Edit {
	return mutanttest.Edit{
		File: "app/surface/web/local.go",
		Old:  `func LocalName() string { return strings.ToLower(rand.Text()) + ".localhost" }`,
		New:  "func LocalName() string {\n\tif MUTANT {\n\t\treturn " + name + "\n\t}\n\treturn strings.ToLower(rand.Text()) + \".localhost\"\n}",
	}
}

// browsers skips what needs them where they are missing.
func browsers(t testing.TB) { testenv.Root(t, "unshare", "ip", "chromium", "firefox-esr") }
