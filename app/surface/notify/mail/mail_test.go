package mail

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
	"github.com/saysohq/sayso/hub"
)

var epoch = time.Date(2026, 3, 1, 12, 1, 0, 0, time.UTC)

func channel(s *server, change func(*Options)) *Channel {
	o := &Options{
		Server: "example.com:587", From: "sayso <sayso@example.com>", Roots: s.roots, Dial: s.dial,
		Limit: time.Minute, Now: func() time.Time { return epoch },
	}
	if change != nil {
		change(o)
	}
	return New(o)
}

func contact() *notify.Contact {
	return &notify.Contact{Tenant: "local", ID: "mail-1", Kind: notify.Mail, Address: json.RawMessage(`{"to":"ann@example.org"}`), Detail: notify.DetailSender}
}

func note(detail notify.Detail, change func(*notify.Matter)) *notify.Note {
	a := &sayso.Ask{ID: "a", Origin: sayso.Origin{Host: "claude-code"}, Questions: []sayso.Question{{Text: "Which database? Über alles."}}}
	a.Normalize()
	m := &notify.Matter{
		Key: "k1", Token: "token", Alert: true, Inbox: "https://hub.example/", URL: "https://hub.example/ask/" + strings.Repeat("h", 120), Now: epoch,
		Asks: []*hub.Ticket{{Address: hub.Address{Tenant: "local", ID: "a"}, Ask: a, Digest: a.Digest(), Revision: 1}},
	}
	if change != nil {
		change(m)
	}
	return notify.Compose(&notify.Contact{Detail: detail}, notify.Limits{}, m)
}

// read takes a mail apart as a mail program does.
func read(t testing.TB, data []byte) (h mail.Header, subject, text string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(string(data)))
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m.Header, subject, strings.ReplaceAll(string(body), "\r\n", "\n")
}

func TestPut(t *testing.T) {
	s := newServer(t)
	c, to := channel(s, nil), contact()
	where, err := c.Put(t.Context(), to, note(notify.DetailText, nil), "")
	if err != nil || where != "sayso-k1-0@example.com" {
		t.Fatal(where, err)
	}
	got := s.taken()
	if len(got) != 1 || got[0].from != "FROM:<sayso@example.com> BODY=8BITMIME" || got[0].to != "TO:<ann@example.org>" || !got[0].secure {
		t.Fatalf("%+v", got)
	}
	h, subject, text := read(t, got[0].data)
	want := "Which database? Über alles.\n\nAnswer it here:\nhttps://hub.example/ask/" + strings.Repeat("h", 120) + "\n\nYou cannot answer by mail. Nobody reads replies to it.\n"
	if subject != "claude-code asks" || text != want {
		t.Errorf("%q\n%s", subject, text)
	}
	for key, want := range map[string]string{
		"From": `"sayso" <sayso@example.com>`, "To": "<ann@example.org>", "Date": "Sun, 01 Mar 2026 12:01:00 +0000", "Message-Id": "<sayso-k1-0@example.com>",
		"References": "", "Auto-Submitted": "auto-generated", "Importance": "",
	} {
		if h.Get(key) != want {
			t.Errorf("%s: %q, want %q", key, h.Get(key), want)
		}
	}

	reminder := note(notify.DetailSender, func(m *notify.Matter) { m.Round, m.URL, m.Inbox = 1, "", "" })
	reminder.Urgent = true
	if where, err = c.Put(t.Context(), to, reminder, where); err != nil || where != "sayso-k1-1@example.com" {
		t.Fatal(where, err)
	}
	h, _, text = read(t, s.taken()[0].data)
	if h.Get("References") != "<sayso-k1-0@example.com>" || h.Get("In-Reply-To") != "<sayso-k1-0@example.com>" || h.Get("Importance") != "high" || !strings.Contains(text, "Answer it with: sayso inbox\n") || strings.Contains(text, "database") {
		t.Errorf("%v\n%s", h, text)
	}

	if where, err := c.Put(t.Context(), to, note(notify.DetailText, func(m *notify.Matter) { m.Alert = false }), where); where != "sayso-k1-1@example.com" || err != nil {
		t.Error(where, err)
	}
	if where, err := c.Put(t.Context(), to, &notify.Note{Key: "k1", Over: true}, where); where != "" || err != nil {
		t.Error(where, err)
	}
	if len(s.taken()) > 0 || s.conns != 2 {
		t.Error("a note that changed, or is over, sends mail")
	}
}

func TestServers(t *testing.T) {
	tests := []struct {
		name   string
		server func(*server)
		opts   func(*Options)
		want   string // of the error; empty: the mail arrives
		never  bool
		doubt  bool // it may have arrived
	}{
		{name: "STARTTLS"},
		{name: "no TLS", server: func(s *server) { s.noTLS = true }, want: "no TLS"},
		{name: "an unknown certificate", opts: func(o *Options) { o.Roots = nil }, want: "certificate"},
		{name: "another name", opts: func(o *Options) { o.Server = "other.test:587" }, want: "certificate"},
		{name: "no TLS on this machine", server: func(s *server) { s.noTLS = true }, opts: func(o *Options) { o.Server = "localhost:25" }},
		{name: "no TLS on this machine, by address", server: func(s *server) { s.noTLS = true }, opts: func(o *Options) { o.Server = "127.0.0.1:25" }},
		{name: "TLS from the first byte", server: func(s *server) { s.implicit = true }, opts: func(o *Options) { o.Server = "example.com:465" }},
		{name: "a password", server: func(s *server) { s.user = "ann s3cret" }, opts: func(o *Options) { o.User, o.Pass = "ann", "s3cret" }},
		{name: "a wrong password", server: func(s *server) { s.user = "ann s3cret" }, opts: func(o *Options) { o.User, o.Pass = "ann", "wr0ng" }, want: "535"},
		{name: "no password", server: func(s *server) { s.user = "ann s3cret" }, want: "530"},
		{name: "it takes none", server: func(s *server) { s.noAuth = true }, opts: func(o *Options) { o.User, o.Pass = "ann", "s3cret" }, want: "takes no user name"},
		{name: "no such person", server: func(s *server) { s.fail["RCPT"] = "550 5.1.1 no such user" }, want: "cannot send to ann@example.org: 550 5.1.1 no such user"},
		{name: "a full box", server: func(s *server) { s.fail["RCPT"] = "452 4.2.2 full" }, want: "452"},
		{name: "a sender that may not", server: func(s *server) { s.fail["MAIL"] = "553 not you" }, want: "553"},
		{name: "refused content", server: func(s *server) { s.fail["."] = "554 spam\x1b[31m\u202e" }, want: "554 spam", never: true},
		{name: "a busy server", server: func(s *server) { s.fail["EHLO"], s.fail["HELO"] = "421 busy", "421 busy" }, want: "421"},
		{name: "a server that dies at the end", server: func(s *server) { s.hang = "QUIT" }, opts: func(o *Options) { o.Limit = 300 * time.Millisecond }},
		{name: "a server that hangs", server: func(s *server) { s.hang = "MAIL" }, opts: func(o *Options) { o.Limit = 300 * time.Millisecond }, want: "deadline"},
		{name: "a server that says nothing at the end", server: func(s *server) { s.hang = "." }, opts: func(o *Options) { o.Limit = 300 * time.Millisecond }, want: "deadline", doubt: true},
		{name: "nobody there", server: func(s *server) { s.listener.Close() }, want: "refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			if tt.server != nil {
				tt.server(s)
			}
			where, err := channel(s, tt.opts).Put(t.Context(), contact(), note(notify.DetailSender, nil), "")
			mails := s.taken()
			if tt.want == "" {
				if err != nil || where == "" || len(mails) != 1 {
					t.Errorf("%q, %v, %d mails", where, err, len(mails))
				}
				return
			}
			var retry *notify.RetryError
			if err == nil || !strings.Contains(err.Error(), tt.want) || where != "" || len(mails) > 0 || errors.As(err, &retry) == tt.doubt || (retry != nil && retry.Never) != tt.never {
				t.Errorf("%q, %v, %d mails", where, err, len(mails))
			}
			if err != nil && (strings.Contains(err.Error(), "wr0ng") || strings.ContainsAny(err.Error(), "\x1b\u202e")) {
				t.Errorf("%q", err)
			}
		})
	}
}

// The whole conversation ends with its context.
func TestCancelled(t *testing.T) {
	s := newServer(t)
	s.hang = "EHLO"
	ctx, cancel := context.WithCancel(t.Context())
	c := channel(s, nil)
	dial := c.opts.Dial
	c.opts.Dial = func(ctx context.Context, a string) (conn net.Conn, err error) {
		conn, err = dial(ctx, a)
		cancel()
		return conn, err
	}
	if _, err := c.Put(ctx, contact(), note(notify.DetailSender, nil), ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestHeader(t *testing.T) {
	long := strings.Repeat("ä€👍", 40)
	for _, s := range []string{"plain", "", "a =?utf-8?q?b?= c", "=?x", "ü", long, strings.Repeat("x", 200), "a\r\nBcc: evil@evil.example", "a\r\n b", "\x00\x1b[31m", "?="} {
		got := header(s)
		for _, line := range strings.Split(got, "\r\n") {
			if len(line) > 76 || strings.ContainsAny(line, "\r\n\x00\x1b") {
				t.Errorf("%q: line %q", s, line)
			}
		}
		m, err := mail.ReadMessage(strings.NewReader("Subject: " + got + "\r\nX: y\r\n\r\n"))
		if err != nil || len(m.Header) != 2 {
			t.Fatalf("%q: %v, %v", s, m, err)
		}
		back, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		want := strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
		if err != nil || back != want {
			t.Errorf("%q became %q, %v", want, back, err)
		}
	}
}

// FuzzLetter: whatever the title and the body say, the mail has the headers that it is
// to have, and says the same.
func FuzzLetter(f *testing.F) {
	for _, h := range notifytest.Corpus() {
		f.Add(h.Text, h.Text)
	}
	from, to := &mail.Address{Address: "sayso@example.com"}, &mail.Address{Address: "ann@example.org"}
	f.Fuzz(func(t *testing.T, title, body string) {
		n := &notify.Note{Key: "k", Title: strings.ToValidUTF8(title, "?"), Body: strings.ToValidUTF8(body, "?")}
		data := write(from, to, n, epoch).bytes()
		for _, c := range data {
			if c >= 0x7f || c < ' ' && c != '\r' && c != '\n' && c != '\t' {
				t.Fatalf("%#x in %q", c, data)
			}
		}
		h, _, text := read(t, data)
		var keys []string
		for k := range h {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if want := "Auto-Submitted Content-Transfer-Encoding Content-Type Date From Message-Id Mime-Version Subject To X-Auto-Response-Suppress"; strings.Join(keys, " ") != want {
			t.Errorf("headers %v", keys)
		}
		if !strings.Contains(text, "Answer it with: sayso inbox\n") {
			t.Errorf("%q", text)
		}
	})
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "ann", "ann@", "a@b@c", "ann@example.org\r\nBcc: x@y.example", "ann@example.org, eve@example.org", "<ann@example.org> x", "\"a b\"@example.org", "änn@example.org", "ann@exämple.org", "\"<x>\"@example.org", strings.Repeat("x", 250) + "@example.org"} {
		if a, err := NewAddress(bad); err == nil {
			t.Errorf("%q is taken as %v", bad, a)
		}
	}
	if a, err := NewAddress("Ann <ann@example.org>"); err != nil || a.To != "ann@example.org" {
		t.Error(a, err)
	}
	for _, bad := range []Options{{}, {Server: "example.com", From: "a@example.com"}, {Server: ":25", From: "a@example.com"}, {Server: "example.com:25", From: "x"}, {Server: "example.com:25", From: "a@example.com", User: "a\r\nb"}} {
		if bad.Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
		if _, err := New(&bad).Put(t.Context(), contact(), note(notify.DetailSender, nil), ""); err == nil {
			t.Error("mail is sent")
		}
	}
	var retry *notify.RetryError
	if _, err := channel(newServer(t), nil).Put(t.Context(), &notify.Contact{Address: json.RawMessage(`{}`)}, note(notify.DetailSender, nil), ""); !errors.As(err, &retry) || !retry.Never {
		t.Error(err)
	}
}

func TestHostile(t *testing.T) {
	s := newServer(t)
	var shown []string
	notifytest.Run(t, &notifytest.Target{
		Channel: channel(s, nil), Contact: *contact(), Stays: true,
		Clear: func() { shown = nil },
		Seen: func() notifytest.View {
			v := notifytest.View{}
			for _, m := range s.taken() {
				h, subject, text := read(t, m.data)
				shown = append(shown, subject, text)
				v.Wire = append(append(v.Wire, subject...), text...)
				for _, line := range strings.Split(text, "\n") {
					if strings.HasPrefix(line, "https://hub.example/") {
						v.Links = append(v.Links, line)
					}
				}
				for _, key := range []string{"Bcc", "Cc", "Reply-To", "X-Priority"} {
					if h.Get(key) != "" {
						t.Errorf("%s: %s", key, h.Get(key))
					}
				}
				if !strings.HasPrefix(h.Get("Content-Type"), "text/plain") {
					t.Error(h.Get("Content-Type"))
				}
			}
			v.Lock, v.Unlocked = shown, shown
			return v
		},
	})
}
