package localhub

import (
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// A change of the preferences changes what it names and nothing else.
func TestPrefsChange(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 17, 8, 0, 0, 0, time.UTC)
	before := func() *notify.Prefs {
		return &notify.Prefs{Quiet: &notify.Quiet{From: "22:00", To: "07:00", Zone: "UTC"}, Until: at, Mutes: []notify.Mute{{Agent: "a"}, {Agent: "b", Workspace: "w"}}, Shared: true}
	}
	never := time.Time{}
	for name, c := range map[string]struct {
		change PrefsChange
		want   func(*notify.Prefs)
	}{
		"nothing":     {PrefsChange{}, func(*notify.Prefs) {}},
		"until":       {PrefsChange{Until: &never}, func(p *notify.Prefs) { p.Until = never }},
		"no quiet":    {PrefsChange{NoQuiet: true}, func(p *notify.Prefs) { p.Quiet = nil }},
		"mute more":   {PrefsChange{Mute: &notify.Mute{Agent: "c"}}, func(p *notify.Prefs) { p.Mutes = append(p.Mutes, notify.Mute{Agent: "c"}) }},
		"mute longer": {PrefsChange{Mute: &notify.Mute{Agent: "a", Until: at}}, func(p *notify.Prefs) { p.Mutes = []notify.Mute{{Agent: "b", Workspace: "w"}, {Agent: "a", Until: at}} }},
		"unmute one":  {PrefsChange{Unmute: &notify.Mute{Agent: "b", Workspace: "w"}}, func(p *notify.Prefs) { p.Mutes = p.Mutes[:1] }},
		"unmute none": {PrefsChange{Unmute: &notify.Mute{Agent: "b"}}, func(*notify.Prefs) {}},
		"unmute all":  {PrefsChange{Unmute: &notify.Mute{}}, func(p *notify.Prefs) { p.Mutes = nil }},
	} {
		got, want := before(), before()
		c.change.apply(got)
		c.want(want)
		if !got.Until.Equal(want.Until) || (got.Quiet == nil) != (want.Quiet == nil) || !slices.Equal(got.Mutes, want.Mutes) || !got.Shared {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
