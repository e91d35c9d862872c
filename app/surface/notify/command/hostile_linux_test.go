package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/surface/notify/command"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
)

// TestHostile puts the corpus through a program that shows what it reads.
func TestHostile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	screen := map[string]command.Notification{}
	notifytest.Run(t, &notifytest.Target{
		Channel: command.New(&command.Options{Args: []string{"sh", "-c", `exec cat >>"$1"`, "sh", file}}), Contact: *contact(),
		Seen: func() notifytest.View {
			b, err := os.ReadFile(file)
			must(t, err)
			must(t, os.Remove(file))
			var v notifytest.View
			for line := range strings.Lines(string(b)) {
				var n command.Notification
				must(t, json.Unmarshal([]byte(line), &n))
				v.Wire = append(v.Wire, strings.Join([]string{n.ID, n.Title, n.Body, n.Text, n.URL, n.Person, n.Event}, "\n")...)
				screen[n.ID] = n
				if n.Event == "withdraw" {
					delete(screen, n.ID)
				}
			}
			for _, n := range screen {
				v.Lock = append(v.Lock, n.Title, n.Body)
				if n.Event == "notify" { // else the person has asked for it
					v.Lock = append(v.Lock, n.Text)
				}
				v.Unlocked = append(v.Unlocked, n.Title, n.Body, n.Text)
				v.Links = append(v.Links, n.URL)
			}
			return v
		},
	})
}
