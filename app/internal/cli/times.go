package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/words"
)

// moment reads a time: how long ago, or a date, with or without the time of the day.
func moment(flag, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, console.Usage("--%s cannot be %q", flag, s).Next("Use a duration such as 90m, 24h or 7d, or a date such as 2026-11-15.")
}

// timeAhead reads a time that lies ahead.
func timeAhead(s string, now time.Time) (time.Time, bool) {
	at := func(days, hour, minute int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, hour, minute, 0, 0, now.Location())
	}
	low := strings.ToLower(s)
	if low == "tomorrow" {
		return words.Morning(now, 1), true
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if low == strings.ToLower(day.String()) {
			return words.Morning(now, words.DaysUntil(now, day)), true
		}
	}
	if clock, err := time.Parse("15:04", s); err == nil {
		if t := at(0, clock.Hour(), clock.Minute()); t.After(now) {
			return t, true
		}
		return at(1, clock.Hour(), clock.Minute()), true
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, true
		}
	}
	if day, err := time.ParseInLocation("2006-01-02", s, now.Location()); err == nil {
		return words.Morning(day, 0), true
	}
	return time.Time{}, false
}
