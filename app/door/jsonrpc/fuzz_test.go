package jsonrpc

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// FuzzRead: what a user interface sends is an outcome that fits the ask, or none.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"answer":"A"}`, `{"answer":["A","x"]}`, `{"answer":null}`, `{"declined":true}`, `{"cancelled":true,"answer":"A"}`,
		`{"answers":["A",["B","C"]]}`, `{"answers":[{"answer":"A","selectedOption":"A","wasCustom":true,"note":"n"},null]}`,
		`{"answers":[{"answer":{}}]}`, `{"reply":"both"}`, `{"answers":[1]}`, `[]`, ``,
	} {
		f.Add([]byte(s))
	}
	a := &sayso.Ask{Questions: []sayso.Question{
		{Text: "One?", Options: []sayso.Option{{Label: "A"}, {Label: "B (Recommended)"}}},
		{Text: "Many?", Multi: true, Options: []sayso.Option{{Label: "A"}, {Label: "B"}}},
	}}
	a.Normalize()
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := dialect.ReadPiForm(a, data)
		if err == nil {
			err = a.Check(o)
			if err != nil || o.Status == sayso.StatusAnswered && !o.HasAnswer() {
				t.Errorf("%q was read as %+v: %v", data, o, err)
			}
		}
		if o, err := readAnswer(&a.Questions[0], data); err == nil {
			if err := a.Check(o.Settled()); err != nil {
				t.Errorf("%q was read as %+v: %v", data, o, err)
			}
		}
	})
}

// FuzzStream: whatever comes, messages are bounded and unambiguous, and the stream
// ends.
func FuzzStream(f *testing.F) {
	for _, s := range []string{
		"{}\n\n[1]\n", `{"type":"ask_user_request","requestId":"r"}` + "\n", "{\"a\":1,\"a\":2}\n",
		"Content-Length: 2\r\n\r\n{}", "Content-Length: 99\r\n\r\n{}", "Content-Length: 2\r\nX: y\r\n\r\n{}Content-Length: 0\r\n\r\n",
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, lines bool) {
		framing := Headers
		if lines {
			framing = Lines
		}
		s := newStream(bytes.NewReader(data), discard{}, framing)
		defer s.Close()
		for n := 0; ; n++ {
			msg, err := s.Recv()
			if err != nil {
				return
			}
			if n > len(data) {
				t.Fatal("more messages than bytes")
			}
			if err := sayso.CheckJSON(msg); err != nil {
				t.Errorf("%q passed as %q: %v", data, msg, err)
			}
			if out := typed(msg); strings.ContainsRune(string(out), '\n') && !bytes.Contains(msg, []byte{'\n'}) {
				t.Errorf("%q was spelled on two lines", msg)
			}
		}
	})
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }
func (discard) Close() error                { return nil }
