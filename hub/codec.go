package hub

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// A record's data is JSON of a fixed shape:
//
//	{"v":1,"sum":"<43 characters>","n":<bytes of ask>,"ask":{…},"state":{…}}
//
// sum is the SHA-256, in base64url, of the record's kind and address and of every
// byte from "n" on. With the sum checked, n can be trusted, and the parts are
// found without parsing. A draft has null for an ask.
const (
	headV1 = `{"v":1,"sum":"`
	sumLen = 43
	preN   = `"n":`
	preAsk = `,"ask":`
	preSt  = `,"state":`
)

// state is what changes about a ticket.
type state struct {
	Digest   string         `json:"digest"`
	Outcome  *sayso.Outcome `json:"outcome,omitempty"`
	Nonce    string         `json:"nonce,omitempty"`
	Consumed time.Time      `json:"consumed,omitzero"`
	Touched  time.Time      `json:"touched,omitzero"`
	Held     *Held          `json:"held,omitempty"`
	Passed   []Passed       `json:"passed,omitempty"`
	Again    *Again         `json:"again,omitempty"`
	History  []Entry        `json:"history,omitempty"`
}

// keeping is how long closed tickets are kept, with an outcome that the asker has
// and with one that it has not.
type keeping struct{ consumed, unconsumed time.Duration }

// record encodes a ticket, without a revision.
func (t *Ticket) record(keep keeping) (Record, error) {
	r := Record{Kind: KindTicket, Address: t.Address, Fresh: t.fresh}
	if t.Open() {
		r.Due = t.due()
	} else {
		r.Closed, r.Settled = true, !t.Consumed.IsZero()
		r.TTL = keep.unconsumed
		if r.Settled {
			r.TTL = keep.consumed
		}
		if t.Ask.Kind == sayso.AskApproval {
			r.TTL = max(r.TTL, KeepApprovals)
		}
	}
	if t.ask == nil {
		var err error
		if t.ask, err = json.Marshal(t.Ask); err != nil {
			return r, fmt.Errorf("hub: encoding the ask: %w", err)
		}
	}
	for s := (state{t.Digest, t.Outcome, t.Nonce, t.Consumed, t.Touched, t.Held, t.Passed, t.Again, t.History}); ; s.History = s.History[1:] {
		st, err := json.Marshal(&s)
		if err != nil {
			return r, fmt.Errorf("hub: encoding the outcome: %w", err)
		}
		r.Data = seal(r.Kind, r.Address, t.ask, st)
		if len(r.Data) <= MaxData {
			return r, nil
		}
		if len(s.History) == 0 { // the oldest of it gives way to what counts
			var e sayso.InvalidError
			e.Add(sayso.ErrTooLong, "", fmt.Sprintf("the outcome is too long: with the ask it has %d bytes, and %d is the most", len(r.Data), MaxData))
			return r, &e
		}
	}
}

// ticketOf reads a ticket and checks its sum. known may be nil; if it is a ticket
// of the same ask, its questions need not be read again.
func ticketOf(r Record, known *Ticket) (*Ticket, error) {
	ask, st, err := unseal(r)
	if err != nil {
		return nil, err
	}
	t := &Ticket{Address: r.Address, Revision: r.Revision, ask: ask, size: len(r.Data)}
	if known != nil && known.Ask != nil && bytes.Equal(ask, known.ask) {
		t.Ask, t.ask = known.Ask, known.ask
	} else if err := readJSON(ask, (*scanner).ask, &t.Ask); err != nil {
		return nil, &CorruptError{Address: r.Address, Problem: "the ask cannot be read: " + err.Error()}
	}
	var s *state
	if err := readJSON(st, (*scanner).state, &s); err != nil {
		return nil, &CorruptError{Address: r.Address, Problem: "the state cannot be read: " + err.Error()}
	}
	t.Digest, t.Outcome, t.Nonce, t.Consumed, t.Touched, t.Held, t.Passed, t.Again, t.History = s.Digest, s.Outcome, s.Nonce, s.Consumed, s.Touched, s.Held, s.Passed, s.Again, s.History
	if t.Open() == r.Closed {
		return nil, &CorruptError{Address: r.Address, Problem: "it is filed as what it is not, open or closed"}
	}
	return t, nil
}

// jsonText spells a text as the state of a record that has nothing else, and textOf
// reads it.
func jsonText(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can be spelled
	}
	return b
}

func textOf(st []byte) (s string, err error) {
	err = json.Unmarshal(st, &s)
	return s, err
}

// readJSON reads what this package wrote, fast where it can.
func readJSON[T any](data []byte, read func(*scanner, *T), v **T) error {
	*v = new(T)
	if utf8.Valid(data) {
		sc := scanner{s: string(data)}
		if read(&sc, *v); !sc.bad && sc.s == "" {
			return nil
		}
		*v = new(T)
	}
	return json.Unmarshal(data, *v)
}

// Verify checks the sum of a record and returns a [*CorruptError] if it is not
// what was stored, or an error that names the version if a newer program wrote
// it. Stores use it to check themselves.
func Verify(r Record) error {
	_, _, err := unseal(r)
	return err
}

func seal(kind Kind, addr Address, ask, st []byte) []byte {
	b := make([]byte, 0, len(headV1)+sumLen+len(preN)+len(preAsk)+len(preSt)+len(ask)+len(st)+16)
	b = append(b, headV1...)
	b = append(b, make([]byte, sumLen)...)
	b = append(b, `",`...)
	b = append(b, preN...)
	b = strconv.AppendInt(b, int64(len(ask)), 10)
	b = append(append(b, preAsk...), ask...)
	b = append(append(b, preSt...), st...)
	b = append(b, '}')
	sum := sumOf(kind, addr, b[len(headV1)+sumLen+2:])
	base64.RawURLEncoding.Encode(b[len(headV1):], sum[:])
	return b
}

func unseal(r Record) (ask, st []byte, err error) {
	corrupt := func(problem string) error { return &CorruptError{Address: r.Address, Problem: problem} }
	rest, ok := bytes.CutPrefix(r.Data, []byte(headV1))
	if !ok {
		var other struct{ V int }
		if json.Unmarshal(r.Data, &other) == nil && other.V > 1 {
			return nil, nil, fmt.Errorf("hub: ask %s was stored by a newer program (record version %d, this one reads 1): upgrade this one", r.Address.ID, other.V)
		}
		return nil, nil, corrupt("it does not begin as a record does")
	}
	if len(rest) < sumLen+2 {
		return nil, nil, corrupt("it is cut short")
	}
	sum := sumOf(r.Kind, r.Address, rest[sumLen+2:])
	want := base64.RawURLEncoding.AppendEncode(make([]byte, 0, sumLen), sum[:])
	if !bytes.Equal(want, rest[:sumLen]) || rest[sumLen] != '"' || rest[sumLen+1] != ',' {
		return nil, nil, corrupt("its checksum is wrong")
	}
	body := rest[sumLen+2:]
	// The sum holds, so this program wrote the rest; the checks keep a foreign
	// hub that sums the same and encodes otherwise from crashing this one.
	head, body, ok := bytes.Cut(body, []byte(preAsk))
	n, err := strconv.Atoi(string(bytes.TrimPrefix(head, []byte(preN))))
	if !ok || err != nil || n < 0 || n > len(body) {
		return nil, nil, corrupt("its parts cannot be found")
	}
	st, ok = bytes.CutPrefix(body[n:], []byte(preSt))
	if !ok || len(st) == 0 {
		return nil, nil, corrupt("its parts cannot be found")
	}
	return body[:n:n], st[:len(st)-1], nil
}

// sumOf covers the address too: a record that turns up in another's place is
// corrupt.
func sumOf(kind Kind, addr Address, content []byte) (sum [sha256.Size]byte) {
	head := make([]byte, 0, 256)
	head = append(head, kind...)
	if addr.Asker == "" { // as it was when there were no askers in addresses
		head = appendParts(append(head, 0), addr.Tenant, addr.Person, addr.Conversation, addr.ID)
	} else {
		head = addr.append(append(head, 1))
	}
	h := sha256.New()
	h.Write(head)
	h.Write(content)
	h.Sum(sum[:0])
	return sum
}
