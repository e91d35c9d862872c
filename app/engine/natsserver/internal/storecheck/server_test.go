package storecheck

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// startServer starts nats-server as it is, without the engine around it, on dir/jetstream.
func startServer(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	o.JetStream, o.SyncAlways, o.NoSigs, o.NoLog = true, true, true, true
	s, err := server.NewServer(o)
	must(t, err)
	s.Start()
	t.Cleanup(func() { stopServer(s) })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("nats-server is not ready for connections")
	}
	return s
}

func stopServer(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

func connectTo(t *testing.T, s *server.Server) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect("", nats.InProcessServer(s))
	must(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(time.Minute))
	must(t, err)
	return js
}

// streamLikeTheHubs has every property of the hub's streams that decides about files.
func streamLikeTheHubs(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: "ASK", Subjects: []string{"ask.>"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, Replicas: replicas,
		AllowDirect: true, AllowMsgTTL: true, AllowRollup: true,
	}
}

// publish writes one record by compare-and-set.
func publish(t *testing.T, js jetstream.JetStream, subject, body, ttl string, replaces uint64) uint64 {
	t.Helper()
	m := nats.NewMsg(subject)
	m.Data = []byte(body)
	m.Header.Set("Q-State", "p")
	if ttl != "" {
		m.Header.Set("Nats-TTL", ttl)
	}
	ack, err := js.PublishMsg(t.Context(), m, jetstream.WithExpectLastSequencePerSubject(replaces))
	must(t, err)
	return ack.Sequence
}

// writeStore has a server write every kind of record and file that this package knows, and stops it.
func writeStore(t *testing.T, dir string) {
	t.Helper()
	s := startServer(t, &server.Options{StoreDir: dir, DontListen: true})
	js := connectTo(t, s)
	ask, err := js.CreateStream(t.Context(), streamLikeTheHubs(1))
	must(t, err)
	copies, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "AUD", Sources: []*jetstream.StreamSource{{Name: "ASK"}}})
	must(t, err)
	for i := range 6 {
		publish(t, js, fmt.Sprintf("ask.%d", i+1), "question", "", 0)
	}
	within(t, "every question is copied", func() bool {
		info, err := copies.Info(t.Context())
		return err == nil && info.State.LastSeq == 6
	})
	publish(t, js, "ask.1", "answer", "", 1)
	publish(t, js, "ask.2", "answer that expires", "876000h", 2)
	must(t, ask.DeleteMsg(t.Context(), 3))       // leaves a tombstone
	must(t, ask.SecureDeleteMsg(t.Context(), 4)) // leaves an empty place
	c, err := copies.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "export", AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: "ask.>"})
	must(t, err)
	for i := range 5 {
		m, err := c.Next(jetstream.FetchMaxWait(time.Minute))
		must(t, err)
		if i != 1 { // the second stays pending
			must(t, m.DoubleAck(t.Context()))
		}
	}
	within(t, "the copy is whole", func() bool {
		info, err := copies.Info(t.Context())
		return err == nil && info.State.LastSeq == 8
	})
	stopServer(s)
}

// writeThree has three servers write one stream that they replicate, and stops them.
func writeThree(t *testing.T, dirs [3]string) {
	t.Helper()
	var routes []*url.URL
	for range dirs {
		routes = append(routes, &url.URL{Scheme: "nats", Host: freeAddr(t)})
	}
	var servers []*server.Server
	for i, dir := range dirs {
		port, err := strconv.Atoi(routes[i].Port())
		must(t, err)
		servers = append(servers, startServer(t, &server.Options{
			StoreDir: dir, Host: "127.0.0.1", Port: server.RANDOM_PORT, ServerName: fmt.Sprint("node-", i), Routes: slices.Clone(routes),
			Cluster: server.ClusterOpts{Name: "three", Host: routes[i].Hostname(), Port: port},
		}))
	}
	within(t, "the three have a leader", func() bool { return slices.ContainsFunc(servers, (*server.Server).JetStreamIsLeader) })
	js := connectTo(t, servers[0])
	within(t, "the leader knows all three", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := js.CreateStream(ctx, streamLikeTheHubs(3))
		return err == nil
	})
	for i := range 6 {
		publish(t, js, fmt.Sprintf("ask.%d", i+1), "question", "", 0)
	}
	for _, s := range servers {
		within(t, "every node has every record", func() bool {
			info, err := s.JszAccount(&server.JSzOptions{Account: "$G", Streams: true})
			return err == nil && len(info.Streams) == 1 && info.Streams[0].State.LastSeq == 6
		})
	}
	for _, s := range servers {
		stopServer(s)
	}
}

// freeAddr returns an address that the system gives to nobody who does not ask for it by its number.
func freeAddr(t *testing.T) string {
	t.Helper()
	for {
		addr := fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(22_000)) // Linux hands out 32,768 and up
		if l, err := net.Listen("tcp", addr); err == nil {
			must(t, l.Close())
			return addr
		}
	}
}

// within waits until something is so.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute it is still not so that %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
