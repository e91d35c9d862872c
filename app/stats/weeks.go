package stats

import "time"

// weekSums are the weeks of a period.
type weekSums struct {
	all  []Week
	span []time.Duration
	zone *time.Location
}

// mostWeeks are listed; earlier ones are left out.
const mostWeeks = 520

func (c *collector) weeks() *weekSums {
	w := &weekSums{zone: c.o.Zone}
	first := monday(c.o.Since, c.o.Zone)
	if earliest := monday(c.o.Now, c.o.Zone).AddDate(0, 0, -7*(mostWeeks-1)); first.Before(earliest) {
		first = earliest
	}
	for at := first; !at.After(c.o.Now); at = at.AddDate(0, 0, 7) {
		w.all = append(w.all, Week{Start: at})
	}
	w.span = make([]time.Duration, len(w.all))
	return w
}

// monday is the beginning of the week in which a time is.
func monday(t time.Time, in *time.Location) time.Time {
	t = t.In(in)
	return time.Date(t.Year(), t.Month(), t.Day()-(int(t.Weekday())+6)%7, 0, 0, 0, 0, in)
}

// at returns the week of a time; one that is not in the period does not count.
func (w *weekSums) at(t time.Time) *Week {
	if i := w.index(t); i >= 0 {
		return &w.all[i]
	}
	return &Week{}
}

func (w *weekSums) index(t time.Time) int {
	if len(w.all) == 0 || t.Before(w.all[0].Start) {
		return -1
	}
	// A week has 168 hours, or one more or less.
	i := min(int(t.Sub(w.all[0].Start)/(7*24*time.Hour)), len(w.all)-1)
	if i+1 < len(w.all) && !t.Before(w.all[i+1].Start) {
		i++
	}
	if i > 0 && t.Before(w.all[i].Start) {
		i--
	}
	return i
}

// block adds a time of waiting to the weeks that it is in.
func (w *weekSums) block(from, to time.Time) {
	for i := max(w.index(from), 0); i < len(w.all); i++ {
		begin, end := from, to
		if begin.Before(w.all[i].Start) {
			begin = w.all[i].Start
		}
		if i+1 < len(w.all) && end.After(w.all[i+1].Start) {
			end = w.all[i+1].Start
		}
		if end.After(begin) {
			w.span[i] += end.Sub(begin)
			w.all[i].Blocked = seconds(w.span[i])
		}
		if !to.After(end) {
			return
		}
	}
}
