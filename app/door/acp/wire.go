package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxLine is how long a message may be. Editors send files and pictures.
const maxLine = 64 << 20

var errTooLong = fmt.Errorf("acp: a message is longer than %d bytes", maxLine)

// raw keeps JSON as it was sent.
type raw = json.RawMessage

// message is what the proxy looks at in a message.
type message struct {
	ID     raw    `json:"id"`
	Method string `json:"method"`
	Params raw    `json:"params"`
	Result raw    `json:"result"`
	Error  *Error `json:"error"`
}

func (m *message) request() bool  { return m.Method != "" && m.ID != nil }
func (m *message) response() bool { return m.Method == "" && m.ID != nil }

// Error is what the other side says went wrong with a request.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    raw    `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("acp: error %d: %s", e.Code, e.Message) }

// The codes of errors that we send.
const (
	codeInternal  = -32603
	codeCancelled = -32800
)

// Stream is the way to one program and back.
type Stream struct {
	In  io.Reader      // what it says
	Out io.WriteCloser // what it is told
}

// side is an editor or an agent.
type side struct {
	in    *bufio.Reader
	out   io.WriteCloser
	write sync.Mutex
}

func newSide(s Stream) *side { return &side{in: bufio.NewReaderSize(s.In, 64<<10), out: s.Out} }

// each calls fn with every line, as long as fn may keep it, until the stream ends.
func (s *side) each(fn func(line []byte, m *message) error) error {
	for {
		line, err := s.line()
		if len(bytes.TrimSpace(line)) > 0 {
			var m message
			if json.Unmarshal(line, &m) != nil {
				m = message{} // not ours to judge
			}
			if err := fn(line, &m); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (s *side) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// pass hands a line on as it is.
func (s *side) pass(line []byte) error {
	if !bytes.HasSuffix(line, []byte("\n")) {
		line = append(line, '\n')
	}
	s.write.Lock()
	defer s.write.Unlock()
	_, err := s.out.Write(line)
	return err
}

// send writes a message of our own.
func (s *side) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.pass(line)
}

func (s *side) request(id, method string, params any) error {
	return s.send(struct {
		Version string `json:"jsonrpc"`
		ID      string `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", id, method, params})
}

func (s *side) notify(method string, params any) error {
	return s.send(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", method, params})
}

func (s *side) reply(id raw, result any) error {
	return s.send(struct {
		Version string `json:"jsonrpc"`
		ID      raw    `json:"id"`
		Result  any    `json:"result"`
	}{"2.0", id, result})
}

func (s *side) refuse(id raw, e *Error) error {
	return s.send(struct {
		Version string `json:"jsonrpc"`
		ID      raw    `json:"id"`
		Error   *Error `json:"error"`
	}{"2.0", id, e})
}
