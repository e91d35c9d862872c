package localhub

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
)

// TestExternalCredentials opens the engine on a NATS server as hosted ones are: in operator mode, with TLS, and with a
// credentials file that has the least permissions.
func TestExternalCredentials(t *testing.T) {
	n := newOperator(t, natsstore.PermissionsOf(""))
	e, err := openOn(t, n.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Fault(t.Context()); err != nil {
		t.Errorf("not ready: %v", err)
	}
	if e.Synced() != SyncUnknown {
		t.Errorf("synced: %v, though nobody can be asked", e.Synced())
	}
	n.srv.Shutdown()
	n.srv.WaitForShutdown()
	for e.Fault(t.Context()) == nil {
		if t.Context().Err() != nil {
			t.Fatal("ready without a server")
		}
	}
}

// TestExternalRefused opens engines that cannot be opened: each says why within seconds, and what to do.
func TestExternalRefused(t *testing.T) {
	least := natsstore.PermissionsOf("")
	n := newOperator(t, least)
	few := least
	few.Layout = slices.DeleteFunc(slices.Clone(least.Layout), func(s string) bool { return strings.Contains(s, "CREATE") })
	for _, c := range []struct {
		name       string
		change     func(*NATSOptions)
		want, next string
	}{
		{"nobody there", func(o *NATSOptions) { o.URLs = []string{"nats://127.0.0.1:1"} }, "cannot connect to NATS at nats://127.0.0.1:1", "Check --nats"},
		{"no login", func(o *NATSOptions) { o.Creds = "" }, "cannot connect to NATS", "Check --nats-creds"},
		{"unknown authority", func(o *NATSOptions) { o.TLS = &tls.Config{} }, "cannot connect to NATS", "Check --nats-ca"},
		{"no permission", func(o *NATSOptions) { o.Creds = n.creds(t, few) }, `lacks a NATS permission: Publish to "$JS.API.STREAM.CREATE`, "permissions"},
		{"no answer about syncing", func(o *NATSOptions) { o.SyncCheck = "ask.nobody" }, "cannot check whether NATS", "leave out --nats-sync-check"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := n.options()
			c.change(o)
			_, err := openOn(t, o)
			var exit *console.ExitError
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &exit) || !strings.Contains(exit.Hint, c.next) {
				t.Errorf("%v, hint %+v; want %q and %q", err, exit, c.want, c.next)
			}
		})
	}
}

// TestSyncCheck asks servers whether they sync.
func TestSyncCheck(t *testing.T) {
	for always, want := range map[string]string{"sync_interval: always,": "", "": "acknowledges writes before they are on its disk"} {
		conf := fmt.Sprintf(`
listen: "127.0.0.1:-1"
jetstream { %s store_dir: %q }
accounts {
  SYS { exports: [ {service: "$SYS.REQ.SERVER.PING.JSZ", response: stream, accounts: [SAYSO]} ] }
  SAYSO { jetstream: enabled, users: [ {user: a, password: b} ]
    imports: [ {service: {account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ"}, to: "sayso.jsz"} ] }
}
system_account: SYS
`, always, t.TempDir())
		srv := runServer(t, conf)
		e, err := openOn(t, &NATSOptions{URLs: []string{"nats://a:b@" + srv.Addr().String()}, SyncCheck: "sayso.jsz"})
		switch {
		case want == "" && (err != nil || e.Synced() != SyncYes):
			t.Errorf("a server that syncs: %v", err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("a server that does not sync: %v", err)
		}
	}
}

func openOn(t *testing.T, n *NATSOptions) (*Engine, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var log bytes.Buffer
	e, err := OpenEngine(ctx, Places{State: t.TempDir()}, slog.New(slog.NewTextHandler(&log, nil)), &EngineOptions{NATS: n})
	if err == nil {
		t.Cleanup(func() { e.Close(context.Background()) })
	}
	return e, err
}

// operator is a NATS server in operator mode.
type operator struct {
	srv     *server.Server
	account nkeys.KeyPair
	tls     *tls.Config
	file    string
}

func newOperator(t *testing.T, p natsstore.Permissions) *operator {
	t.Helper()
	op, err := nkeys.CreateOperator()
	must(t, err)
	sys, err := nkeys.CreateAccount()
	must(t, err)
	n := &operator{}
	n.account, err = nkeys.CreateAccount()
	must(t, err)
	sysName, account := publicKey(t, sys), publicKey(t, n.account)
	claims := jwt.NewOperatorClaims(publicKey(t, op))
	claims.SystemAccount = sysName
	ours := jwt.NewAccountClaims(account)
	ours.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: 1 << 30, Streams: 64, Consumer: 64}
	theirs := jwt.NewAccountClaims(sysName)
	text := func(c interface {
		Encode(nkeys.KeyPair) (string, error)
	}) string {
		s, err := c.Encode(op)
		must(t, err)
		return s
	}
	cert, key := testenv.Certificate(t, t.TempDir(), time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	authority, err := os.ReadFile(cert)
	must(t, err)
	n.tls = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	n.tls.RootCAs.AppendCertsFromPEM(authority)
	n.srv = runServer(t, fmt.Sprintf(`
listen: "127.0.0.1:-1"
jetstream { store_dir: %q, sync_interval: always }
tls { cert_file: %q, key_file: %q }
operator: %s
resolver: MEMORY
system_account: %s
resolver_preload: { %s: %s, %s: %s }
`, t.TempDir(), cert, key, text(claims), sysName, sysName, text(theirs), account, text(ours)))
	n.file = n.creds(t, p)
	return n
}

func (n *operator) options() *NATSOptions {
	return &NATSOptions{URLs: []string{"tls://" + n.srv.Addr().String()}, Creds: n.file, TLS: n.tls}
}

// creds makes a login with these permissions.
func (n *operator) creds(t *testing.T, p natsstore.Permissions) string {
	t.Helper()
	user, err := nkeys.CreateUser()
	must(t, err)
	claims := jwt.NewUserClaims(publicKey(t, user))
	claims.Pub.Allow.Add(slices.Concat(p.Publish, p.Layout, p.Copies)...)
	claims.Pub.Allow.Add("ask.nobody")
	claims.Sub.Allow.Add(p.Subscribe...)
	token, err := claims.Encode(n.account)
	must(t, err)
	seed, err := user.Seed()
	must(t, err)
	text, err := jwt.FormatUserConfig(token, seed)
	must(t, err)
	file := filepath.Join(t.TempDir(), "hub.creds")
	must(t, os.WriteFile(file, text, 0o600))
	return file
}

func publicKey(t *testing.T, k nkeys.KeyPair) string {
	t.Helper()
	s, err := k.PublicKey()
	must(t, err)
	return s
}

// runServer starts a NATS server with a configuration file.
func runServer(t *testing.T, conf string) *server.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	must(t, os.WriteFile(file, []byte(conf), 0o600))
	o, err := server.ProcessConfigFile(file)
	must(t, err)
	o.NoSigs, o.NoLog = true, true
	s, err := server.NewServer(o)
	must(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return s
}
