package words

import (
	"testing"
	"time"
)

// The days that the choices name are those on which a question comes back, in the zone
// of the person and across a change of the clocks.
func TestLaterChoices(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ now, tomorrow, monday string }{
		{"2026-11-18T23:30", "2026-11-19T08:00", "2026-11-23T08:00"}, // a Wednesday
		{"2026-11-22T07:00", "2026-11-23T08:00", "2026-11-23T08:00"}, // a Sunday
		{"2026-11-23T07:00", "2026-11-24T08:00", "2026-11-30T08:00"}, // a Monday: the next one
		{"2026-10-24T20:00", "2026-10-25T08:00", "2026-10-26T08:00"}, // the clocks go back that night
	} {
		now, err := time.ParseInLocation("2006-01-02T15:04", tt.now, berlin)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]time.Time{}
		for _, c := range English().LaterChoices(now) {
			got[c.Name] = c.Until
			if c.Words == "" {
				t.Errorf("%s has no words", c.Name)
			}
		}
		if !got["hour"].Equal(now.Add(time.Hour)) || !got["back"].IsZero() || len(got) != 4 {
			t.Errorf("%s: %v", tt.now, got)
		}
		for name, want := range map[string]string{"tomorrow": tt.tomorrow, "monday": tt.monday} {
			if at := got[name].Format("2006-01-02T15:04"); at != want {
				t.Errorf("%s: %s is %s, want %s", tt.now, name, at, want)
			}
		}
	}
}
