package natsstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

func TestOpenAgain(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	r := ticket(1, "ann", "one")
	s := open(t, nc, &natsstore.Options{Shards: 3})
	put(t, s, r, 0)
	must(t, s.Close())
	must(t, s.Close())
	for _, o := range []*natsstore.Options{nil, {Shards: 3, MaxAsks: 7}, {Shards: 3}} {
		s := open(t, nc, o)
		if s.Shards() != 3 {
			t.Errorf("%d shards", s.Shards())
		}
		got, err := s.Get(t.Context(), r.Kind, r.Address)
		must(t, err)
		if string(got.Data) != "one" {
			t.Errorf("got %q", got.Data)
		}
	}
	refuse(t, "3 shards", func() error { _, err := natsstore.Open(t.Context(), nc, &natsstore.Options{Shards: 4}); return err })

	// Another prefix is another store.
	other := open(t, nc, &natsstore.Options{Prefix: "test"})
	put(t, other, r, 0)
	if other.Shards() != 1 {
		t.Errorf("%d shards", other.Shards())
	}
}

func refuse(t *testing.T, words string, open func() error) {
	t.Helper()
	if err := open(); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want one with %q", err, words)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	try := func(o *natsstore.Options) func() error {
		return func() error { _, err := natsstore.Open(t.Context(), nc, o); return err }
	}
	refuse(t, "shards", try(&natsstore.Options{Shards: -1}))
	refuse(t, "replicas", try(&natsstore.Options{Replicas: 9}))
	refuse(t, "prefix", try(&natsstore.Options{Prefix: "a.b"}))
	refuse(t, "quota", try(&natsstore.Options{MaxAsks: -1}))

	js, err := jetstream.New(nc)
	must(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ASK2-00", Subjects: []string{"foreign"}})
	must(t, err)
	refuse(t, "somebody else", try(nil))
	must(t, js.DeleteStream(t.Context(), "ASK2-00"))

	open(t, nc, nil)
	st, err := js.Stream(t.Context(), "ASK2-00")
	must(t, err)
	cfg := st.CachedInfo().Config
	cfg.Metadata["sayso_layout"] = "3"
	_, err = js.UpdateStream(t.Context(), cfg)
	must(t, err)
	refuse(t, "layout version 3", try(nil))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = natsstore.Open(ctx, nc, &natsstore.Options{Prefix: "late"})
	wantError(t, err, context.Canceled)
}

// A number of shards for new stores leaves those alone that are there.
func TestOpenNewShards(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	for _, c := range []struct {
		o    natsstore.Options
		want int
	}{
		{natsstore.Options{Prefix: "a", NewShards: 16}, 16},
		{natsstore.Options{Prefix: "a", NewShards: 2}, 16},
		{natsstore.Options{Prefix: "a"}, 16},
		{natsstore.Options{Prefix: "b", Shards: 3, NewShards: 16}, 3},
		{natsstore.Options{Prefix: "b", NewShards: 16}, 3},
	} {
		if s := open(t, nc, &c.o); s.Shards() != c.want {
			t.Errorf("%+v: %d shards, want %d", c.o, s.Shards(), c.want)
		}
	}
}

// TestNewerStreams opens a store whose streams a newer version has changed: they stay as they are.
func TestNewerStreams(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	must(t, open(t, nc, nil).Close())
	js, err := jetstream.New(nc)
	must(t, err)
	s, err := js.Stream(t.Context(), "AUX2-00")
	must(t, err)
	cfg := s.CachedInfo().Config
	cfg.Subjects = append(cfg.Subjects, "new.00.>")
	for version, kept := range map[string]bool{"3": true, "1": false} {
		cfg.Metadata["sayso_streams"], cfg.Metadata["sayso_config"] = version, "another"
		_, err = js.UpdateStream(t.Context(), cfg)
		must(t, err)
		must(t, open(t, nc, nil).Close())
		now, err := js.Stream(t.Context(), "AUX2-00")
		must(t, err)
		if got := len(now.CachedInfo().Config.Subjects) == len(cfg.Subjects); got != kept {
			t.Errorf("set by version %s of the streams: kept %t", version, got)
		}
	}
}
