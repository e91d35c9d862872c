package webhook

import (
	"testing"

	"github.com/saysohq/sayso/app/surface/notify/notifytest"
)

func TestHostile(t *testing.T) {
	c, r, to, _ := setUp(t)
	notifytest.Run(t, &notifytest.Target{
		Channel: c, Contact: *to, Loose: true, // it shows nothing
		Seen: func() notifytest.View {
			var v notifytest.View
			for _, got := range r.taken() {
				v.Wire = append(v.Wire, got.body...)
				if got.Data.URL != "" {
					v.Links = append(v.Links, got.Data.URL)
				}
			}
			return v
		},
	})
}
