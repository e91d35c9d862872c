package words

import "time"

// LaterChoice is a time at which a question that is left for later comes back.
type LaterChoice struct {
	Name  string // in a form
	Words string
	Until time.Time // zero: when the person is back
}

// LaterChoices are those that the inboxes offer. The time is that of the person's zone.
func (w *Catalogue) LaterChoices(now time.Time) []LaterChoice {
	return []LaterChoice{
		{"hour", w.Inbox.LaterHour, now.Add(time.Hour)},
		{"tomorrow", w.Inbox.LaterTomorrow, Morning(now, 1)},
		{"monday", w.Inbox.LaterMonday, Morning(now, DaysUntil(now, time.Monday))},
		{"back", w.Inbox.LaterBack, time.Time{}},
	}
}

// Morning is 8:00 so many days ahead, in the zone of now. It is when something comes
// back that was put off until tomorrow.
func Morning(now time.Time, days int) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day()+days, 8, 0, 0, 0, now.Location())
}

// DaysUntil is in how many days it is a day of the week: 1 to 7, never today.
func DaysUntil(now time.Time, day time.Weekday) int { return (int(day-now.Weekday())+6)%7 + 1 }
