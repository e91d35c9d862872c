package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/saysohq/sayso"
)

// MaxLine is the most bytes that a message may have. An agent that writes a file sends
// it whole, and its old content with it.
const MaxLine = 16 << 20

// Handler takes what the plugin says. A notification has its turn before the next
// message is read, so it must not wait. A request runs beside others, and its result or
// error is sent back.
type Handler func(ctx context.Context, p *Peer, method string, params json.RawMessage, wants bool) (result any, err error)

// Peer is a plugin inside an agent: JSON-RPC 2.0, one message a line.
type Peer struct {
	mu      sync.Mutex
	out     io.Writer
	last    int64
	waiting map[int64]chan *message
	ended   chan struct{}
}

// message is one of either direction.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int64          `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is what the other side says when it cannot do something.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// Serve speaks with a plugin until in ends, which is how a plugin ends, or ctx does. It
// waits for what it started.
func Serve(ctx context.Context, in io.Reader, out io.Writer, handle Handler) error {
	p := &Peer{out: out, waiting: map[int64]chan *message{}, ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer close(p.ended)
	defer cancel()
	lines, failed := make(chan []byte), make(chan error, 1)
	go func() { // a read of a pipe cannot be called off
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := readLine(r)
			if err != nil {
				failed <- err
				return
			}
			select {
			case lines <- line:
			case <-p.ended:
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("bridge: reading from the plugin: %w", err)
		case line := <-lines:
			if err := p.take(ctx, &work, line, handle); err != nil {
				return err
			}
		}
	}
}

// readLine reads a line without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, fmt.Errorf("a message has more than %d MiB", MaxLine>>20)
		}
		switch {
		case err == nil:
			return bytes.TrimSpace(line), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func (p *Peer) take(ctx context.Context, work *sync.WaitGroup, line []byte, handle Handler) error {
	if len(line) == 0 {
		return nil
	}
	var m message
	if err := sayso.CheckLargeJSON(line, MaxLine); err != nil {
		return fmt.Errorf("bridge: reading from the plugin: %w", err)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("bridge: reading from the plugin: %w", err)
	}
	switch {
	case m.Method == "" && m.ID != nil:
		p.mu.Lock()
		c := p.waiting[*m.ID]
		delete(p.waiting, *m.ID)
		p.mu.Unlock()
		if c != nil {
			c <- &m
		}
	case m.Method != "" && m.ID == nil:
		handle(ctx, p, m.Method, m.Params, false)
	case m.Method != "":
		work.Go(func() {
			reply := &message{ID: m.ID}
			result, err := handle(ctx, p, m.Method, m.Params, true)
			if err == nil {
				reply.Result, err = json.Marshal(result)
			}
			if err != nil {
				reply.Result, reply.Error = nil, &Error{Code: -32000, Message: err.Error()}
			}
			p.send(reply) // a plugin that has gone reads nothing
		})
	}
	return nil
}

func (p *Peer) send(m *message) error {
	m.JSONRPC = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.out.Write(append(line, '\n'))
	return err
}

// Notify tells the plugin something.
func (p *Peer) Notify(method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return p.send(&message{Method: method, Params: data})
}

// Call has the plugin do something, and reads what it says into result unless that is
// nil.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	reply := make(chan *message, 1)
	p.mu.Lock()
	p.last++
	id := p.last
	p.waiting[id] = reply
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	if err := p.send(&message{ID: &id, Method: method, Params: data}); err != nil {
		return fmt.Errorf("bridge: telling the plugin: %w", err)
	}
	select {
	case m := <-reply:
		switch {
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-p.ended:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}
