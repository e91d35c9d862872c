package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
)

// maxMessage is the most bytes of a message; see [sayso.CheckJSON].
const maxMessage = 1 << 20

// Serve speaks with one client, one message a line, until it hangs up or ctx
// ends; the first is no error. Asks that wait then stay in the hub.
func (d *Door) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	if d.opts.Hub == nil {
		return errors.New("mcp: there is no hub")
	}
	w := &lineWriter{w: out}
	g := &gate{in: bufio.NewReaderSize(in, 64<<10), out: w}
	return d.server.Run(ctx, &sdk.IOTransport{Reader: g, Writer: w, MaxLineLength: maxMessage + 2})
}

// gate passes on the lines that every reader of JSON understands the same way,
// and answers the others itself.
type gate struct {
	in   *bufio.Reader
	out  io.Writer
	line []byte // what is left of a line
	read []byte // the buffer of the lines
}

func (g *gate) Close() error { return nil }

func (g *gate) Read(p []byte) (int, error) {
	for len(g.line) == 0 {
		line, err := g.next()
		if len(bytes.TrimSpace(line)) > 0 {
			if bad := checkMessage(line); bad != nil {
				if _, err := g.out.Write(complain(line, bad)); err != nil {
					return 0, err
				}
			} else {
				g.line = append(bytes.TrimSpace(line), '\n')
				break // the end, if this is it, comes again
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, g.line)
	g.line = g.line[n:]
	return n, nil
}

// next reads a line. Of one that is too long it keeps as much as is needed to
// refuse it.
func (g *gate) next() ([]byte, error) {
	g.read = g.read[:0]
	for {
		part, err := g.in.ReadSlice('\n')
		if len(g.read) <= maxMessage {
			g.read = append(g.read, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return g.read, err
		}
	}
}

// checkMessage reports what keeps data from being a message of JSON-RPC, or a
// batch of them, that every reader understands the same way. One with a member
// that nobody knows may mean something else to somebody, and is refused.
func checkMessage(data []byte) error {
	if err := sayso.CheckJSON(data); err != nil {
		return err
	}
	if data = bytes.TrimSpace(data); data[0] != '[' {
		return checkOne(data)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(data, &batch); err != nil {
		return err
	}
	for _, one := range batch {
		if err := checkOne(one); err != nil {
			return err
		}
	}
	return nil
}

var errMessage = errors.New("it is not a message of JSON-RPC 2.0")

func checkOne(data []byte) error {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || string(m["jsonrpc"]) != `"2.0"` {
		return errMessage
	}
	for name := range m {
		switch name {
		case "jsonrpc", "id", "method", "params", "result", "error":
		default:
			return errMessage
		}
	}
	_, method := m["method"]
	_, result := m["result"]
	_, failed := m["error"]
	if method == (result || failed) || result && failed {
		return errMessage
	}
	return nil
}

// complain is the answer to a message that is not read. It goes to the request
// that the message seems to be, so that its sender does not wait for ever.
func complain(message []byte, why error) []byte {
	id := json.RawMessage("null")
	var m map[string]json.RawMessage
	if json.Unmarshal(message, &m) == nil {
		var v any
		if json.Unmarshal(m["id"], &v) == nil && sayso.CheckJSON(m["id"]) == nil {
			switch v.(type) {
			case string, float64:
				id = m["id"]
			}
		}
	}
	return append(raw(map[string]any{
		"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": -32700, "message": "the message cannot be read: " + why.Error()},
	}), '\n')
}

// lineWriter writes whole lines, from several goroutines.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

func (w *lineWriter) Close() error { return nil }
