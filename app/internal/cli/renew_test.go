//go:build unix

package cli_test

import (
	"crypto/tls"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

// TestRenew: an expired certificate is told of at once and by doctor, and a hangup
// puts a new one in its place.
func TestRenew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := testenv.Certificate(t, dir, time.Now().Add(-90*24*time.Hour), time.Now().Add(-time.Hour))
	s := serve(t, "", "--tls-cert", cert, "--tls-key", key)
	shown := func() time.Time {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].NotAfter
	}
	doctor := func() string {
		out, _ := s.sayso("doctor").CombinedOutput()
		return string(out)
	}
	if log := s.text(); !strings.Contains(log, "expired on") || !strings.Contains(log, "clients refuse it") {
		t.Errorf("the start says\n%s", log)
	}
	if got := doctor(); !strings.Contains(got, "✗ tls-cert") || !strings.Contains(got, "expired on") {
		t.Errorf("doctor says\n%s", got)
	}
	later := time.Now().Add(60 * 24 * time.Hour)
	testenv.Certificate(t, dir, later.Add(-90*24*time.Hour), later)
	if shown().After(time.Now()) {
		t.Fatal("the new files are used before anybody said so")
	}
	s.signal(syscall.SIGHUP)
	until(t, "the new certificate is used", func() bool { return shown().Equal(later.UTC().Truncate(time.Second)) })
	until(t, "doctor is content", func() bool { return !strings.Contains(doctor(), "tls-cert") })
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.signal(syscall.SIGHUP)
	until(t, "the log tells of files that cannot be used", func() bool { return strings.Contains(s.text(), "the one before stays in use") })
	if !shown().Equal(later.UTC().Truncate(time.Second)) {
		t.Error("a broken file took the place of a good one")
	}
}
