package words

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Times are the words for times and dates.
type Times struct {
	JustNow                        string
	MinutesAgo, HoursAgo, DaysAgo  Plural
	DueNow                         string
	DueMinutes, DueHours, DueDays  Plural
	Seconds, Minutes, Hours, Days  string // of a duration, in short: %d
	Today, Yesterday, Tomorrow     string // with a time of day: %s
	Date, DateInYear, DateWithTime string // day, month; day, month, year; a date and a time
	Months                         [12]string
}

// Ago says how long ago something was.
func (w *Catalogue) Ago(d time.Duration) string {
	t := &w.Times
	switch {
	case d < time.Minute:
		return t.JustNow
	case d < time.Hour:
		return w.Count(t.MinutesAgo, int(d/time.Minute))
	case d < 48*time.Hour:
		return w.Count(t.HoursAgo, int(d/time.Hour))
	}
	return w.Count(t.DaysAgo, int(d/(24*time.Hour)))
}

// Due says how long it is until a deadline.
func (w *Catalogue) Due(d time.Duration) string {
	t := &w.Times
	switch d = d.Round(time.Minute); {
	case d < time.Minute:
		return t.DueNow
	case d < time.Hour:
		return w.Count(t.DueMinutes, int(d/time.Minute))
	case d < 48*time.Hour:
		return w.Count(t.DueHours, int(d.Round(time.Hour)/time.Hour))
	}
	return w.Count(t.DueDays, int(d.Round(24*time.Hour)/(24*time.Hour)))
}

// Duration writes how long something took, in at most two units.
func (w *Catalogue) Duration(d time.Duration) string {
	t := &w.Times
	pair := func(d, unit, part time.Duration, units, parts string) string {
		d = d.Round(part)
		s := w.Say(units, int(d/unit))
		if rest := d % unit / part; rest > 0 {
			s += " " + w.Say(parts, int(rest))
		}
		return s
	}
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return w.Say(t.Seconds, int(d/time.Second))
	case d < 10*time.Minute:
		return pair(d, time.Minute, time.Second, t.Minutes, t.Seconds)
	case d < time.Hour-30*time.Second:
		return w.Say(t.Minutes, int(d.Round(time.Minute)/time.Minute))
	case d < 48*time.Hour-30*time.Second:
		return pair(d, time.Hour, time.Minute, t.Hours, t.Minutes)
	}
	return pair(d, 24*time.Hour, time.Hour, t.Days, t.Hours)
}

// Clock is the time of day in a zone.
func (w *Catalogue) Clock(t time.Time, in *time.Location) string { return t.In(in).Format("15:04") }

// Date is a day in a zone.
func (w *Catalogue) Date(t time.Time, in *time.Location) string {
	t = t.In(in)
	return w.Say(w.Times.DateInYear, t.Day(), w.Times.Months[t.Month()-1], t.Year())
}

// DateTime is a day and a time of day in a zone.
func (w *Catalogue) DateTime(t time.Time, in *time.Location) string {
	return w.Say(w.Times.DateWithTime, w.Date(t, in), w.Clock(t, in))
}

// When is a time as briefly as it is clear at another one: today at 14:05, tomorrow,
// 3 May 14:05, and the year where it is another.
func (w *Catalogue) When(t, now time.Time, in *time.Location) string {
	t, now = t.In(in), now.In(in)
	clock := w.Clock(t, in)
	for _, day := range []struct {
		off   int
		words string
	}{{0, w.Times.Today}, {-1, w.Times.Yesterday}, {1, w.Times.Tomorrow}} {
		if sameDay(t, now.AddDate(0, 0, day.off)) {
			return w.Say(day.words, clock)
		}
	}
	if t.Year() != now.Year() {
		return w.DateTime(t, in)
	}
	return w.Say(w.Times.DateWithTime, w.Say(w.Times.Date, t.Day(), w.Times.Months[t.Month()-1]), clock)
}

// Number writes a number in groups of three digits.
func (w *Catalogue) Number(n int) string {
	s, minus := strconv.Itoa(n), ""
	if n < 0 {
		s, minus = s[1:], "-"
	}
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteString(w.Thousands)
		}
		b.WriteRune(r)
	}
	return minus + b.String()
}

// Decimal writes a number with so many decimals.
func (w *Catalogue) Decimal(f float64, decimals int) string {
	whole, rest, _ := strings.Cut(fmt.Sprintf("%.*f", decimals, f), ".")
	n, err := strconv.Atoi(whole)
	if err == nil && n != 0 {
		whole = w.Number(n)
	}
	if rest == "" {
		return whole
	}
	return whole + w.Point + rest
}

func sameDay(a, b time.Time) bool {
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}
