package loadtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// caller makes one request after the other on one connection. It does little
// itself, as clients and hub share the processors.
type caller struct {
	addr, key string
	conn      net.Conn
	in        *bufio.Reader
	out       bytes.Buffer
	retries   int
}

func newCaller(addr, key string) *caller { return &caller{addr: addr, key: key} }

func (c *caller) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// send writes a request and reads the head of the response.
func (c *caller) send(method, path string, body []byte) (*http.Response, error) {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.addr, 10*time.Second)
		if err != nil {
			return nil, err
		}
		c.conn, c.in = conn, bufio.NewReaderSize(conn, 4096)
	}
	c.out.Reset()
	fmt.Fprintf(&c.out, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n", method, path, c.key)
	if body != nil {
		fmt.Fprintf(&c.out, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	c.out.WriteString("\r\n")
	c.out.Write(body)
	if _, err := c.conn.Write(c.out.Bytes()); err != nil {
		c.close()
		return nil, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.close()
	}
	return resp, err
}

// do makes a request and decodes the response into into, unless that is nil. As any
// good client, it tries again what may be repeated when the hub or its store is away.
func (c *caller) do(method, path string, body []byte, into any) error {
	for end := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		err := c.try(method, path, body, into)
		var away *awayError
		if !errors.As(err, &away) || time.Now().After(end) {
			return err
		}
		c.retries++
	}
}

// awayError is what may go away by itself.
type awayError struct{ error }

func (c *caller) try(method, path string, body []byte, into any) error {
	resp, err := c.send(method, path, body)
	if err != nil {
		return &awayError{fmt.Errorf("%s %.40s: %w", method, path, err)}
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.Close {
		c.close()
	}
	switch {
	case err != nil:
		return &awayError{fmt.Errorf("%s %.40s: %w", method, path, err)}
	case resp.StatusCode == http.StatusServiceUnavailable:
		return &awayError{fmt.Errorf("%s %.40s: %s", method, path, text)}
	case resp.StatusCode > 299:
		return fmt.Errorf("%s %.40s: %d %s", method, path, resp.StatusCode, text)
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

// ticket is what the figures read of one.
type ticket struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Digest string `json:"digest"`
	Ask    struct {
		ID string `json:"id"`
	} `json:"ask"`
	Outcome *struct {
		Answers []struct {
			Selected []string `json:"selected"`
			Other    string   `json:"other"`
		} `json:"answers"`
	} `json:"outcome"`
}

// event is one of a stream.
type event struct {
	name string
	data []byte // until the next one is read
}

// follower reads an event stream.
type follower struct {
	*caller
	lines *bufio.Reader
	name  []byte
}

// follow opens an event stream. Close it to end it.
func follow(addr, key, path string) (*follower, error) {
	c := newCaller(addr, key)
	resp, err := c.send("GET", path, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		c.close()
		return nil, fmt.Errorf("%s: %d %s", path, resp.StatusCode, text)
	}
	return &follower{caller: c, lines: bufio.NewReaderSize(resp.Body, 4096)}, nil
}

// next returns the next event that has data.
func (f *follower) next() (event, error) {
	for {
		line, err := f.lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			long := bytes.Clone(line)
			for err == bufio.ErrBufferFull {
				line, err = f.lines.ReadSlice('\n')
				long = append(long, line...)
			}
			line = long
		}
		if err != nil {
			return event{}, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			f.name = append(f.name[:0], name...)
		}
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			return event{string(f.name), data}, nil
		}
	}
}

// ready reads up to the event that says that everything open was told, and
// returns how many asks were.
func (f *follower) ready() (told int, err error) {
	for {
		e, err := f.next()
		switch {
		case err != nil:
			return told, err
		case e.name == "ask":
			told++
		case e.name == "ready":
			return told, nil
		}
	}
}
