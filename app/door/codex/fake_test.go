package codex_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/saysohq/sayso/app/door/codex"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/hub"
)

// patience is how long anything may take: the machine may be busy.
const patience = time.Minute

// server is Codex, as far as its socket shows it: one session, which waits.
type server struct {
	*hubfake.World
	home    string
	rollout string // the file of the session

	mu      sync.Mutex
	ws      *websocket.Conn
	calls   []string // what it was asked for
	replies map[string]string
	waits   bool              // whether the session waits when somebody connects
	items   string            // the steps of the last turn
	pending map[string]string // requests that wait, by id
	before  map[string]string // said before the reply, by method
	working int
}

// start serves the socket, and connects it to the hub.
func start(t *testing.T, s *server) *server {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cx-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s.World, s.home, s.replies, s.rollout = hubfake.New(t), dir, map[string]string{}, filepath.Join(dir, "rollout.jsonl")
	socket := codex.Socket(dir)
	if err := os.Mkdir(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(socket, long, long); err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(s.serve)}
	var work sync.WaitGroup
	work.Go(func() { srv.Serve(ln) })
	ctx, cancel := context.WithCancel(context.Background())
	work.Go(func() {
		codex.Run(ctx, s.Client(codex.Host), &codex.Options{Home: dir, Working: func() func() {
			s.count(1)
			return func() { s.count(-1) }
		}})
	})
	t.Cleanup(func() {
		cancel()
		srv.Close()
		work.Wait()
		if s.working != 0 {
			t.Errorf("%d turns are still said to be under way", s.working)
		}
	})
	return s
}

func (s *server) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working += n
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	s.mu.Lock()
	s.ws = ws
	s.mu.Unlock()
	for {
		_, data, err := ws.Read(r.Context())
		if err != nil {
			return
		}
		s.take(data)
	}
}

func (s *server) take(data []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	s.mu.Lock()
	if m.Method == "" {
		s.replies[string(m.ID)] = string(m.Result)
		delete(s.pending, string(m.ID))
		s.mu.Unlock()
		s.say(`{"method":"serverRequest/resolved","params":{"threadId":"th1","requestId":` + string(m.ID) + `}}`)
		return
	}
	s.calls = append(s.calls, m.Method)
	state := `{"type":"idle"}`
	if s.waits {
		state = `{"type":"active","activeFlags":["waitingOnApproval"]}`
	}
	info := `{"id":"th1","sessionId":"se1","cwd":"/home/ann/shop","path":"` + s.rollout + `","status":` + state + `,"turns":[]}`
	result := map[string]string{
		"initialize":         `{"codexHome":"` + s.home + `"}`,
		"thread/loaded/list": `{"data":["th1"]}`,
		"thread/read":        `{"thread":` + info + `}`,
		"thread/resume":      `{"thread":` + info + `,"initialTurnsPage":{"data":[{"id":"tu1","items":[` + s.items + `]}]}}`,
	}[m.Method]
	var again []string
	if m.Method == "thread/resume" {
		for _, p := range s.pending {
			again = append(again, p)
		}
	}
	s.mu.Unlock()
	if result == "" {
		result = "{}"
	}
	if text := s.before[m.Method]; text != "" {
		s.say(text)
	}
	if len(m.ID) > 0 {
		s.say(`{"id":` + string(m.ID) + `,"result":` + result + `}`)
	}
	for _, p := range again {
		s.say(p)
	}
}

// say sends a message.
func (s *server) say(text string) {
	s.mu.Lock()
	ws := s.ws
	s.mu.Unlock()
	ws.Write(context.Background(), websocket.MessageText, []byte(text))
}

// until waits for something.
func (s *server) until(what string, done func() bool) {
	s.T.Helper()
	limit := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-limit:
			s.T.Fatalf("waited %v for %s; called: %s", patience, what, strings.Join(s.called(), " "))
		}
	}
}

func (s *server) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// asked waits for the one ask of the hub.
func (s *server) asked() *hub.Ticket {
	s.T.Helper()
	s.until("an ask", func() bool { return len(s.All()) > 0 })
	return s.All()[0]
}

// closed waits until it is closed.
func (s *server) closed() *hub.Ticket {
	s.T.Helper()
	s.until("its end", func() bool { return len(s.All()) > 0 && !s.All()[0].Open() })
	return s.All()[0]
}

// reply waits for the reply to a request.
func (s *server) reply(id string) string {
	s.T.Helper()
	text := ""
	s.until("a reply", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		text = s.replies[id]
		return text != ""
	})
	return text
}

// settle answers the request in Codex's own dialog.
func (s *server) settle(id string) {
	s.mu.Lock()
	delete(s.pending, id)
	s.mu.Unlock()
	s.say(`{"method":"serverRequest/resolved","params":{"threadId":"th1","requestId":` + id + `}}`)
}
