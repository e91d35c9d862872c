package cli

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// engineOf reads the flags of serve that are about the storage.
func engineOf(t *testing.T, args string) (*localhub.EngineOptions, error) {
	t.Helper()
	var s storage
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.bind(f)
	if err := f.Parse(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	o := &localhub.EngineOptions{}
	return o, s.engine(o, true)
}

const threeRoutes = " --cluster-route 127.0.0.1:1,127.0.0.1:2,127.0.0.1:3 "

func TestStorageMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"--shards 65":                           `invalid value "65" for --shards`,
		"--replicas 6":                          `invalid value "6" for --replicas`,
		"--replicas 3":                          "--replicas 3 needs a cluster",
		"--node a":                              "a node of a cluster needs --cluster-listen",
		"--cluster-listen 127.0.0.1:1":          "a node of a cluster needs --node",
		"--node a --cluster-listen 127.0.0.1:1": "a node of a cluster needs --cluster-route",
		"--node a --cluster-listen 127.0.0.1:1 --cluster-route 127.0.0.1:2":                                                           "names 1 of the nodes",
		"--node a --cluster-listen 127.0.0.1" + threeRoutes:                                                                           `invalid address "127.0.0.1" of a node`,
		"--node a --cluster-listen 0.0.0.0:1" + threeRoutes:                                                                           "can be reached from other machines without TLS",
		"--node a --cluster-listen 0.0.0.0:1 --cluster-tls-ca x" + threeRoutes:                                                        "must be given together",
		"--node a --cluster-listen 0.0.0.0:1 --cluster-tls-ca x --cluster-tls-cert none.pem --cluster-tls-key none.key" + threeRoutes: `cannot read the certificate "none.pem"`,
		"--node a --nats nats://h":                     "--node and --nats cannot be given together",
		"--nats-creds x":                               "--nats-creds needs --nats",
		"--nats nats://h --nats-creds x --nats-nkey y": "cannot be given together",
		"--nats nats://h --nats-creds none.creds":      `cannot read --nats-creds "none.creds"`,
		"--nats nats://h --nats-nkey none.nk":          `cannot read --nats-nkey "none.nk"`,
		"--nats nats://h --nats-cert x":                "--nats-cert and --nats-key must be given together",
		"--nats nats://h --nats-ca none.pem":           `cannot read --nats-ca "none.pem"`,
	} {
		_, err := engineOf(t, args)
		var exit *console.ExitError
		if !errors.As(err, &exit) || !strings.Contains(err.Error(), want) || exit.Hint == "" {
			t.Errorf("%s: %v, want %q and what to do", args, err, want)
		}
	}
}

func TestStorageSettings(t *testing.T) {
	o, err := engineOf(t, "--shards 4 --replicas 5 --keep 24h --keep-unread 48h --audit=false --max-asks 7 --max-bytes 2GiB --node a --cluster-listen 127.0.0.1:1"+threeRoutes)
	if err != nil {
		t.Fatal(err)
	}
	if o.Shards != 4 || o.Replicas != 5 || o.Keep != 24*time.Hour || o.KeepUnread != 48*time.Hour || !o.NoAudit || o.MaxAsks != 7 || o.MaxBytes != 2<<30 {
		t.Errorf("%+v", o)
	}
	if o.Cluster == nil || o.Cluster.ServerName != "a" || len(o.Cluster.Routes) != 3 {
		t.Errorf("%+v", o.Cluster)
	}
	if o, err = engineOf(t, "--nats nats://a,nats://b --nats-sync-check s"); err != nil || o.NATS == nil || len(o.NATS.URLs) != 2 || o.NATS.SyncCheck != "s" || o.NoAudit {
		t.Errorf("%+v: %v", o, err)
	}
}

// TestPlans reads the settings of every plan of docs/records/scale.md: what is calculated there can be configured.
func TestPlans(t *testing.T) {
	page, err := os.ReadFile("../../../docs/records/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	plans := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `sayso serve`, of a cell |") {
			continue
		}
		for cell := range strings.SplitSeq(strings.TrimSpace(line), "|") {
			args := strings.Trim(strings.TrimSpace(cell), "`")
			if !strings.HasPrefix(args, "--shards") {
				continue
			}
			plans++
			if strings.Contains(args, "--replicas") {
				args += " --nats nats://127.0.0.1:4222"
			}
			if o, err := engineOf(t, args); err != nil || o.Shards == 0 || o.Keep == 0 || o.KeepUnread == 0 {
				t.Errorf("%s: %v, %+v", args, err, o)
			}
		}
	}
	if plans != 5 {
		t.Errorf("%d plans have settings, want 5", plans)
	}
}
