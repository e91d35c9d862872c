package hub

import (
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

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

func BenchmarkCodec(b *testing.B) {
	open := benchTicket()
	rec, _ := open.record(time.Hour)
	b.Log(len(rec.Data), len(open.ask))
	answered := *open
	answered.Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Note: "for now"}},
		By: sayso.Responder{Kind: sayso.ByPerson, ID: "alice", Surface: "web", Assurance: 2}, At: time.Unix(1e9+5, 0).UTC()}
	answered.Nonce = "0123456789abcdef"
	end, _ := answered.record(time.Hour)
	b.Run("digest", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			open.Ask.Digest()
		}
	})
	b.Run("encode open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			open.ask = nil
			open.record(time.Hour)
		}
	})
	b.Run("decode open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ticketOf(rec, nil)
		}
	})
	b.Run("encode closed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			answered.record(time.Hour)
		}
	})
	b.Run("decode closed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ticketOf(end, nil)
		}
	})
	b.Run("decode closed known", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ticketOf(end, open)
		}
	})
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Verify(end)
		}
	})
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			open.Ask.Check(answered.Outcome)
			open.Ask.Validate(sayso.Limits{})
		}
	})
}
