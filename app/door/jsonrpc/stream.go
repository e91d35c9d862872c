package jsonrpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/saysohq/sayso"
)

// Framing is how the messages on a stream are told apart.
type Framing string

// The framings.
const (
	Lines   Framing = "lines" // one message a line
	Headers Framing = "lsp"   // Content-Length before each message, as language servers do
)

const (
	maxMessage = 1 << 20 // bytes; what the gate for untrusted JSON takes
	maxSkip    = 1 << 30 // bytes of a message that are passed over before the stream is given up
	maxHead    = 4 << 10 // bytes of the headers of one message
)

// errTooLong says that a message was passed over.
var errTooLong = fmt.Errorf("the message is longer than %d bytes", maxMessage)

// stream is a [channel.Channel] that bounds messages and lets no ambiguous JSON
// through. Seed 1's messages, which have a type in place of a method, are taken
// for notifications; whoever sends one gets its notifications spelled so, too.
type stream struct {
	framing Framing
	in      *bufio.Reader
	out     io.WriteCloser
	got     chan message
	typed   atomic.Bool

	write  sync.Mutex
	close  sync.Once
	closed chan struct{}
}

type message struct {
	data []byte
	err  error
}

var _ channel.Channel = (*stream)(nil)

// newStream begins to read. A read that is under way when the stream is closed
// ends with r.
func newStream(r io.Reader, w io.WriteCloser, f Framing) *stream {
	s := &stream{framing: f, in: bufio.NewReader(r), out: w, got: make(chan message), closed: make(chan struct{})}
	go s.pump()
	return s
}

// pump reads beside whoever waits, as a read of a pipe cannot be called off.
func (s *stream) pump() {
	for {
		data, err := s.next()
		select {
		case s.got <- message{data, err}:
		case <-s.closed:
			return
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return
		}
	}
}

// Recv returns the next message that can be understood. The other side is told of
// those that cannot.
func (s *stream) Recv() ([]byte, error) {
	for {
		var m message
		select {
		case m = <-s.got:
		case <-s.closed:
			return nil, channel.ErrClosed
		}
		err := m.err
		switch {
		case err == nil:
			err = sayso.CheckJSON(m.data)
		case !errors.Is(err, errTooLong):
			return nil, err
		}
		if err == nil {
			return s.untype(m.data), nil
		}
		if err := s.complain(err); err != nil {
			return nil, err
		}
	}
}

func (s *stream) complain(problem error) error {
	e, err := json.Marshal(&jrpc2.Error{Code: jrpc2.ParseError, Message: problem.Error()})
	if err != nil {
		return err
	}
	return s.Send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":%s}`, e))
}

// Send writes a message in one piece.
func (s *stream) Send(data []byte) error {
	if s.typed.Load() {
		data = typed(data)
	}
	if s.framing == Headers {
		data = fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(data), data)
	} else {
		data = append(data[:len(data):len(data)], '\n')
	}
	s.write.Lock()
	defer s.write.Unlock()
	select {
	case <-s.closed:
		return channel.ErrClosed
	default:
	}
	_, err := s.out.Write(data)
	return err
}

// Close ends the stream for whoever receives or sends.
func (s *stream) Close() error {
	var err error
	s.close.Do(func() { close(s.closed); err = s.out.Close() })
	return err
}

// next reads one message.
func (s *stream) next() ([]byte, error) {
	if s.framing == Headers {
		return s.nextSized()
	}
	for {
		line, err := s.line(maxMessage)
		line = bytes.TrimSpace(line)
		if err == nil && len(line) == 0 {
			continue // between messages
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = nil // the last one may lack its end
		}
		return line, err
	}
}

// line reads up to the end of a line. One that is too long is passed over.
func (s *stream) line(limit int) ([]byte, error) {
	var line []byte
	for n := 0; ; {
		part, err := s.in.ReadSlice('\n')
		if n += len(part); n <= limit+1 {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && n <= maxSkip:
			continue
		case err != nil:
			return line, err
		case n > limit+1:
			return nil, errTooLong
		}
		return line, nil
	}
}

func (s *stream) nextSized() ([]byte, error) {
	size := -1
	for head := 0; ; {
		line, err := s.line(maxHead)
		if err != nil {
			if errors.Is(err, errTooLong) {
				err = errors.New("jsonrpc: a header is too long")
			}
			return nil, err
		}
		if head += len(line); head > maxHead {
			return nil, errors.New("jsonrpc: the headers are too long")
		}
		text := strings.TrimSpace(string(line))
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ":")
		if strings.EqualFold(strings.TrimSpace(name), "content-length") {
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 || size > maxSkip {
				return nil, fmt.Errorf("jsonrpc: a Content-Length of %.20q", value)
			}
		}
	}
	switch {
	case size < 0:
		return nil, errors.New("jsonrpc: a message without Content-Length")
	case size > maxMessage:
		if _, err := s.in.Discard(size); err != nil {
			return nil, err
		}
		return nil, errTooLong
	}
	data := make([]byte, size)
	_, err := io.ReadFull(s.in, data)
	return data, err
}

// untype turns {"type":T, …} into the notification of T. Anything else stays as it
// is.
func (s *stream) untype(data []byte) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || m["type"] == nil || m["jsonrpc"] != nil || m["method"] != nil {
		return data
	}
	method := m["type"]
	delete(m, "type")
	out, err := json.Marshal(struct {
		Version string                     `json:"jsonrpc"`
		Method  json.RawMessage            `json:"method"`
		Params  map[string]json.RawMessage `json:"params"`
	}{"2.0", method, m})
	if err != nil {
		return data
	}
	s.typed.Store(true)
	return out
}

// typed spells a notification with a type in place of a method.
func typed(data []byte) []byte {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(data, &m) != nil || m.ID != nil || m.Method == "" || !bytes.HasPrefix(m.Params, []byte("{")) {
		return data
	}
	name, err := json.Marshal(m.Method)
	if err != nil {
		return data
	}
	out := fmt.Appendf(nil, `{"type":%s`, name)
	if rest := m.Params[1:]; !bytes.Equal(rest, []byte("}")) {
		out = append(out, ',')
		return append(out, rest...)
	}
	return append(out, '}')
}
