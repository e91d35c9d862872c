// Package metrics writes the text format that Prometheus reads, and counts what is
// read off nothing else. It is a few hundred lines in place of a library, because
// the hub needs no more of it: counters, gauges and histograms with fixed labels.
//
// A [Source] writes its families when somebody reads them. Labels have values from a
// closed list: the names of routes, statuses, kinds of errors. A name that a client
// or an operator made up is never one, as each value is kept for as long as the
// process lives.
package metrics

import (
	"context"
	"math"
	"strconv"
	"strings"
)

// ContentType is that of the text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Source writes what it knows. It returns soon: what takes long is kept by the
// source, see [Cached].
type Source func(ctx context.Context, w *Writer)

// Kind is the type of a family.
type Kind string

// The kinds of families.
const (
	Counter       Kind = "counter"
	Gauge         Kind = "gauge"
	HistogramKind Kind = "histogram"
)

// Writer collects the families of one reading. The zero value is ready to use.
type Writer struct {
	b     strings.Builder
	names map[string]bool
	name  string // of the family that is being written
}

// String returns what was written.
func (w *Writer) String() string { return w.b.String() }

// Family begins a family, unless it was written before: each may come only once.
func (w *Writer) Family(name string, kind Kind, help string) *Writer {
	w.name = name
	if w.names[name] {
		return w
	}
	if w.names == nil {
		w.names = map[string]bool{}
	}
	w.names[name] = true
	w.b.WriteString("# HELP " + name + " " + escape(help, false) + "\n# TYPE " + name + " " + string(kind) + "\n")
	return w
}

// Value writes a value of the family, with pairs of a label and its value.
func (w *Writer) Value(v float64, labels ...string) *Writer {
	w.sample(w.name, v, labels)
	return w
}

// One writes a family that has one value and no labels.
func (w *Writer) One(name string, kind Kind, help string, v float64) {
	w.Family(name, kind, help).Value(v)
}

func (w *Writer) sample(name string, v float64, labels []string) {
	w.b.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		sep := `,`
		if i == 0 {
			sep = `{`
		}
		w.b.WriteString(sep + labels[i] + `="` + escape(labels[i+1], true) + `"`)
	}
	if len(labels) > 1 {
		w.b.WriteByte('}')
	}
	w.b.WriteString(" " + number(v) + "\n")
}

// number spells a value. Whole numbers have no exponent, so that people can read
// them.
func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	case math.IsNaN(v):
		return "NaN"
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func escape(s string, quoted bool) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "\n", `\n`)
	if quoted {
		s = strings.ReplaceAll(s, `"`, `\"`)
	}
	return s
}
