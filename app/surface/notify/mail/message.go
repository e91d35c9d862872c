package mail

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso/app/surface/notify"
)

// letter is one mail.
type letter struct {
	from, to *mail.Address
	id       string // of the message, without its brackets
	thread   string // the id of the first of its thread, which may be this one
	at       time.Time
	subject  string
	text     string
	urgent   bool
}

// write makes a letter of a note.
func write(from, to *mail.Address, n *notify.Note, at time.Time) *letter {
	domain := from.Address[strings.LastIndexByte(from.Address, '@')+1:]
	id := func(round int) string { return fmt.Sprintf("sayso-%s-%d@%s", n.Key, round, domain) }
	where := "Answer it with: sayso inbox"
	if n.URL != "" {
		where = "Answer it here:\n" + n.URL
	}
	if n.Test {
		where = "There is nothing to answer."
	}
	return &letter{
		from: from, to: to, id: id(n.Round), thread: id(0), at: at, urgent: n.Urgent,
		subject: n.Title,
		text:    n.Body + "\n\n" + where + "\n\nYou cannot answer by mail. Nobody reads replies to it.\n",
	}
}

// bytes returns the mail as it is sent: in ASCII, with short lines.
func (l *letter) bytes() []byte {
	var b bytes.Buffer
	head := func(key, value string) { fmt.Fprintf(&b, "%s: %s\r\n", key, value) }
	head("From", l.from.String())
	head("To", l.to.String())
	head("Subject", header(l.subject))
	head("Date", l.at.Format(time.RFC1123Z))
	head("Message-ID", "<"+l.id+">")
	if l.thread != l.id {
		head("In-Reply-To", "<"+l.thread+">")
		head("References", "<"+l.thread+">")
	}
	head("Auto-Submitted", "auto-generated") // no notes from holidays
	head("X-Auto-Response-Suppress", "All")
	if l.urgent {
		head("Importance", "high")
	}
	head("MIME-Version", "1.0")
	head("Content-Type", "text/plain; charset=utf-8")
	head("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	q := quotedprintable.NewWriter(&b)
	_, _ = q.Write([]byte(strings.ReplaceAll(oneKindOfLine(l.text), "\n", "\r\n"))) // to memory
	_ = q.Close()
	return b.Bytes()
}

func oneKindOfLine(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

// header makes a text the value of a header: one line, and encoded unless it is short
// and plain. What looks encoded already is encoded too, which package mime does not do.
func header(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	plain := len(s) <= 60 && !strings.Contains(s, "=?")
	for _, r := range s {
		plain = plain && r < 0x7f
	}
	if plain {
		return s
	}
	var words []string
	for s != "" {
		end := min(len(s), 45) // 60 characters of base64, and 12 around them
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(s[:end]))+"?=")
		s = s[end:]
	}
	return strings.Join(words, "\r\n ")
}
