package natsstore_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// The configuration that the guide shows gives the login the least permissions.
func TestExampleConfiguration(t *testing.T) {
	t.Parallel()
	const name = "../../../docs/examples/nats.conf"
	text, err := os.ReadFile(name)
	must(t, err)
	all := natsstore.PermissionsOf("")
	if *update {
		conf := subjectsBetween(t, string(text), "publish", slices.Concat(all.Publish, all.Layout, all.Copies, []string{"sayso.jsz"}))
		text = []byte(subjectsBetween(t, conf, "subscribe", all.Subscribe))
		must(t, os.WriteFile(name, text, 0o644))
	}
	key, err := nkeys.CreateUser()
	must(t, err)
	public, err := key.PublicKey()
	must(t, err)
	file := filepath.Join(t.TempDir(), "nats.conf")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "NKEY", public)), 0o600))
	o, err := server.ProcessConfigFile(file)
	must(t, err)
	if !o.SyncAlways || len(o.Nkeys) != 1 || o.Nkeys[0].Account.Name != "SAYSO" {
		t.Fatalf("sync %v, logins %v", o.SyncAlways, o.Nkeys)
	}
	got := o.Nkeys[0].Permissions
	if want := slices.Concat(all.Publish, all.Layout, all.Copies, []string{"sayso.jsz"}); !slices.Equal(got.Publish.Allow, want) {
		t.Errorf("it may publish %q, want %q; run with -update", got.Publish.Allow, want)
	}
	if !slices.Equal(got.Subscribe.Allow, all.Subscribe) {
		t.Errorf("it may subscribe to %q, want %q; run with -update", got.Subscribe.Allow, all.Subscribe)
	}
}

// subjectsBetween writes the subjects between the comments "begin name" and "end name".
func subjectsBetween(t *testing.T, text, name string, subjects []string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "# begin "+name+"\n")
	_, tail, ok2 := strings.Cut(rest, "          # end "+name+"\n")
	if !ok || !ok2 {
		t.Fatalf("there is no part %s", name)
	}
	var b strings.Builder
	for _, s := range subjects {
		b.WriteString("          \"" + s + "\"\n")
	}
	return head + "# begin " + name + "\n" + b.String() + "          # end " + name + "\n" + tail
}
