package setup

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed embed/link.mjs
var linkSource string

// pluginVersion is the version of the plugins and extensions that are part of sayso.
// "sayso setup" replaces those of another version.
const pluginVersion = "1"

// pluginText returns the text of a plugin for an agent: where it comes from, the words
// that start "sayso bridge", the connection, and the plugin itself.
func pluginText(e *Env, agent, source string) []byte {
	words, err := json.Marshal(e.Words("bridge", agent))
	if err != nil {
		panic(err) // texts can be encoded
	}
	return []byte("// sayso for " + agent + ", version " + pluginVersion + ". Installed by: sayso setup " + agent + ". Remove it with: sayso setup " + agent + " --undo\n" +
		"const words = " + string(words) + "\n\n" +
		strings.Replace(linkSource, "export function link", "function link", 1) + "\n" + source)
}
