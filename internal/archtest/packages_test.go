package archtest

import (
	"path"
	"strings"
)

// module is the path of the root module; the others live below it.
const module = "github.com/saysohq/sayso"

// leaf is the layer of what nobody imports.
const leaf = 7

// layers says on which layer each package is. A package imports only packages on
// lower layers. Packages below one of these belong to it unless they are in the
// table themselves, and may import each other.
var layers = map[string]int{
	"internal/strictjson": -1,
	"internal/safetext":   -1,
	"internal/linediff":   -1,
	"internal/textindex":  -1,
	"internal/archtest":   -1,

	"sayso": 0,

	"dialect":      1,
	"conversation": 1,
	"prompt":       1,
	"pendingfile":  1,
	"hub":          1,
	"saysotest":    1,

	"examples/cli":    2,
	"hub/hubtest":     2,
	"api":             2,
	"client":          3,
	"app/auth":        2,
	"app/connlimit":   2,
	"app/gateway":     2,
	"app/historytest": 2,
	"app/metrics":     2,
	"app/modeltest":   2,
	"app/rules":       2,
	"app/securitylog": 2,
	"app/mutanttest":  2,
	"app/testenv":     2,
	"app/wake":        2,
	"app/demo":        2,
	"app/tmuxtest":    3,

	"app/stats":               2,
	"app/surface/surfacetest": 2,
	"app/surface/words":       2,

	"app/outbound":                    3,
	"app/surface/notify":              2,
	"app/surface/notify/ntfytest":     2,
	"app/surface/notify/pushtest":     2,
	"app/surface/notify/slacktest":    2,
	"app/surface/notify/telegramtest": 2,
	"app/surface/notify/command":      4,
	"app/surface/notify/desktop":      4,
	"app/surface/notify/mail":         4,
	"app/surface/notify/notifytest":   3,
	"app/surface/notify/ntfy":         4,
	"app/surface/notify/slack":        4,
	"app/surface/notify/telegram":     4,
	"app/surface/notify/tty":          4,
	"app/surface/notify/webhook":      4,
	"app/surface/notify/webpush":      4,

	"app/engine/natsstore":  3,
	"app/engine/natsserver": 3,
	"app/surface/tui":       3,
	"app/surface/web":       3,
	"app/door/bridge":       2,
	"app/door/claudecall":   2,
	"app/door/jsonrpc":      3,
	"app/door/mcp":          3,
	"app/door/codex":        3,
	"app/door/acp":          3,
	"app/door/copilot":      3,
	"app/door/opencode":     3,
	"app/door/hook":         3,
	"app/door/pi":           3,
	"app/httpapi":           3,
	"app/console":           3,

	"app/engine/enginetest": 4,
	"app/door/hubfake":      4,
	"app/engine/faulttest":  5,
	"app/surface/terminal":  4,
	"app/setup":             4,
	"app/internal/cli":      5,
	"app/ownhub":            6,
	"app/cmd/sayso":         6,
	"app/attacktest":        6,
	"app/clustertest":       6,
	"app/loadtest":          6,
	"app/docstest":          6,
	"app/reachtest":         7,
	"app/approvaltest":      7,
	"app/gracetest":         7,
	"app/door/doortest":     5,

	"fantasytool": 2,
	"agent":       leaf,

	"deploy/charttest": leaf,
}

// packageOf returns the package of the table that holds folder dir, which is
// relative to the top of the repository, or "" if none does.
func packageOf(dir string) string {
	if dir == "." {
		return "sayso"
	}
	for pkg := dir; pkg != "."; pkg = path.Dir(pkg) {
		if _, ok := layers[pkg]; ok && pkg != "sayso" {
			return pkg
		}
	}
	return ""
}

// moduleOf returns the module that holds folder dir: "root", "app", "fantasytool", "agent" or "deploy".
func moduleOf(dir string) string {
	switch top, _, _ := strings.Cut(dir, "/"); top {
	case "app", "fantasytool", "agent", "deploy":
		return top
	}
	return "root"
}

// folder returns the folder of an import path of this repository, "." for the
// root package, and whether it is one.
func folder(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}
