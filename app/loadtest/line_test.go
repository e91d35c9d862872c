package loadtest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// line is a connection from a gateway to its store that can lose notifications
// without a sign, or break.
type line struct {
	t      *testing.T
	to     string
	listen net.Listener
	work   sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool
	broken bool
	losing bool
	lost   int
	heard  time.Time // when something was lost last
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ln := &line{t: t, to: to, listen: l, conns: map[net.Conn]bool{}}
	ln.work.Go(ln.serve)
	t.Cleanup(func() { l.Close(); ln.cut(); ln.work.Wait() })
	return ln
}

func (l *line) addr() string { return l.listen.Addr().String() }

func (l *line) serve() {
	for {
		c, err := l.listen.Accept()
		if err != nil {
			return
		}
		s, err := net.Dial("tcp", l.to)
		if err != nil || !l.add(c, s) {
			c.Close()
			continue
		}
		l.work.Go(func() { io.Copy(s, c); s.Close() })
		l.work.Go(func() { l.forward(c, s); c.Close() })
	}
}

func (l *line) add(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if l.broken {
			c.Close()
		} else {
			l.conns[c] = true
		}
	}
	return !l.broken
}

// cut ends every connection, and refuses new ones until restore.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = true
	for c := range l.conns {
		c.Close()
	}
	clear(l.conns)
}

// restore takes connections again, and waits for one.
func (l *line) restore() {
	l.t.Helper()
	l.mu.Lock()
	l.broken = false
	l.mu.Unlock()
	for end := time.Now().Add(patience); ; <-time.After(time.Millisecond) {
		l.mu.Lock()
		n := len(l.conns)
		l.mu.Unlock()
		if n > 0 {
			return
		}
		if time.Now().After(end) {
			l.t.Fatal("the gateway does not connect again")
		}
	}
}

// lose says whether notifications are lost.
func (l *line) lose(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losing = on
	if on {
		l.lost, l.heard = 0, time.Now()
	}
}

// quiet waits until a notification was lost and no more come.
func (l *line) quiet() {
	l.t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		l.mu.Lock()
		done := l.lost > 0 && time.Since(l.heard) > 300*time.Millisecond
		l.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(end) {
			l.t.Fatal("no notification came to be lost")
		}
	}
}

// drops reports whether a message on this subject is lost.
func (l *line) drops(subject string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.losing || !strings.Contains("."+subject, ".evt.") {
		return false
	}
	l.lost++
	l.heard = time.Now()
	return true
}

// forward hands on what the server says: lines, and messages with their payload.
func (l *line) forward(to, from net.Conn) {
	in, out := bufio.NewReaderSize(from, 64<<10), bufio.NewWriterSize(to, 64<<10)
	var keep bytes.Buffer
	for {
		head, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		keep.Reset()
		keep.Write(head)
		f := strings.Fields(string(head))
		if len(f) > 3 && (f[0] == "MSG" || f[0] == "HMSG") {
			size, err := strconv.Atoi(f[len(f)-1])
			if err == nil {
				_, err = io.CopyN(&keep, in, int64(size)+2)
			}
			if err != nil {
				return
			}
			if l.drops(f[1]) {
				continue
			}
		}
		out.Write(keep.Bytes())
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return
			}
		}
	}
}
