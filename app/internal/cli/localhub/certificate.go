package localhub

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

const (
	expiresSoon = 14 * 24 * time.Hour // from then on it is warned of
	lookAtFiles = time.Minute         // how often the files are looked at, if somebody connects
)

// Certificate is a certificate and its key in two files. When the files change, new
// connections use what they have then; if that cannot be used, the one before stays.
type Certificate struct {
	Name string // of its setting, as in tls-cert

	mu         sync.Mutex
	cert, key  string
	pair       *tls.Certificate
	stamp      string // of the files as they were read
	lookedAt   time.Time
	log        *slog.Logger
	now        func() time.Time
	complained string // about files that cannot be used
}

// LoadCertificate reads the files.
func LoadCertificate(name, cert, key string) (*Certificate, error) {
	c := &Certificate{Name: name, cert: cert, key: key, log: slog.New(slog.DiscardHandler), now: time.Now}
	_, err := c.read(cert, key)
	return c, err
}

// Config returns a configuration that shows the certificate to clients, and to
// servers that want one.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:           tls.VersionTLS12,
		GetCertificate:       func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.current(), nil },
	}
}

// Reload reads the files again, now also other ones, and reports whether the
// certificate is another than before.
func (c *Certificate) Reload(cert, key string) (changed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read(cert, key)
}

// Files returns the names of the files.
func (c *Certificate) Files() (cert, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cert, c.key
}

// read uses what the files have. The lock is held, or nobody else knows c.
func (c *Certificate) read(cert, key string) (changed bool, err error) {
	stamp := stampOf(cert, key)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return false, err
	}
	if pair.Leaf == nil {
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return false, err
		}
	}
	changed = c.pair == nil || !pair.Leaf.Equal(c.pair.Leaf)
	c.cert, c.key, c.pair, c.stamp, c.lookedAt, c.complained = cert, key, &pair, stamp, c.now(), ""
	return changed, nil
}

// current returns the certificate, after a look at the files if the last one was a
// minute ago.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.lookedAt) >= lookAtFiles {
		c.lookedAt = now
		if stamp := stampOf(c.cert, c.key); stamp != c.stamp {
			changed, err := c.read(c.cert, c.key)
			switch {
			case err != nil && err.Error() != c.complained: // a file may be half written: the next look tells
				c.complained = err.Error()
				c.log.Error("the certificate has changed and cannot be used; the one before stays in use", "setting", c.Name, "file", c.cert, "error", err.Error())
			case changed:
				c.log.Info("using a new certificate", "setting", c.Name, "file", c.cert, "until", c.pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
			}
		}
	}
	return c.pair
}

// stampOf tells files that were changed from those that were not.
func stampOf(files ...string) (stamp string) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			stamp += fmt.Sprintf("%d %d\n", info.Size(), info.ModTime().UnixNano())
		}
	}
	return stamp
}

// Until returns when the certificate expires.
func (c *Certificate) Until() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair.Leaf.NotAfter
}

// Trouble says what is wrong with the certificate at this time, or will be soon; ""
// if nothing is. Refused reports whether clients refuse it already.
func (c *Certificate) Trouble(now time.Time) (what string, refused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	leaf := c.pair.Leaf
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }
	switch left := leaf.NotAfter.Sub(now); {
	case left <= 0:
		return fmt.Sprintf("the certificate %s expired on %s; clients refuse it", c.cert, at(leaf.NotAfter)), true
	case now.Before(leaf.NotBefore):
		return fmt.Sprintf("the certificate %s is not valid before %s; clients refuse it (this machine's clock says %s)", c.cert, at(leaf.NotBefore), at(now)), true
	case left < expiresSoon:
		return fmt.Sprintf("the certificate %s expires on %s, in %d days", c.cert, at(leaf.NotAfter), int(left/(24*time.Hour))), false
	}
	return "", false
}

// renew is what to do about one.
const renew = "Put a new certificate and its key into the same files. The hub uses them within a minute, or at once after SIGHUP."

// certificates warns of those that have expired, or will soon, in the log and in
// what doctor tells, and has the others tell the log of what becomes of them.
func (w *warned) certificates(all []*Certificate, now time.Time) {
	for _, c := range all {
		what, refused := c.Trouble(now)
		c.mu.Lock()
		c.log = w.log
		c.mu.Unlock()
		w.clear(c.Name) // so that it is told again
		if what != "" {
			w.set(Warning{Name: c.Name, Text: what, Fix: renew, Wrong: refused})
		}
	}
}
