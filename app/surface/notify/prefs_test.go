package notify

import (
	"testing"
	"time"
)

func TestQuiet(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	night := &Quiet{From: "22:00", To: "07:00", Zone: "Europe/Berlin"}
	for _, c := range []struct {
		q    *Quiet
		at   string
		want string // empty: not quiet
	}{
		{nil, "2026-11-15T03:00:00Z", ""},
		{night, "2026-11-15T20:59:59Z", ""},
		{night, "2026-11-15T21:00:00Z", "2026-11-16T06:00:00Z"},
		{night, "2026-11-15T23:30:00Z", "2026-11-16T06:00:00Z"},
		{night, "2026-11-16T05:59:59Z", "2026-11-16T06:00:00Z"},
		{night, "2026-11-16T06:00:00Z", ""},
		{night, "2026-07-15T20:30:00Z", "2026-07-16T05:00:00Z"}, // summer time
		{night, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"}, // the night in which it begins
		{&Quiet{From: "12:00", To: "13:00", Zone: "UTC"}, "2026-11-15T12:30:00Z", "2026-11-15T13:00:00Z"},
		{&Quiet{From: "12:00", To: "13:00", Zone: "UTC"}, "2026-11-15T13:00:00Z", ""},
		{&Quiet{From: "02:00", To: "02:30", Zone: "Europe/Berlin"}, "2026-03-29T01:10:00Z", ""}, // an hour that this day does not have
		{&Quiet{From: "00:00", To: "23:59", Zone: "Asia/Kolkata"}, "2026-11-15T18:30:00Z", "2026-11-16T18:29:00Z"},
	} {
		want := at(c.at)
		if c.want != "" {
			want = at(c.want)
		}
		if got := (&Prefs{Quiet: c.q}).quietUntil(at(c.at)); !got.Equal(want) {
			t.Errorf("%+v at %s: quiet until %s, want %s", c.q, c.at, got.UTC(), want)
		}
	}
	both := &Prefs{Quiet: night, Until: at("2026-11-15T22:00:00Z")}
	if got := both.quietUntil(at("2026-11-15T19:00:00Z")); !got.Equal(at("2026-11-16T06:00:00Z")) {
		t.Errorf("a mute that ends in the night lasts until %s", got)
	}
	for _, bad := range []Quiet{{From: "22:00", To: "07:00", Zone: "Mars/Base"}, {From: "22", To: "07:00", Zone: "UTC"}, {From: "07:00", To: "07:00", Zone: "UTC"}, {From: "25:00", To: "07:00", Zone: "UTC"}, {From: "22:00", To: "07:00", Zone: "Local"}} {
		if (&Prefs{Quiet: &bad}).Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
