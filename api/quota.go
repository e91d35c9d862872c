package api

import (
	"fmt"
	"math"
	"net/http"
	"time"
)

// The names of the quotas, as in sayso serve --quota.
const (
	QuotaOpen        = "open"
	QuotaRate        = "rate"
	QuotaStored      = "stored"
	QuotaReads       = "reads"
	QuotaReading     = "reads-at-once"
	QuotaStreams     = "streams"
	QuotaWaits       = "waits"
	QuotaSessions    = "mcp-sessions"
	QuotaAllSessions = "mcp-sessions-total"
)

// The units of quotas.
const (
	UnitBytes  = "bytes"
	UnitRate   = "per second"
	UnitVolume = "bytes per second"
	UnitCount  = "at a time"
)

// Quota is a limit that a request met.
type Quota struct {
	Name  string  `json:"name" doc:"Which limit, as in sayso serve --quota."`
	Limit float64 `json:"limit" doc:"How much is allowed."`
	Used  float64 `json:"used" doc:"How much is used."`
	Unit  string  `json:"unit" doc:"Of both: bytes, bytes per second, per second, at a time."`
	Retry int     `json:"retry" doc:"In how many seconds it is worth to try again; Retry-After says the same."`
}

// what is counted, in words.
var counted = map[string]string{
	QuotaOpen:        "open asks",
	QuotaRate:        "changes a second",
	QuotaStored:      "stored in 30 days",
	QuotaReads:       "of reads a second",
	QuotaReading:     "large reads at a time",
	QuotaStreams:     "event streams",
	QuotaWaits:       "waits for an answer",
	QuotaSessions:    "MCP sessions",
	QuotaAllSessions: "MCP sessions of all credentials",
}

// Problem returns what who is told that met the quota; who is its credential in
// words.
func (q *Quota) Problem(who string) Problem {
	return Problem{
		Type: ProblemURN + TooMany, Title: TooManyTitle, Status: http.StatusTooManyRequests, Quota: q,
		Detail: fmt.Sprintf("%s has used %s of %s %s; try again in %s, or raise the limit with sayso serve --quota %s=%s",
			who, q.amount(q.Used), q.amount(q.Limit), counted[q.Name], span(time.Duration(q.Retry)*time.Second), q.Name, q.more()),
	}
}

// TooManyTitle is the title of every problem with a quota.
const TooManyTitle = "Quota exceeded"

func (q *Quota) bytes() bool { return q.Unit == UnitBytes || q.Unit == UnitVolume }

func (q *Quota) amount(n float64) string {
	if !q.bytes() {
		return fmt.Sprintf("%.4g", n)
	}
	return formatBytes(int64(n))
}

// more suggests a setting: twice as much.
func (q *Quota) more() string {
	if !q.bytes() {
		return fmt.Sprintf("%.4g", 2*q.Limit)
	}
	return formatSize(int64(2 * q.Limit))
}

var sizes = []struct {
	unit  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// formatBytes spells a number of bytes for people: 256.0 MiB.
func formatBytes(n int64) string {
	for _, s := range sizes {
		if n >= s.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(s.bytes), s.unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// formatSize spells a number of bytes exactly, as a setting: 256MiB.
func formatSize(n int64) string {
	for _, s := range sizes {
		if n >= s.bytes && n%s.bytes == 0 {
			return fmt.Sprintf("%d%s", n/s.bytes, s.unit)
		}
	}
	return fmt.Sprintf("%dB", n)
}

// span spells a duration in its largest unit.
func span(d time.Duration) string {
	for _, u := range []struct {
		name string
		long time.Duration
	}{{"days", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}} {
		if d >= 2*u.long {
			return fmt.Sprintf("%.0f %s", math.Ceil(d.Seconds()/u.long.Seconds()), u.name)
		}
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
