package desktop_test

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/desktop"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
)

// TestHostile puts the corpus through the channel, to services with and without markup.
// The service refuses markup that is not text.
func TestHostile(t *testing.T) {
	t.Run("with room for everything", func(t *testing.T) { hostile(t, everything, 1<<20) })
	t.Run("no markup", func(t *testing.T) { hostile(t, []string{"actions", "body"}, 1<<20) })
}

// roomy is the channel with other limits: the whole of an ask that is hostile
// everywhere is too long for a desktop.
type roomy struct {
	*desktop.Channel
	text int
}

func (r roomy) Limits() notify.Limits {
	l := r.Channel.Limits()
	l.Text = max(l.Text, r.text)
	return l
}

func hostile(t *testing.T, caps []string, text int) {
	address := startBus(t)
	fake := startDaemon(t, address, caps...)
	c := desktop.New(&desktop.Options{Address: address})
	t.Cleanup(func() { c.Close() })
	notifytest.Run(t, &notifytest.Target{
		Channel: roomy{c, text}, Contact: notify.Contact{Tenant: "home", ID: "desktop-1", Kind: notify.Desktop, Account: "desktop-1"},
		Seen: fake.view,
	})
}

// view is the screen of the desktop, which may be locked unless the person has just
// pressed a button: only then does a notification change in silence.
func (d *daemon) view() notifytest.View {
	var v notifytest.View
	for _, n := range d.screen() {
		lock := &v.Lock
		if n.quiet {
			lock = &v.Unlocked
		}
		*lock = append(*lock, n.summary, n.body)
		v.Unlocked = append(v.Unlocked, n.body, n.summary)
		v.Buttons = 0
		for i, key := range n.keys {
			if key != "default" {
				v.Buttons++
				*lock = append(*lock, n.labels[i])
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	v.Wire = []byte(strings.Join(d.wire, "\n"))
	d.wire = nil
	return v
}
