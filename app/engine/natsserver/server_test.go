package natsserver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// start starts a server alone in dir; the test closes it.
func start(t *testing.T, dir string) *natsserver.Server {
	t.Helper()
	s, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeServer(t, s) })
	return s
}

func closeServer(t *testing.T, s *natsserver.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

// stream returns JetStream with the stream ASK, which has the shape of the hub's.
func stream(t *testing.T, s *natsserver.Server) jetstream.JetStream {
	t.Helper()
	nc, err := s.Conn(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateOrUpdateStream(t.Context(), askConfig("ASK")); err != nil {
		t.Fatal(err)
	}
	return js
}

func askConfig(name string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Subjects: []string{strings.ToLower(name) + ".>"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
		AllowDirect: true, AllowMsgTTL: true, AllowRollup: true, SubjectDeleteMarkerTTL: time.Hour, Duplicates: 100 * time.Millisecond,
	}
}

// put writes one record by compare-and-set and notes it.
func put(t *testing.T, s *natsserver.Server, js jetstream.JetStream, subject, body string, replaces uint64) uint64 {
	t.Helper()
	m := nats.NewMsg(subject)
	m.Data = []byte(body)
	m.Header.Set("Q-State", "p")
	ack, err := js.PublishMsg(t.Context(), m, jetstream.WithExpectLastSequencePerSubject(replaces))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Note("ASK", ack.Sequence); err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

func TestRestartKeepsRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := start(t, dir)
	js := stream(t, s)
	for i := range 100 {
		seq := put(t, s, js, fmt.Sprintf("ask.%d", i), "question", 0)
		if i%2 == 0 {
			put(t, s, js, fmt.Sprintf("ask.%d", i), "answer", seq)
		}
	}
	closeServer(t, s)

	s = start(t, dir)
	r := s.Report()
	if !r.Store.Clean || r.Store.Records != 150 || len(r.Warnings) > 0 {
		t.Errorf("report %+v, want a clean stop, 150 records and no warning", r)
	}
	got, err := stream(t, s).Stream(t.Context(), "ASK")
	if err != nil {
		t.Fatal(err)
	}
	if st := got.CachedInfo().State; st.Msgs != 100 || st.LastSeq != 150 {
		t.Errorf("%d messages up to %d, want 100 up to 150", st.Msgs, st.LastSeq)
	}
	if err := s.Err(); err != nil {
		t.Error(err)
	}
}

func TestNoPortNoForeignReader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir)
	if a := s.Addr(); a != nil {
		t.Errorf("listens at %v", a)
	}
	st, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, want 0700", st.Mode())
	}
}

func TestOneOwner(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir)
	_, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir})
	var locked *natsserver.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Fatalf("got %v, want a LockedError that names this process", err)
	}
	if !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("%q does not name the owner", err)
	}
	closeServer(t, s)
	start(t, dir)
}

func TestCloseIsIdempotent(t *testing.T) {
	s := start(t, t.TempDir())
	closeServer(t, s)
	closeServer(t, s)
	if _, err := s.Conn(t.Context(), ""); err == nil {
		t.Error("connected to a closed server")
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]*natsserver.Options{
		"none":              nil,
		"no folder":         {},
		"open port":         {Dir: t.TempDir(), Client: &natsserver.ClientOptions{Listen: "0.0.0.0:0", Keys: []string{"U"}}},
		"nobody can log in": {Dir: t.TempDir(), Client: &natsserver.ClientOptions{Listen: "127.0.0.1:0"}},
		"open routes":       {Dir: t.TempDir(), Cluster: &natsserver.ClusterOptions{ServerName: "a", Listen: "10.0.0.1:6222", Routes: []string{"10.0.0.2:6222"}}},
		"nameless node":     {Dir: t.TempDir(), Cluster: &natsserver.ClusterOptions{Listen: "127.0.0.1:6222", Routes: []string{"127.0.0.1:6223"}}},
		"no routes":         {Dir: t.TempDir(), Cluster: &natsserver.ClusterOptions{ServerName: "a", Listen: "127.0.0.1:6222"}},
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := natsserver.Start(t.Context(), o); err == nil {
				closeServer(t, s)
				t.Error("started")
			} else {
				t.Log(err)
			}
		})
	}
}
