package outbound

import (
	"net/http"
	"strconv"
	"time"
)

// RetryAfter returns how long a server wants to be left alone: what its header
// Retry-After says, in seconds or as a date, and a day at most. It is zero if the
// server says nothing that can be read.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	d, s := time.Duration(0), h.Get("Retry-After")
	if sec, err := strconv.ParseUint(s, 10, 31); err == nil {
		d = time.Duration(sec) * time.Second
	} else if at, err := http.ParseTime(s); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), 24*time.Hour)
}
