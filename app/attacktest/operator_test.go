package attacktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

// soon is how soon an operator is to see what is wrong; a busy machine gets more, and
// TestFigure_OPERATOR measures.
const soon = 2 * time.Second

// sightings are the faults of docs/guides/operate.md, each with what an operator does and sees.
var sightings = []struct {
	name string
	play func(*sighting)
}{
	{"full-disk", fullDisk},
	{"damaged-block", damagedBlock},
	{"expired-certificate", expiredCertificate},
	{"clock", wrongClock},
	{"port-in-use", portInUse},
	{"few-descriptors", fewDescriptors},
	{"nats-unreachable", natsUnreachable},
	{"nats-permissions", natsPermissions},
}

// TestOperatorSees plays every scene, and compares what an operator sees with what the
// guide quotes.
func TestOperatorSees(t *testing.T) {
	for _, one := range sightings {
		t.Run(one.name, func(t *testing.T) {
			s := &sighting{sick: newSick(t, fault{name: one.name})}
			one.play(s)
			golden := filepath.Join("testdata", "operator", one.name+".txt")
			if *update {
				if err := errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, []byte(s.seen.String()), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != s.seen.String() {
				t.Errorf("%s (%v), want\n%s\ngot\n%s", golden, err, want, &s.seen)
			}
			t.Logf("%s: %s until it was seen", one.name, s.slowest.Round(time.Millisecond))
		})
	}
}

// TestFigure_OPERATOR measures how soon each is seen.
func TestFigure_OPERATOR(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=OPERATOR")
	}
	for _, one := range sightings {
		t.Run(one.name, func(t *testing.T) {
			s := &sighting{sick: newSick(t, fault{name: one.name})}
			one.play(s)
			t.Logf("FIGURE OPERATOR %d ms %s; goal %d", s.slowest.Milliseconds(), one.name, soon.Milliseconds())
		})
	}
}

// sighting is what an operator does and sees. Commands and messages are written down as the
// guide quotes them.
type sighting struct {
	*sick
	seen    strings.Builder
	slowest time.Duration // until something was seen
	number  string        // the port, which the guide calls 7777

	nats, natsDir string // the port of a NATS server, which the guide calls 4222, and its folder
	nkey, public  string // the login there: a file, and its public part
}

// address is one that nobody listens on yet.
func (s *sighting) address() string {
	s.t.Helper()
	if s.number == "" {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Fatal(err)
		}
		defer ln.Close()
		_, s.number, _ = net.SplitHostPort(ln.Addr().String())
	}
	return "127.0.0.1:" + s.number
}

// started has a hub serve.
func (s *sighting) started(flags ...string) {
	s.t.Helper()
	s.start(s.prepared(append([]string{"serve", "--listen", s.address()}, flags...)...))
}

// newKey makes a key for an agent.
func (s *sighting) newKey() string {
	s.t.Helper()
	out, bad, code := s.run("sayso keys", "keys", "create", "--role", "asker", "--for", "agent")
	if code != 0 {
		s.t.Fatal(bad)
	}
	return strings.TrimSpace(out)
}

// saw keeps how long something took to be seen.
func (s *sighting) saw(what string, begin time.Time) {
	s.t.Helper()
	took := time.Since(begin)
	s.slowest = max(s.slowest, took)
	if took > limit {
		s.t.Errorf("%s was seen after %v", what, took)
	}
}

// runs runs a command and writes down all that it prints, or what keep leaves of it.
func (s *sighting) runs(keep func(string) string, args ...string) {
	s.t.Helper()
	begin := time.Now()
	stdout, stderr, _ := s.run("sayso "+args[0], args...)
	s.saw("sayso "+args[0], begin)
	if keep != nil {
		stdout = keep(stdout)
	}
	s.write("$ sayso "+strings.Join(args, " "), stdout+stderr)
}

// faulty keeps what the doctor found wrong, or warns of; not the advice to add a device
// for notifications, which every new hub gets.
func faulty(said string) string {
	var lines []string
	wrong := false
	for line := range strings.Lines(said) {
		if wrong = !strings.HasPrefix(line, "! notify") && (strings.HasPrefix(line, "✗") || strings.HasPrefix(line, "!")) || wrong && strings.HasPrefix(line, " "); wrong {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// logs waits until the hub has logged such a line, and writes it down.
func (s *sighting) logs(begin time.Time, pattern string) {
	s.t.Helper()
	line := regexp.MustCompile(`(?m)^time=\S+ (level=.*` + pattern + `.*)$`)
	var found []string
	eventually(s.t, "the hub logs "+pattern, func() bool {
		found = line.FindStringSubmatch(s.said.String())
		return found != nil
	})
	if !begin.IsZero() { // else it is good news
		s.saw("the log", begin)
	}
	s.write("", "time=… "+found[1]+"\n")
}

// gets writes down what a path of the hub says.
func (s *sighting) gets(path string) {
	s.t.Helper()
	begin := time.Now()
	r := s.do("GET", path, "", nil)
	s.saw(path, begin)
	s.write("$ curl -s http://127.0.0.1:7777"+path, strings.TrimSpace(string(r.body))+"\n")
}

var (
	stamps = regexp.MustCompile(`\btime=20\S+`)
	infos  = regexp.MustCompile(`(?m)^time=\S+ level=INFO .*\n`)
	dates  = regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b`)
	closed = regexp.MustCompile(`\baddress=\d+`)
	anHour = regexp.MustCompile(`\b(59m5\d|1h0m\d+)s\b`)
)

// write writes down a command and what it printed, as it would look on a server of the
// guide.
func (s *sighting) write(command, said string) {
	text := said
	if command != "" {
		text = command + "\n" + said
	}
	names := []string{filepath.Join(s.state, "sayso"), "/var/lib/sayso", s.state, "/var/lib", s.home, "/etc/sayso", ":" + s.number, ":7777"}
	if s.nats != "" {
		names = append(names, ":"+s.nats, ":4222")
	}
	text = strings.NewReplacer(names...).Replace(text)
	text = stamps.ReplaceAllString(infos.ReplaceAllString(text, ""), "time=…")
	text = byteCounts.ReplaceAllString(text, "4096 bytes")
	text = offset.ReplaceAllString(text, "from byte 512")
	text = closed.ReplaceAllString(text, "address=88")
	text = anHour.ReplaceAllString(text, "1h0m0s")
	hour := 15
	text = dates.ReplaceAllStringFunc(text, func(string) string {
		hour++
		return fmt.Sprintf("2026-11-16 %d:05:00", hour)
	})
	s.seen.WriteString(text)
}

func fullDisk(s *sighting) {
	onDisk("ext4", 96<<20, func(*sick) {})(s.sick)
	s.agent = s.newKey()
	s.started()
	s.asked(s.agent, "Before the fault?")
	s.fill()
	begin := time.Now()
	s.logs(begin, "the store takes no writes")
	s.gets("/readyz")
	s.runs(nil, "ask", "Deploy?", "--wait", "1s")
	s.runs(faulty, "doctor")
	s.free()
	s.logs(time.Time{}, "the store takes writes again")
}

func damagedBlock(s *sighting) {
	s.damage()
	s.runs(nil, "serve", "--listen", s.address())
	s.runs(faulty, "doctor")
}

func expiredCertificate(s *sighting) {
	cert, key := filepath.Join(s.home, "cert.pem"), filepath.Join(s.home, "key.pem")
	expired(s.t, cert, key)
	s.own(cert)
	s.own(key)
	s.agent = s.newKey()
	begin := time.Now()
	s.started("--tls-cert", cert, "--tls-key", key)
	s.logs(begin, "the certificate")
	s.runs(faulty, "doctor")
	s.env = append(s.env[:len(s.env):len(s.env)], "SAYSO_KEY="+s.agent, "SSL_CERT_FILE="+cert)
	s.runs(nil, "list", "--hub", "https://localhost:"+s.number)
}

// expired writes a certificate for this machine that was good until the first of
// November.
func expired(t *testing.T, cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: end.AddDate(0, -3, 0), NotAfter: end, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: bits}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// clockOff shifts the clock of the program by a duration.
const clockOff = "SAYSO_ATTACKED_CLOCK"

func wrongClock(s *sighting) {
	s.agent = s.newKey()
	s.started()
	s.asked(s.agent, "Before the fault?")
	s.stop()
	right := s.env
	s.env = append(s.env[:len(s.env):len(s.env)], clockOff+"=-1h")
	begin := time.Now()
	s.started()
	s.logs(begin, "the clock of this machine")
	s.runs(faulty, "doctor")
	s.env = right
	s.stop()

	// From another machine, whose clock is the one that is wrong.
	s.started()
	s.env = append(s.env[:len(s.env):len(s.env)], clockOff+"=-1h", "SAYSO_KEY="+s.agent)
	s.runs(faulty, "doctor", "--hub", "http://"+s.address())
	s.env = right
}

func portInUse(s *sighting) {
	ln, err := net.Listen("tcp", s.address())
	if err != nil {
		s.t.Fatal(err)
	}
	defer ln.Close()
	s.runs(nil, "serve", "--listen", s.address())
}

func fewDescriptors(s *sighting) {
	testenv.Root(s.t, "prlimit")
	s.files = 400
	begin := time.Now()
	s.started()
	s.logs(begin, "the hub may open 400 files")
	s.runs(faulty, "doctor")
	begin = time.Now()
	for range 100 { // connections without a key, which the hub closes first
		conn, err := net.Dial("tcp", s.address())
		if err != nil {
			s.t.Fatal(err)
		}
		defer conn.Close()
	}
	s.logs(begin, "closed the slowest connections")
}
