package natsstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// room is a hub over a store.
func room(t testing.TB, s hub.Store) *hub.Hub {
	t.Helper()
	h, err := hub.Open(t.Context(), s, nil)
	must(t, err)
	t.Cleanup(h.Stop)
	return h
}

// question is an ask as an agent might make it, of about 700 bytes.
func question(id, person, conversation string) *sayso.Ask {
	a := &sayso.Ask{
		ID: id,
		Questions: []sayso.Question{
			{Header: "Database", Text: "Which database should the order service use for its primary store?", Options: []sayso.Option{
				{Label: "PostgreSQL", Description: "Battle-tested relational database, already used by billing", Recommended: true},
				{Label: "SQLite", Description: "Embedded and file based, simplest to run"},
				{Label: "MongoDB", Description: "Document store, flexible schema"},
			}},
			{Header: "Name", Text: "What should the service be called?", Options: []sayso.Option{
				{Label: "orders", Description: "Short"}, {Label: "order-processor", Description: "Descriptive"},
			}},
		},
		Origin:  sayso.Origin{Conversation: conversation, ToolCall: id, Agents: []string{"planner"}},
		Dialect: "json",
	}
	if person != "" {
		a.To = []string{person}
	}
	a.Normalize()
	return a
}

// reply answers a question.
func reply(person string) *sayso.Outcome {
	return &sayso.Outcome{
		Status: sayso.StatusAnswered,
		Answers: []sayso.Answer{
			{QuestionID: "q1", Selected: []string{"o1"}},
			{QuestionID: "q2", Other: "order-processor-eu"},
		},
		By: sayso.Responder{Kind: sayso.ByPerson, ID: person, Surface: "web"},
	}
}

// answered submits and answers asks from one number up to another.
func answered(t testing.TB, h *hub.Hub, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		person := fmt.Sprint("person", i%3)
		tk, err := h.Submit(t.Context(), "acme", question(fmt.Sprint("ask_", i), person, "conv"))
		must(t, err)
		_, err = h.Close(t.Context(), tk, reply(person), nil)
		must(t, err)
	}
}

// exported exports until there are n lines: the archive of a replicated store follows in its own time.
func exported(t testing.TB, s *natsstore.Store, dir string, n uint64) (heads []natsstore.AuditHead) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " lines of audit"), func() bool {
		var err error
		heads, err = s.ExportAudit(t.Context(), dir)
		must(t, err)
		var sum uint64
		for _, h := range heads {
			sum += h.Lines
		}
		return sum == n
	})
	return heads
}

func TestAudit(t *testing.T) {
	t.Parallel()
	for _, without := range []bool{false, true} {
		t.Run(fmt.Sprint("no archive ", without), func(t *testing.T) {
			t.Parallel()
			testAudit(t, alone(t, &natsstore.Options{Shards: 2, NoAudit: without}))
		})
	}
}

func testAudit(t *testing.T, s *natsstore.Store) {
	h := room(t, s)
	dir := filepath.Join(t.TempDir(), "audit")
	answered(t, h, 0, 10)
	_, err := h.Submit(t.Context(), "acme", question("ask_open", "", "conv"))
	must(t, err)
	old := exported(t, s, dir, 10)
	answered(t, h, 10, 25)
	heads := exported(t, s, dir, 25)
	again, err := natsstore.VerifyAudit(dir, old...)
	must(t, err)
	if !slices.Equal(heads, again) {
		t.Errorf("exported %v, verified %v", heads, again)
	}
	for _, name := range files(t, dir) {
		b, err := os.ReadFile(name)
		must(t, err)
		if !bytes.Contains(b, []byte("Which database")) || !bytes.Contains(b, []byte("order-processor-eu")) {
			t.Errorf("%s has no questions or no answers", name)
		}
	}
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	must(t, err)
	return all
}

// Whatever is done to the files is found; a line that a crash cut short is written again.
func TestAuditTampered(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	dir := t.TempDir()
	answered(t, room(t, s), 0, 6)
	heads := exported(t, s, dir, 6)
	name := files(t, dir)[0]
	whole, err := os.ReadFile(name)
	must(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))[:6]
	for what, changed := range map[string][]byte{
		"a byte changed":      bytes.Replace(whole, []byte("order-processor-eu"), []byte("order-processor-us"), 1),
		"a line removed":      bytes.Join(slices.Delete(slices.Clone(lines), 2, 3), nil),
		"the first removed":   bytes.Join(lines[1:], nil),
		"two lines swapped":   bytes.Join([][]byte{lines[0], lines[2], lines[1], lines[3], lines[4], lines[5]}, nil),
		"a line twice":        bytes.Join([][]byte{lines[0], lines[1], lines[1], lines[2], lines[3], lines[4], lines[5]}, nil),
		"the end cut off":     bytes.Join(lines[:5], nil),
		"everything gone":     nil,
		"something else":      []byte("{}\n"),
		"a sum of a new line": bytes.Replace(whole, lines[3][8:72], lines[4][8:72], 1),
	} {
		must(t, os.WriteFile(name, changed, 0o600))
		var tampered *natsstore.AuditError
		if _, err := natsstore.VerifyAudit(dir, heads...); !errors.As(err, &tampered) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, os.WriteFile(name, whole[:len(whole)-10], 0o600))
	if _, err := natsstore.VerifyAudit(dir, heads...); err == nil {
		t.Error("a line that is cut short is not found")
	}
	exported(t, s, dir, 6)
	healed, err := os.ReadFile(name)
	must(t, err)
	if !bytes.Equal(healed, whole) {
		t.Error("the export after a crash wrote something else")
	}
	_, err = natsstore.VerifyAudit(dir, heads...)
	must(t, err)

	// A crash with the first line of a new day.
	must(t, os.WriteFile(filepath.Join(dir, "audit-00-99991231.jsonl"), whole[:20], 0o600))
	answered(t, room(t, s), 6, 8)
	exported(t, s, dir, 8)
	_, err = natsstore.VerifyAudit(dir, heads...)
	must(t, err)
	if n := len(files(t, dir)); n != 2 {
		t.Errorf("%d files, want 2", n)
	}
}
