package httpapi

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/saysohq/sayso/api"
)

// Quota bounds what one credential may take of a person's attention and of the
// server. All keys of one subject share it. A field that is zero means its
// default, a negative one no bound.
type Quota struct {
	Open  int     // asks that one asker may have open; default: 50
	Rate  float64 // requests a second that change something, each 16 KiB of a body counting once; default: 50
	Burst int     // how many of them may come at once; default: 200

	// Stored is how many bytes may be written on behalf of a credential in the
	// 30 days that the audit keeps them. Default: 256 MiB, about 25,000 asks of
	// 2 KB with their answers: more than a person reads in a month, and ten such
	// askers still fit on a small disk.
	Stored int64

	// Reads is how many bytes a second may be read in the long run, and 16 times
	// as many at once. A request counts 8 KiB or more, each record of a list 4 KiB
	// beside its bytes, and what was looked at and not returned a quarter of its
	// bytes. Default: 4 MiB.
	Reads int64

	Reading     int // lists and snapshots at a time; default: 2
	Streams     int // event streams at a time; default: 32
	Waits       int // requests at a time that wait for an answer; default: 512
	Sessions    int // sessions of agents that speak MCP over HTTP; default: 64
	AllSessions int // those of all credentials together; default: 1000
}

// quotaSettings are the names of the fields in settings.
var quotaSettings = []struct {
	name  string
	field func(*Quota) any
	value float64 // the default
	means string
}{
	{api.QuotaOpen, func(q *Quota) any { return &q.Open }, 50, "open asks of one asker"},
	{api.QuotaRate, func(q *Quota) any { return &q.Rate }, 50, "changes per second; a body counts once for each 16 KiB"},
	{"burst", func(q *Quota) any { return &q.Burst }, 200, "changes that may come at once"},
	{api.QuotaStored, func(q *Quota) any { return &q.Stored }, 256 << 20, "bytes written in 30 days, with the copies of the audit; the owner of the hub has four times as much"},
	{api.QuotaReads, func(q *Quota) any { return &q.Reads }, 4 << 20, "bytes read per second in the long run, and 16 times as many at once"},
	{api.QuotaReading, func(q *Quota) any { return &q.Reading }, 2, "lists at a time; more wait for two seconds"},
	{api.QuotaStreams, func(q *Quota) any { return &q.Streams }, 32, "event streams at a time"},
	{api.QuotaWaits, func(q *Quota) any { return &q.Waits }, 512, "requests at a time that wait for an answer"},
	{api.QuotaSessions, func(q *Quota) any { return &q.Sessions }, 64, "MCP sessions over HTTP"},
	{api.QuotaAllSessions, func(q *Quota) any { return &q.AllSessions }, 1000, "MCP sessions over HTTP of all keys together"},
}

// QuotaSetting is one limit as settings name it.
type QuotaSetting struct {
	Name, Means string
	Default     float64
	Bytes       bool // it is a size, which takes a unit
}

// QuotaSettings returns every limit, for documents.
func QuotaSettings() []QuotaSetting {
	var all []QuotaSetting
	for _, s := range quotaSettings {
		_, size := s.field(&Quota{}).(*int64)
		all = append(all, QuotaSetting{Name: s.name, Means: s.means, Default: s.value, Bytes: size})
	}
	return all
}

// WithDefaults returns the quota with a number in every field.
func (q Quota) WithDefaults() Quota {
	for _, s := range quotaSettings {
		switch f := s.field(&q).(type) {
		case *int:
			*f = bound(*f, int(s.value), math.MaxInt)
		case *int64:
			*f = bound(*f, int64(s.value), math.MaxInt64)
		case *float64:
			*f = bound(*f, s.value, math.MaxFloat64) // as rate.Inf
		}
	}
	return q
}

func bound[N int | int64 | float64](n, byDefault, none N) N {
	switch {
	case n == 0:
		return byDefault
	case n < 0:
		return none
	}
	return n
}

// Set reads settings: open=20, or several with commas between them. A size has a
// unit, as in 256MiB; off means no bound.
func (q *Quota) Set(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(one), "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=VALUE, as in open=20 or stored=1GiB", one)
		}
		if err := q.set(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (q *Quota) set(name, value string) error {
	var names []string
	for _, s := range quotaSettings {
		names = append(names, s.name)
		if s.name != name {
			continue
		}
		var err error
		switch f := s.field(q).(type) {
		case *int:
			*f, err = parseQuota(value, strconv.Atoi)
		case *int64:
			*f, err = parseQuota(value, ParseSize)
		case *float64:
			*f, err = parseQuota(value, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
		}
		if err != nil {
			return fmt.Errorf("quota %s: %q is %w", name, value, err)
		}
		return nil
	}
	return fmt.Errorf("unknown quota %q; the quotas are %s", name, strings.Join(names, ", "))
}

var (
	errNumber = errors.New("not a number above zero; use off for no limit")
	errSize   = errors.New("not a size such as 64MiB or 1GiB; use off for no limit")
)

func parseQuota[N int | int64 | float64](value string, parse func(string) (N, error)) (N, error) {
	if value == "off" {
		return -1, nil
	}
	n, err := parse(value)
	switch {
	case errors.Is(err, errSize):
		return 0, err
	case err != nil || !(n > 0) || math.IsInf(float64(n), 0):
		return 0, errNumber
	}
	return n, nil
}

// ParseSize reads a number of bytes with its unit, as in 256MiB.
func ParseSize(s string) (int64, error) {
	for _, u := range []struct {
		unit  string
		bytes float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}} {
		if digits, ok := strings.CutSuffix(s, u.unit); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
			if n *= u.bytes; err != nil || !(n >= 1) || n > math.MaxInt64/2 {
				return 0, errSize
			}
			return int64(n), nil
		}
	}
	return 0, errSize
}
