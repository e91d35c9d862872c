package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// Spec says what a node process is to be.
type Spec struct {
	Dir     string   // the store
	Name    string   // of the node; default: "one"
	Client  string   // "host:port" for clients; default: a free port of 127.0.0.1
	Listen  string   // "host:port" for other nodes; default: none, the node is alone
	Routes  []string // of all nodes
	Certs   string   // folder with the certificates of the routes; default: none
	Program string   // what runs in the process beside the server; default: nothing
	Args    []string // of the program
	Tweak   string   // a change of the options; default: none
	Netns   string   // the network namespace to run in; default: the test's own
	Key     string   // public nkey of the test
}

// Program runs in a node's process, beside its server, until ctx ends. What it writes to out, line by line, reaches the
// test through Node.Lines.
type Program func(ctx context.Context, s *natsserver.Server, args []string, out io.Writer) error

// Role is what a test binary can do as a node, beyond serving; nil is enough for most.
type Role struct {
	Programs map[string]Program
	Tweaks   map[string]func(*natsserver.Options) // default: none
}

const specEnv = "SAYSO_ENGINETEST_NODE"

// Main turns the process into a node if it was started as one, and never returns then. Call it first in TestMain.
func Main(r *Role) {
	text, ok := os.LookupEnv(specEnv)
	if !ok {
		return
	}
	if r == nil {
		r = &Role{}
	}
	if err := runNode(text, r); err != nil {
		fmt.Printf("failed %s\n", oneLine(err))
		os.Exit(3)
	}
	os.Exit(0)
}

// ready is the first line that a node prints.
type ready struct {
	URL    string            `json:"url"`
	Report natsserver.Report `json:"report"`
}

func runNode(text string, r *Role) error {
	var spec Spec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() { // the test has gone
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(4)
	}()
	o, err := spec.options()
	if err != nil {
		return err
	}
	if spec.Tweak != "" {
		r.Tweaks[spec.Tweak](o)
	}
	s, err := natsserver.Start(ctx, o)
	if err != nil {
		return err
	}
	line, err := json.Marshal(ready{URL: "nats://" + s.Addr().String(), Report: s.Report()})
	if err != nil {
		return err
	}
	fmt.Printf("ready %s\n", line)
	if spec.Program != "" {
		err = r.Programs[spec.Program](ctx, s, spec.Args, os.Stdout)
	}
	if err == nil {
		<-ctx.Done()
	} else if ctx.Err() != nil {
		err = nil // it was told to stop
	}
	closing, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(err, s.Close(closing))
}

func (spec *Spec) options() (*natsserver.Options, error) {
	o := &natsserver.Options{
		Dir:    spec.Dir,
		Client: &natsserver.ClientOptions{Listen: spec.Client, Keys: []string{spec.Key}},
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if spec.Listen == "" {
		return o, nil
	}
	o.Cluster = &natsserver.ClusterOptions{ServerName: spec.Name, Listen: spec.Listen, Routes: spec.Routes}
	if spec.Certs != "" {
		var err error
		if o.Cluster.TLS, err = loadCerts(spec.Certs); err != nil {
			return nil, err
		}
		o.Client.TLS = o.Cluster.TLS.Clone()
		o.Client.TLS.ClientAuth = 0 // clients are known by their nkey
	}
	return o, nil
}
