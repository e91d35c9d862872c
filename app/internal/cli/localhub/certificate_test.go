package localhub

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

func TestCertificateTrouble(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, c := range []struct {
		name        string
		from, until time.Time
		want        string
		refused     bool
	}{
		{"well", now.Add(-day), now.Add(15 * day), "", false},
		{"soon", now.Add(-day), now.Add(13*day + time.Hour), "expires on 2026-11-29 13:00 UTC, in 13 days", false},
		{"expired", now.Add(-2 * day), now.Add(-day), "expired on 2026-11-15 12:00 UTC; clients refuse it", true},
		{"not yet", now.Add(time.Hour), now.Add(90 * day), "is not valid before 2026-11-16 13:00 UTC; clients refuse it (this machine's clock says 2026-11-16 12:00 UTC)", true},
	} {
		cert, key := testenv.Certificate(t, t.TempDir(), c.from, c.until)
		loaded, err := LoadCertificate("tls-cert", cert, key)
		if err != nil {
			t.Fatal(err)
		}
		what, refused := loaded.Trouble(now)
		if refused != c.refused || (what == "") != (c.want == "") || !strings.HasSuffix(what, c.want) {
			t.Errorf("%s: %q, refused %v", c.name, what, refused)
		}
		var log bytes.Buffer
		w := &warned{log: slog.New(slog.NewTextHandler(&log, nil))}
		for range 2 { // each day
			w.certificates([]*Certificate{loaded}, now)
		}
		lines, holds := 2, w.now()
		if c.want == "" {
			lines = 0
		}
		if strings.Count(log.String(), "level=WARN") != lines || len(holds) != lines/2 || lines > 0 && holds[0].Wrong != c.refused {
			t.Errorf("%s: %+v; the log has %q", c.name, holds, log.String())
		}
	}
}

// TestCertificateChanges: new files are used within a minute, broken ones are not,
// and the files are not looked at for every connection.
func TestCertificateChanges(t *testing.T) {
	t.Parallel()
	now := time.Now()
	dir := t.TempDir()
	cert, key := testenv.Certificate(t, dir, now, now.Add(time.Hour))
	c, err := LoadCertificate("tls-cert", cert, key)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c.lookedAt = now
	c.now, c.log = func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, nil))
	shown := func() string {
		pair, err := c.Config().GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.SerialNumber.String()
	}
	first := shown()
	testenv.Certificate(t, dir, now, now.Add(48*time.Hour))
	if now = now.Add(lookAtFiles - time.Second); shown() != first {
		t.Error("the files were looked at within a minute")
	}
	now = now.Add(time.Second)
	second := shown()
	if second == first || !strings.Contains(log.String(), "using a new certificate") {
		t.Errorf("the new files are not used; the log has %q", log.String())
	}
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if now = now.Add(lookAtFiles); shown() != second {
			t.Error("broken files are used")
		}
	}
	if n := strings.Count(log.String(), "cannot be used; the one before stays in use"); n != 1 {
		t.Errorf("broken files are told of %d times", n)
	}
	if _, err := c.Reload(cert, key); err == nil {
		t.Error("a reload takes broken files")
	}
	testenv.Certificate(t, dir, now, now.Add(time.Hour))
	if changed, err := c.Reload(cert, key); !changed || err != nil {
		t.Errorf("after a reload: %v, %v", changed, err)
	}
	if changed, err := c.Reload(cert, key); changed || err != nil {
		t.Errorf("after a reload of the same: %v, %v", changed, err)
	}
	if third := shown(); third == second || third == first {
		t.Error("the reload changed nothing")
	}
}
