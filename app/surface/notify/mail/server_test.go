package mail

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// server is a strict mail server: it takes what the standards allow, and reports the
// rest.
type server struct {
	t        *testing.T
	listener net.Listener
	cert     tls.Certificate
	roots    *x509.CertPool

	noTLS, noAuth, implicit bool
	user                    string // name and password, with a blank between; empty: it asks for none
	fail                    map[string]string
	hang                    string // the command that it does not answer

	mu    sync.Mutex
	mails []received
	conns int
}

type received struct {
	from, to string
	data     []byte
	secure   bool
	user     string
}

func newServer(t *testing.T) *server {
	t.Helper()
	https := httptest.NewUnstartedServer(nil) // for its certificate, which is for example.com
	https.StartTLS()
	defer https.Close()
	s := &server{t: t, cert: https.TLS.Certificates[0], roots: x509.NewCertPool(), fail: map[string]string{}}
	s.roots.AddCert(https.Certificate())
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
			all.Go(func() {
				defer conn.Close()
				stop := context.AfterFunc(t.Context(), func() { conn.Close() })
				defer stop()
				s.serve(conn)
			})
		}
	})
	t.Cleanup(func() { s.listener.Close(); all.Wait() })
	return s
}

// dial reaches the server, whatever the address says.
func (s *server) dial(ctx context.Context, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", s.listener.Addr().String())
}

func (s *server) taken() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.mails
	s.mails = nil
	return got
}

var path = regexp.MustCompile(`^<[!-;=?-~]+@[!-;=?-~]+>( BODY=8BITMIME)?$`)

func (s *server) serve(conn net.Conn) {
	var secure, greeted bool
	var m received
	if s.implicit {
		conn, secure = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{s.cert}}), true
	}
	in := bufio.NewReader(conn)
	say := func(format string, args ...any) { fmt.Fprintf(conn, format+"\r\n", args...) }
	say("220 mail.test ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line, ok := strings.CutSuffix(line, "\r\n")
		if !ok || strings.ContainsAny(line, "\r\x00") || len(line) > 510 {
			s.t.Errorf("a command that is not a line: %q", line)
		}
		verb, rest, _ := strings.Cut(line, " ")
		key := strings.ToUpper(verb)
		if key == s.hang {
			continue
		}
		if text := s.fail[key]; text != "" {
			say("%s", text)
			continue
		}
		switch key {
		case "EHLO":
			greeted = true
			say("250-mail.test")
			if !s.noTLS && !secure {
				say("250-STARTTLS")
			}
			if !s.noAuth {
				say("250-AUTH LOGIN PLAIN")
			}
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			conn, secure, greeted = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{s.cert}}), true, false
			in = bufio.NewReader(conn)
		case "AUTH":
			word, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			parts := strings.Split(string(word), "\x00")
			if err != nil || len(parts) != 3 || parts[1]+" "+parts[2] != s.user {
				say("535 5.7.8 wrong user or password")
				continue
			}
			m.user = parts[1]
			say("235 welcome")
		case "MAIL":
			if !greeted || !path.MatchString(strings.TrimPrefix(rest, "FROM:")) {
				s.t.Errorf("bad command %q", line)
			}
			if s.user != "" && m.user == "" {
				say("530 sign in first")
				continue
			}
			m.from = rest
			say("250 ok")
		case "RCPT":
			if m.to != "" || !path.MatchString(strings.TrimPrefix(rest, "TO:")) {
				s.t.Errorf("bad command %q", line)
			}
			m.to = rest
			say("250 ok")
		case "DATA":
			say("354 go on")
			data, ok := s.read(in)
			if !ok {
				return
			}
			if s.hang == "." {
				continue
			}
			if text := s.fail["."]; text != "" {
				say("%s", text)
				continue
			}
			m.data, m.secure = data, secure
			s.mu.Lock()
			s.mails = append(s.mails, m)
			s.mu.Unlock()
			say("250 taken")
		case "*": // package smtp gives up an attempt to sign in
			say("501 given up")
		case "QUIT":
			say("221 bye")
			return
		default:
			s.t.Errorf("unknown command %q", line)
			say("500 what?")
		}
	}
}

// read reads a message: lines of ASCII that are not too long, up to a dot.
func (s *server) read(in *bufio.Reader) ([]byte, bool) {
	var b bytes.Buffer
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, false
		}
		text, ok := strings.CutSuffix(line, "\r\n")
		if !ok || strings.ContainsAny(text, "\r\n\x00") {
			s.t.Errorf("bare line end in %q", line)
		}
		if len(text) > 78 && !strings.Contains(text, ": ") {
			s.t.Errorf("%d characters in %q", len(text), text)
		}
		for _, c := range []byte(text) {
			if c >= 0x7f || c < ' ' && c != '\t' {
				s.t.Errorf("%#x in %q", c, text)
			}
		}
		if text == "." {
			return b.Bytes(), true
		}
		b.WriteString(strings.TrimPrefix(text, ".") + "\r\n")
	}
}
