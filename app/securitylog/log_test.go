package securitylog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// memory keeps lines, or does not.
type memory struct {
	mu    sync.Mutex
	lines []string
	err   error
	block chan struct{} // nil: writes do not wait
}

func (m *memory) write(line []byte) error {
	if m.block != nil {
		<-m.block
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.lines = append(m.lines, string(line))
	}
	return m.err
}

func (m *memory) close() error { return nil }

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *memory) all() []line {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []line
	for _, text := range m.lines {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			panic(text)
		}
		all = append(all, l)
	}
	return all
}

func TestLine(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 16, 9, 30, 0, 123456789, time.UTC)
	for _, c := range []struct {
		name string
		e    Event
		want string
	}{
		{
			"all", Event{RoleRejected, "local", "k7", "s8", "asker", "PUT /v1/asks/{id}/answer", "192.0.2.7", "not-allowed", 3},
			`{"time":"2026-11-16T09:30:00.123Z","event":"role-rejected","tenant":"local","key":"k7","session":"s8","role":"asker",` +
				`"route":"PUT /v1/asks/{id}/answer","address":"192.0.2.7","reason":"not-allowed","count":3}`,
		},
		{"little", Event{Name: SignedIn}, `{"time":"2026-11-16T09:30:00.123Z","event":"signed-in"}`},
		{
			"nothing that is made up", Event{HostRejected, "ten\"ant", "key\n", strings.Repeat("s", 65), "<b>", "GET /x?token=1", "evil.example", "who are you", 0},
			`{"time":"2026-11-16T09:30:00.123Z","event":"host-rejected"}`,
		},
		{"a socket", Event{Name: HostRejected, Address: "socket"}, `{"time":"2026-11-16T09:30:00.123Z","event":"host-rejected","address":"socket"}`},
	} {
		c.e.clean()
		if got := string(c.e.line(at)); got != c.want+"\n" {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"192.0.2.7:80": "192.0.2.7", "[::ffff:192.0.2.7]:80": "192.0.2.7", "[fe80::1%eth0]:1": "fe80::1", "@": "socket", "": "socket", "name:1": ""} {
		if got := Address(&http.Request{RemoteAddr: in}); got != want {
			t.Errorf("%q is of %q, want %q", in, got, want)
		}
	}
}

// TestFlood: who does the same again and again fills no disk, and hides nobody else.
func TestFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		l := start(m, &Options{})
		for i := range 100_000 {
			l.Note(Event{Name: CredentialRejected, Address: "192.0.2.1", Reason: "none"})
			if i%10_000 == 0 {
				l.Note(Event{Name: CredentialRejected, Address: fmt.Sprintf("198.51.100.%d", i/10_000)})
			}
		}
		l.Note(Event{Name: KeyCreated, Key: "k1"})
		synctest.Wait()
		if all := m.all(); len(all) != 10+10+1 || all[len(all)-1].Event != KeyCreated {
			t.Fatalf("%d lines: %+v", len(all), all)
		}
		time.Sleep(61 * time.Second)
		all := m.all()
		if last := all[len(all)-1]; last.Count != 99_990 || last.Address != "192.0.2.1" || last.Event != CredentialRejected {
			t.Fatalf("the sum is %+v", last)
		}
		before := len(all)
		l.Note(Event{Name: CredentialRejected, Address: "192.0.2.1"})
		synctest.Wait()
		if len(m.all()) != before+1 {
			t.Error("the next minute is not another one")
		}
		l.Close(context.Background())
	})
}

// TestManySources: nor does who comes from many addresses.
func TestManySources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		l := start(m, &Options{PerMinute: 1})
		for i := range 60_000 {
			l.Note(Event{Name: HostRejected, Address: fmt.Sprintf("10.0.%d.%d", i/250, i%250)})
			synctest.Wait()
		}
		l.Close(context.Background())
		all := m.all()
		if len(all) > maxSources+2 {
			t.Errorf("%d lines", len(all))
		}
		if last := all[len(all)-1]; last.Address != "" || last.Count != 60_000-maxSources-1 {
			t.Errorf("the sum is %+v", last)
		}
	})
}

// TestBlocked: nobody waits for a disk.
func TestBlocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testBlocked)
}

func testBlocked(t *testing.T) {
	m := &memory{block: make(chan struct{})}
	l := start(m, &Options{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 10_000 {
			l.Note(Event{Name: QuotaReached, Key: fmt.Sprint("k", i%200)})
		}
	}()
	synctest.Wait()
	select {
	case <-done:
	default:
		close(m.block)
		t.Fatal("a request waits for the disk")
	}
	short, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := l.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("closing: %v", err)
	}
	close(m.block)
	l.work.Wait()
	sum := 0
	for _, one := range m.all() {
		sum += max(one.Count, 1)
	}
	if sum != 10_000 {
		t.Errorf("%d of 10000 are accounted for", sum)
	}
	l.Note(Event{Name: SignedIn}) // after the end: nothing, and no panic
}

// TestFullDisk: what could not be written is told when it can be.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		m.fail(errors.New("no space left on device"))
		l := start(m, &Options{})
		for range 5 {
			l.Note(Event{Name: SignedIn})
		}
		time.Sleep(90 * time.Second)
		m.fail(nil)
		time.Sleep(time.Minute)
		if all := m.all(); len(all) != 1 || all[0].Event != LinesLost || all[0].Count != 5 {
			t.Errorf("%+v", all)
		}
		l.Close(context.Background())
	})
}

func TestNil(t *testing.T) {
	t.Parallel()
	var l *Log
	l.Note(Event{Name: SignedIn})
	if err := l.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

var day = time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
