package house

import (
	"path"
	"strings"
)

// module is the path of the root module; app and agent live below it.
const module = "github.com/saysohq/sayso"

// leaf is the floor of what nobody imports.
const leaf = 6

// rooms says on which floor each room stands. A room imports only rooms on
// lower floors. Packages below a room belong to it unless they are rooms
// themselves, and may import each other.
var rooms = map[string]int{
	"internal/strictjson": -1,
	"internal/safetext":   -1,
	"internal/house":      -1,

	"sayso": 0,

	"dialect":      1,
	"conversation": 1,
	"prompt":       1,
	"pendingfile":  1,
	"hub":          1,
	"saysotest":    1,

	"hub/hubtest":   2,
	"client":        2,
	"app/auth":      2,
	"app/modeltest": 2,
	"app/needtest":  2,

	"app/engine/natsstore":  3,
	"app/engine/natsserver": 3,
	"app/surface/tui":       3,
	"app/surface/web":       3,
	"app/surface/notify":    3,
	"app/door/jsonrpc":      3,
	"app/door/mcp":          3,
	"app/door/acp":          3,
	"app/door/hook":         3,
	"app/httpapi":           3,

	"app/engine/enginetest": 4,
	"app/door/bubble":       4,
	"app/engine/faulttest":  5,
	"app/internal/cli":      4,
	"app/cmd/sayso":         5,
	"app/door/doortest":     5,

	"agent": leaf,
}

// roomOf returns the room that holds the package in folder dir, which is
// relative to the top of the repository, or "" if no room does.
func roomOf(dir string) string {
	if dir == "." {
		return "sayso"
	}
	for room := dir; room != "."; room = path.Dir(room) {
		if _, ok := rooms[room]; ok && room != "sayso" {
			return room
		}
	}
	return ""
}

// moduleOf returns the module that holds folder dir: "root", "app" or "agent".
func moduleOf(dir string) string {
	switch top, _, _ := strings.Cut(dir, "/"); top {
	case "app", "agent":
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
