package outbound

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// zone is a name server whose answers a test decides.
type zone struct {
	conn net.PacketConn

	mu     sync.Mutex
	asked  map[string]int
	answer func(name string, n int) []netip.Addr // n: how often the name was asked for before
}

func newZone(t *testing.T, answer func(name string, n int) []netip.Addr) *zone {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	z := &zone{conn: conn, asked: make(map[string]int), answer: answer}
	done := make(chan struct{})
	go func() { defer close(done); z.serve() }()
	t.Cleanup(func() { conn.Close(); <-done })
	return z
}

// resolver asks this server only, whatever the machine has in its files.
func (z *zone) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", z.conn.LocalAddr().String())
	}}
}

func (z *zone) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := z.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if reply := z.reply(buf[:n]); reply != nil {
			_, _ = z.conn.WriteTo(reply, from)
		}
	}
}

// reply answers a question of one name for A or AAAA.
func (z *zone) reply(q []byte) []byte {
	if len(q) < 17 {
		return nil
	}
	var labels []string
	i := 12
	for i < len(q) && q[i] != 0 {
		end := i + 1 + int(q[i])
		if end > len(q) {
			return nil
		}
		labels = append(labels, string(q[i+1:end]))
		i = end
	}
	end := i + 5
	if end > len(q) {
		return nil
	}
	kind := binary.BigEndian.Uint16(q[i+1:])
	name := strings.ToLower(strings.Join(labels, "."))

	z.mu.Lock()
	var addrs []netip.Addr
	if kind == 1 || kind == 28 {
		key := name + "/" + string(rune('0'+kind%10))
		addrs = z.answer(name, z.asked[key])
		z.asked[key]++
	}
	z.mu.Unlock()

	out := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
	count := 0
	for _, a := range addrs {
		if a.Is4() != (kind == 1) {
			continue
		}
		raw := a.AsSlice()
		out = append(out, 0xc0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
		out = append(out, raw...)
		count++
	}
	binary.BigEndian.PutUint16(out[6:], uint16(count))
	return out
}
