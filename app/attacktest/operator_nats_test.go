package attacktest

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

func natsUnreachable(s *sighting) {
	// At the start.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	at := ln.Addr().String()
	ln.Close()
	_, s.nats, _ = net.SplitHostPort(at)
	s.runs(nil, "serve", "--listen", s.address(), "--nats", "nats://"+at)

	// While the hub runs.
	n := s.natsServer(at, "")
	s.agent = s.newKey()
	s.started("--nats", "nats://"+at, "--nats-nkey", s.nkey, "--nats-sync-check", "sayso.jsz")
	s.asked(s.agent, "Before the fault?")
	begin := time.Now()
	n.Shutdown()
	n.WaitForShutdown()
	s.logs(begin, "the connection to NATS is lost")
	eventually(s.t, "/readyz tells of the fault", func() bool { return s.do("GET", "/readyz", "", nil).status == 503 })
	s.saw("/readyz", begin)
	s.gets("/readyz")
	s.runs(faulty, "doctor")
	s.natsServer(at, "")
	s.logs(time.Time{}, "connected to NATS again")
	eventually(s.t, "the hub stores asks again", func() bool { return strings.HasPrefix(s.post("again"), "201") })
}

func natsPermissions(s *sighting) {
	n := s.natsServer("127.0.0.1:-1", `"\$JS\.API\.STREAM\.CREATE\.\*"`)
	s.runs(nil, "serve", "--listen", s.address(), "--nats", "nats://"+n.Addr().String(), "--nats-nkey", s.nkey, "--nats-sync-check", "sayso.jsz")
}

// natsServer starts a NATS server with the configuration of the guide, without the
// permissions that a pattern selects.
func (s *sighting) natsServer(at, without string) *server.Server {
	s.t.Helper()
	text, err := os.ReadFile("../../docs/examples/nats.conf")
	if err != nil {
		s.t.Fatal(err)
	}
	if s.natsDir == "" {
		s.natsDir = s.t.TempDir()
	}
	conf := strings.NewReplacer("0.0.0.0:4222", at, "/var/lib/nats", s.natsDir, "NKEY", s.login()).Replace(string(text))
	if without != "" {
		fewer := regexp.MustCompile(`(?m)^\s*`+without+`\n`).ReplaceAllString(conf, "")
		if fewer == conf {
			s.t.Fatalf("no permission is %s", without)
		}
		conf = fewer
	}
	file := filepath.Join(s.natsDir, "nats.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		s.t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	o.NoSigs, o.NoLog = true, true
	n, err := server.NewServer(o)
	if err != nil {
		s.t.Fatal(err)
	}
	n.Start()
	s.t.Cleanup(func() { n.Shutdown(); n.WaitForShutdown() })
	s.t.Cleanup(s.stop) // before the server goes
	if !n.ReadyForConnections(patience) {
		s.t.Fatal("the NATS server does not start")
	}
	_, s.nats, _ = net.SplitHostPort(n.Addr().String())
	return n
}

// login makes the nkey of the hub, once, and returns its public part.
func (s *sighting) login() string {
	s.t.Helper()
	if s.public == "" {
		key, err := nkeys.CreateUser()
		if err != nil {
			s.t.Fatal(err)
		}
		seed, err1 := key.Seed()
		public, err2 := key.PublicKey()
		s.nkey, s.public = filepath.Join(s.home, "hub.nkey"), public
		if err := errors.Join(err1, err2, os.WriteFile(s.nkey, append(seed, '\n'), 0o600)); err != nil {
			s.t.Fatal(err)
		}
		s.own(s.nkey)
	}
	return s.public
}
