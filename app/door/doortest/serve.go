package doortest

import (
	"net"
	"os"
	"regexp"
	"strings"
)

// Server is the world's hub with a TCP port, for programs that come by HTTP.
type Server struct {
	URL   string // without a slash at the end
	Token string // the bearer token of this machine, anew with each start

	w       *World
	address string
	args    []string
	proc    *Process
}

// Serve runs `sayso serve` on a free port. No other hub may run in this world
// yet. More arguments are for the command.
func (w *World) Serve(args ...string) *Server {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	s := &Server{w: w, address: l.Addr().String(), args: args}
	l.Close()
	s.Start()
	return s
}

var serving = regexp.MustCompile(`serving on (http://\S+); the token for this machine is in (\S+)\n`)

// Start starts the server again, on the same port.
func (s *Server) Start() {
	s.w.t.Helper()
	p := s.w.Start(s.w.Env(), s.w.Sayso, append([]string{"serve", "--listen", s.address}, s.args...)...)
	s.proc = p
	until(s.w.t, "the hub to serve", func() bool {
		if !p.Running() {
			s.w.t.Fatal("the hub does not start")
		}
		m := serving.FindStringSubmatch(p.Err())
		if m == nil {
			return false
		}
		token, err := os.ReadFile(m[2])
		if err != nil {
			s.w.t.Fatal(err)
		}
		s.URL, s.Token = m[1], strings.TrimSpace(string(token))
		return true
	})
}

// Kill kills the server with SIGKILL.
func (s *Server) Kill() { s.proc.Kill() }
