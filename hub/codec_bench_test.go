package hub

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// benchTicket is an open ticket of the usual size: 700 bytes of question.
func benchTicket() *Ticket {
	a := &sayso.Ask{
		ID: "ask_abcdefghijklmnop",
		Questions: []sayso.Question{{
			ID: "q1", Header: "Database", Text: "Which database should the payments service use?",
			Options: []sayso.Option{
				{ID: "o1", Label: "PostgreSQL", Description: "Battle-tested relational database, needs a server", Recommended: true, RawLabel: "PostgreSQL (Recommended)"},
				{ID: "o2", Label: "SQLite", Description: "One file, no server, good up to a few hundred writes a second"},
				{ID: "o3", Label: "MongoDB", Description: "Document store, needs a server"},
			},
		}},
		Origin:  sayso.Origin{Conversation: "c1234567890", ToolCall: "toolu_0123456789", Agents: []string{"planner"}, Host: "claude-code", Workspace: "payments-api", Branch: "main"},
		Dialect: "claude", AskedAt: time.Unix(1e9, 0).UTC(),
	}
	return &Ticket{Address: AddressOf("acme", a), Ask: a, Digest: a.Digest()}
}

func benchOutcome() *sayso.Outcome {
	return &sayso.Outcome{
		Status:  sayso.StatusAnswered,
		Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Note: "for now"}},
		By:      sayso.Responder{Kind: sayso.ByPerson, ID: "alice", Surface: "web", Assurance: sayso.AssuranceLogin},
		At:      time.Unix(1e9+5, 0).UTC(),
	}
}

// BenchmarkCodec measures what one ask costs in encoding and reading: the open
// ticket is written, a surface reads it, the closed one is written, and who asked
// reads that.
func BenchmarkCodec(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		codecRound(b)
	}
}

func codecRound(tb testing.TB) {
	open := benchTicketOnce
	open.ask = nil
	r, err := open.record(keeping{time.Hour, time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	shown, err := ticketOf(r, nil)
	if err != nil {
		tb.Fatal(err)
	}
	closed, err := shown.closed(benchOutcomeOnce, "click").record(keeping{time.Hour, time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := ticketOf(closed, &open); err != nil {
		tb.Fatal(err)
	}
}

var (
	benchTicketOnce  = *benchTicket()
	benchOutcomeOnce = benchOutcome()
)

func BenchmarkCodecParts(b *testing.B) {
	open := benchTicket()
	r, _ := open.record(keeping{time.Hour, time.Hour})
	answered := open.closed(benchOutcome(), "click")
	end, _ := answered.record(keeping{time.Hour, time.Hour})
	for _, part := range []struct {
		name string
		fn   func()
	}{
		{"digest", func() { open.Ask.Digest() }},
		{"write open", func() { open.ask = nil; open.record(keeping{time.Hour, time.Hour}) }},
		{"read open", func() { ticketOf(r, nil) }},
		{"write closed", func() { answered.record(keeping{time.Hour, time.Hour}) }},
		{"read closed", func() { ticketOf(end, nil) }},
		{"read closed, ask known", func() { ticketOf(end, answered) }},
		{"verify", func() { Verify(end) }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				part.fn()
			}
		})
	}
}

// TestFigure_CODEC reports the lower quartile of single rounds: what they cost
// when nobody else is given the core in between.
func TestFigure_CODEC(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	rounds := make([]time.Duration, 20_000)
	for i := range rounds {
		start := time.Now()
		codecRound(t)
		rounds[i] = time.Since(start)
	}
	slices.Sort(rounds)
	t.Logf("FIGURE %s %.1f %s", "CODEC", float64(rounds[len(rounds)/4].Nanoseconds())/1000, "us/ask")
	t.Logf("FIGURE %s %v %s", "CODECALLOCS", testing.AllocsPerRun(100, func() { codecRound(t) }), "allocs/ask")
}
