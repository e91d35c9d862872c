package hub

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// texts are strings that a codec might get wrong.
var texts = []string{"a", "plain words", `"quoted"`, `back\slash`, "two\nlines\r\n\ttab", "\x00\x1f\x7f", "<b>&amp;</b>", "ü 漢字 🙂", "\u2028\u2029\ufffd", "broken \xff\xc3 \xed\xa0\x80", strings.Repeat("long ", 100)}

// fill sets every field, at random; with all, none of them to its zero value.
func fill(v reflect.Value, r *rand.Rand, all bool) {
	if !all && r.IntN(3) == 0 && v.Kind() != reflect.Struct {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r, all)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1e9+r.Int64N(1e9), r.Int64N(1e9)).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), r, all)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 4))
		for i := range v.Len() {
			fill(v.Index(i), r, all)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"k": texts[r.IntN(len(texts))], "n": 1.5, "l": []any{true, nil}}))
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1 + r.Int64N(3))
	default:
		panic("fill does not know " + v.Type().String())
	}
}

// TestScannerAgrees holds the scanner to encoding/json. It also notices a field
// that was added to an ask and not to the scanner, which would be read slowly.
func TestScannerAgrees(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		var a sayso.Ask
		var s state
		fill(reflect.ValueOf(&a).Elem(), r, seed < 10)
		fill(reflect.ValueOf(&s).Elem(), r, seed < 10)
		a.Metadata, a.Approval = nil, nil // the scanner leaves them to encoding/json
		if a.Questions == nil {
			a.Questions = make([]sayso.Question, 1)
		}
		for i := range s.History {
			if s.History[i].Outcome == nil {
				s.History[i].Outcome = &sayso.Outcome{}
			}
		}
		if s.Held != nil && s.Held.Outcome == nil {
			s.Held.Outcome = &sayso.Outcome{}
		}
		agree(t, seed, &a, (*scanner).ask)
		agree(t, seed, &s, (*scanner).state)
	}
}

// What encoding/json cannot write is an error, not a record that cannot be read.
func TestUnstorable(t *testing.T) {
	far := benchTicket()
	far.Outcome, far.Consumed = benchOutcome(), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	odd := benchTicket()
	odd.ask, odd.Ask.Metadata = nil, map[string]any{"f": func() {}}
	for name, ticket := range map[string]*Ticket{"a time": far, "metadata": odd} {
		if _, err := ticket.record(keeping{time.Hour, time.Hour}); err == nil {
			t.Errorf("%s is stored that cannot be read", name)
		}
	}
}

func agree[T any](t *testing.T, seed uint64, v *T, read func(*scanner, *T)) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var want, got T
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	sc := scanner{s: string(data)}
	if read(&sc, &got); sc.bad || sc.s != "" {
		t.Fatalf("seed %d: the scanner gives up on %T; was a field added?", seed, got)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("seed %d: scanned %+v\n want %+v", seed, got, want)
	}
}

// TestGoldenRecords reads and writes the records of version 1, byte for byte.
// They stay here for ever: later versions must read them.
func TestGoldenRecords(t *testing.T) {
	for i, ticket := range goldenTickets() {
		name := filepath.Join("testdata", fmt.Sprintf("record-v1-%d.json", i))
		r, err := ticket.record(keeping{time.Hour, time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, r.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(golden) != string(r.Data) {
			t.Errorf("%s is now written as\n%.2000s", name, r.Data)
		}
		r.Data, ticket.size = golden, len(golden)
		got, err := ticketOf(r, nil)
		if err != nil || !reflect.DeepEqual(got, ticket) {
			t.Errorf("%s is read otherwise: %v", name, err)
		}
		known, err := ticketOf(r, ticket)
		if err != nil || known.Ask != ticket.Ask {
			t.Errorf("%s: the known ask is read again: %v", name, err)
		}
		var any map[string]any
		if err := json.Unmarshal(golden, &any); err != nil {
			t.Errorf("%s is not JSON: %v", name, err)
		}
	}
}

// goldenTickets are an open ticket, a closed one, one that has been through
// everything, one of another kind, and one whose answer is held.
func goldenTickets() []*Ticket {
	open := benchTicket()
	closed := *open
	closed.Outcome, closed.Nonce = benchOutcome(), "click"
	full := closed
	ask := open.Ask.Clone()
	ask.To = []string{"alice", "bob"}
	ask.Questions[0].Body = "See **docs**.\nThen decide."
	ask.Questions[0].Multi = true
	ask.Questions[0].RawText = texts[4]
	ask.Questions[0].Options[1].Danger = true
	ask.Questions[0].Options[1].Preview = texts[6]
	ask.Metadata = map[string]any{"k": "v", "n": 1.5}
	ask.Deadline = time.Unix(1e9+3600, 5).UTC()
	ask.OnExpiry.Default = []sayso.Answer{{QuestionID: "q1", Other: texts[7]}}
	ask.MinAssurance = sayso.AssuranceLogin
	full.Ask, full.ask, full.Digest = ask, nil, ask.Digest()
	full.Consumed = time.Unix(1e9+9, 0).UTC()
	undone := benchOutcome()
	undone.Status, undone.Answers, undone.Reason = sayso.StatusDeclined, nil, texts[2]
	full.History = []Entry{
		{Outcome: undone, Why: Undone, At: time.Unix(1e9+6, 0).UTC(), Nonce: "first"},
		{Outcome: benchOutcome(), Why: Amended, At: time.Unix(1e9+7, 0).UTC()},
	}
	kinds := *open
	ask = open.Ask.Clone()
	ask.Origin.Asker, ask.Origin.Via = "ci", "mcp"
	ask.Normalize()
	kinds.Ask, kinds.ask = ask, nil
	held := *open
	held.Held = &Held{Outcome: benchOutcome(), Nonce: "click", Until: time.Unix(1e9+14, 0).UTC()}
	return []*Ticket{open, &closed, &full, &kinds, &held}
}

func FuzzRecord(f *testing.F) {
	for _, ticket := range goldenTickets() {
		r, _ := ticket.record(keeping{})
		f.Add(r.Data, "words")
	}
	f.Fuzz(func(t *testing.T, data []byte, words string) {
		r := Record{Kind: KindTicket, Address: Address{Tenant: "acme", ID: "a"}, Data: data}
		if _, err := ticketOf(r, nil); err == nil {
			t.Errorf("a made up record is taken: %q", data)
		}
		// Sealed, it may be anything, and must be read without a crash.
		r.Data = seal(r.Kind, r.Address, data, []byte(words))
		if got, err := ticketOf(r, nil); err == nil && got.Ask == nil {
			t.Error("a ticket without an ask")
		}
		a := &sayso.Ask{ID: "a", Questions: []sayso.Question{{ID: "q1", Text: words}}}
		whole := &Ticket{Address: r.Address, Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusAnswered, Reply: words}}
		r, err := whole.record(keeping{})
		if err != nil {
			return // it is too large
		}
		got, err := ticketOf(r, nil)
		if err != nil || utf8.ValidString(words) && (got.Outcome.Reply != words || got.Ask.Questions[0].Text != words) {
			t.Errorf("%q came back as %q, %v", words, got.Outcome.Reply, err)
		}
	})
}

func TestTooLarge(t *testing.T) {
	ticket := benchTicket()
	ticket.Outcome = benchOutcome()
	for range 8 {
		ticket.History = append(ticket.History, Entry{Outcome: &sayso.Outcome{Reply: strings.Repeat("x", MaxData/8)}, Why: Late})
	}
	r, err := ticket.record(keeping{})
	if err != nil || len(r.Data) > MaxData {
		t.Errorf("a long history makes a record of %d bytes, %v", len(r.Data), err)
	}
	got, err := ticketOf(r, nil)
	if err != nil || len(got.History) == 0 || len(got.History) == 8 {
		t.Errorf("of 8 entries %d are kept, %v", len(got.History), err)
	}
	ticket.Outcome.Reply = strings.Repeat("x", MaxData)
	if _, err := ticket.record(keeping{}); !errors.Is(err, sayso.ErrTooLong) {
		t.Errorf("a record that is too large: %v", err)
	}
}
