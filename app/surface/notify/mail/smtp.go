package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/smtp"
	"net/textproto"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
)

// send hands a mail to the server. Package smtp knows no context: the connection has the
// deadline, and is closed when ctx ends.
func (c *Channel) send(ctx context.Context, l *letter) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Limit)
	defer cancel()
	conn, err := c.opts.Dial(ctx, c.opts.Server)
	if err != nil {
		return c.judge("connect", err)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if t, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(t)
	}
	step, err := c.talk(conn, l)
	conn.Close()
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		err = context.Canceled
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded): // of the connection, a moment before
		err = context.DeadlineExceeded
	}
	return c.judge(step, err)
}

// talk has the whole conversation, and says at which step it ended.
func (c *Channel) talk(conn net.Conn, l *letter) (step string, err error) {
	host, port, _ := net.SplitHostPort(c.opts.Server)
	secure := &tls.Config{ServerName: host, RootCAs: c.opts.Roots, MinVersion: tls.VersionTLS12}
	if port == "465" {
		conn = tls.Client(conn, secure)
	}
	s, err := smtp.NewClient(conn, host)
	if err != nil {
		return "connect", err
	}
	defer s.Close()
	if err := s.Hello("localhost"); err != nil {
		return "greet", err
	}
	if port != "465" && !here(host, conn) {
		if ok, _ := s.Extension("STARTTLS"); !ok {
			return "encrypt", errors.New("the server offers no TLS, and mail is not sent in clear")
		}
		if err := s.StartTLS(secure); err != nil {
			return "encrypt", err
		}
	}
	if c.opts.User != "" {
		if ok, ways := s.Extension("AUTH"); !ok || !contains(ways, "PLAIN") {
			return "sign in", errors.New("the server takes no user name and password")
		}
		if err := s.Auth(smtp.PlainAuth("", c.opts.User, c.opts.Pass, host)); err != nil {
			return "sign in", err
		}
	}
	if err := s.Mail(l.from.Address); err != nil {
		return "send from " + l.from.Address, err
	}
	if err := s.Rcpt(l.to.Address); err != nil {
		return "send to " + l.to.Address, err
	}
	w, err := s.Data()
	if err != nil {
		return "send", err
	}
	if _, err := w.Write(l.bytes()); err != nil {
		return "send", err
	}
	if err := w.Close(); err != nil {
		return handOver, err
	}
	_ = s.Quit() // the server has the mail, whatever it says now
	return "", nil
}

// handOver is the step in which the server takes the mail. If it ends without a word
// there, nobody knows whether the server has it.
const handOver = "hand it over"

// here reports whether the server is this machine, by its name and in fact.
func here(host string, conn net.Conn) bool {
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return false
	}
	a, ok := conn.RemoteAddr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

func contains(words, word string) bool {
	for _, w := range strings.Fields(words) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// judge says what a failure means. Before the mail is handed over, it did not arrive,
// and what is wrong can be repaired: at the server, or with another address.
func (c *Channel) judge(step string, err error) error {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		err = fmt.Errorf("mail: %s: cannot %s: %w", c.opts.Server, step, err)
		if step == handOver {
			return err
		}
		return &notify.RetryError{Err: err}
	}
	text := sayso.SafeLine(reply.Msg)
	if utf8.RuneCountInString(text) > 200 {
		text = string([]rune(text)[:200]) + "…"
	}
	return &notify.RetryError{
		Never: reply.Code/100 == 5 && step == handOver, // it does not like what the mail says
		Err:   fmt.Errorf("mail: %s: cannot %s: %d %s", c.opts.Server, step, reply.Code, text),
	}
}
