package tty_test

import (
	"encoding/base64"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso/app/surface/notify/notifytest"
	"github.com/saysohq/sayso/app/surface/notify/tty"
)

// TestHostile puts the corpus through terminals of every kind. The terminal reads the
// bytes that arrive: every sequence must be one that the kind knows, and nothing may be
// beside them.
func TestHostile(t *testing.T) {
	for _, kind := range []tty.Kind{tty.Bell, tty.OSC9, tty.OSC777, tty.OSC99} {
		t.Run(string(kind), func(t *testing.T) {
			master, path := openPTY(t)
			keep, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
			must(t, err)
			defer keep.Close()
			reading := &screen{t: t, kind: kind, in: master, mark: keep}
			notifytest.Run(t, &notifytest.Target{Channel: tty.New(nil), Contact: *contact(t, &tty.Address{Path: path, Kind: kind}), Seen: reading.seen, Stays: kind != tty.OSC99})
		})
	}
}

// screen is a terminal that shows one notification.
type screen struct {
	t     *testing.T
	kind  tty.Kind
	in    *os.File
	mark  *os.File
	shown []string
}

const end = "\x1b[0n" // which the test writes behind everything

// seen reads what has arrived.
func (s *screen) seen() notifytest.View {
	s.t.Helper()
	_, err := s.mark.WriteString(end)
	must(s.t, err)
	var got []byte
	for b := make([]byte, 4096); !strings.HasSuffix(string(got), end); {
		n, err := s.in.Read(b)
		must(s.t, err)
		got = append(got, b[:n]...)
	}
	var v notifytest.View
	text := strings.TrimSuffix(string(got), end)
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\a"); ok {
			text, s.shown = rest, nil
			v.Wire = append(v.Wire, "bell\n"...)
			continue
		}
		body, rest, ok := strings.Cut(strings.TrimPrefix(text, "\x1b]"), "\x1b\\")
		if !ok || !strings.HasPrefix(text, "\x1b]") {
			s.t.Fatalf("%q is no sequence", text)
		}
		text = rest
		switch s.kind {
		case tty.OSC9:
			s.shown = []string{strings.TrimPrefix(body, "9;")}
		case tty.OSC777:
			s.shown = strings.Split(strings.TrimPrefix(body, "777;notify;"), ";")
		case tty.OSC99:
			m := regexp.MustCompile(`^99;i=[a-z0-9]+:(o=unfocused:d=[01]:e=1(?::p=body)?|p=close);(.*)$`).FindStringSubmatch(body)
			if m == nil {
				s.t.Fatalf("%q is no sequence of kitty's", body)
			}
			plain, err := base64.StdEncoding.DecodeString(m[2])
			must(s.t, err)
			if m[1] == "p=close" || strings.HasPrefix(m[1], "o=unfocused:d=0") {
				s.shown = nil
			}
			if m[1] != "p=close" {
				s.shown = append(s.shown, string(plain))
			}
			body = string(plain)
		}
		v.Wire = append(v.Wire, body+"\n"...)
	}
	v.Lock, v.Unlocked = s.shown, s.shown
	return v
}
