package natsstore_test

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// This file writes what layout 1 wrote, as it wrote it.

// earlierStreams makes the streams of layout 1.
func earlierStreams(t testing.TB, nc *nats.Conn, prefix string, shards, replicas int, audit bool) {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	space, dash := "", ""
	if prefix != "" {
		space, dash = prefix+".", prefix+"-"
	}
	for i := range shards {
		ss := fmt.Sprintf("%02d", i)
		base := jetstream.StreamConfig{
			Storage: jetstream.FileStorage, Replicas: replicas, AllowDirect: true, Duplicates: 100 * time.Millisecond, MaxMsgSize: 1 << 20, MaxConsumers: 8,
			MaxMsgsPerSubject: 1, AllowMsgTTL: true,
			Metadata: map[string]string{"sayso_layout": "1", "sayso_shards": strconv.Itoa(shards), "sayso_config": "0123456789abcdef"},
		}
		ask := base
		ask.Name, ask.Subjects = dash+"ASK-"+ss, []string{space + "ask." + ss + ".*.*.*.*", space + "ask." + ss + ".fence"}
		ask.Discard, ask.MaxMsgs = jetstream.DiscardNew, 2_250_000
		ask.SubjectDeleteMarkerTTL, ask.AllowRollup = 5*time.Minute, true
		ask.RePublish = &jetstream.RePublish{Source: space + "ask." + ss + ".>", Destination: space + "evt.ask." + ss + ".>"}
		draft := base
		draft.Name, draft.Subjects = dash+"DRF-"+ss, []string{space + "drf." + ss + ".*.*.*.*"}
		draft.MaxMsgs, draft.MaxAge = 2_000_000, 7*24*time.Hour
		draft.RePublish = &jetstream.RePublish{Source: space + "drf." + ss + ".>", Destination: space + "evt.drf." + ss + ".>"}
		aux := base
		aux.Name, aux.Subjects = dash+"AUX-"+ss, []string{space + "ses." + ss + ".*.*.*.*", space + "use." + ss + ".*.*.*.*"}
		aux.MaxMsgs = 2_000_000
		aux.RePublish = &jetstream.RePublish{Source: space + ">", Destination: space + "evt.>"}
		due := base
		due.Name, due.Subjects = dash+"DUE-"+ss, []string{space + "due." + ss + ".*.*.*.*"}
		all := []jetstream.StreamConfig{ask, draft, aux, due}
		if audit {
			aud := base
			aud.Name, aud.Duplicates, aud.MaxAge, aud.DenyDelete = dash+"AUD-"+ss, 0, 30*24*time.Hour, true
			aud.MaxMsgsPerSubject, aud.AllowMsgTTL = 0, false
			aud.Sources = []*jetstream.StreamSource{{Name: ask.Name, SubjectTransforms: []jetstream.SubjectTransformConfig{{
				Source: ask.Subjects[0], Destination: space + "aud." + ss + ".{{wildcard(1)}}",
			}}}}
			all = append(all, aud)
		}
		for _, cfg := range all {
			eventually(t, "stream "+cfg.Name, func() bool { // a cluster may have no leader yet
				_, err := js.CreateStream(t.Context(), cfg)
				return err == nil
			})
		}
	}
}

// earlierID is the id in the address of an ask, as layout 1 had it.
func earlierID(asker, id string) string {
	if asker == "" {
		return id
	}
	h := sha256.New()
	for _, s := range []string{"sayso asker 1", asker, id} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return "asker/" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16]))
}

// resealed returns the data of a record with the sum that it had at an address of layout 1.
func resealed(r hub.Record, at hub.Address) []byte {
	const head, sumLen = `{"v":1,"sum":"`, 43
	body := r.Data[len(head)+sumLen+2:]
	b := append([]byte(r.Kind), 0)
	for _, s := range []string{at.Tenant, at.Person, at.Conversation, at.ID} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	sum := sha256.Sum256(append(b, body...))
	return []byte(head + base64.RawURLEncoding.EncodeToString(sum[:]) + `",` + string(body))
}

// earlierRecord is a record as layout 1 stored it.
type earlierRecord struct {
	area string
	hub.Record
}

// publish returns the message of a record, and that of its deadline.
func (r *earlierRecord) messages(prefix string, shards int) (all []*nats.Msg) {
	a := r.Address
	ss := fmt.Sprintf("%02d", natsstore.ShardOf(a.Tenant, a.Person, shards))
	rest := ss
	for _, s := range []string{a.Tenant, a.Person, a.Conversation, a.ID} {
		rest += "." + natsstore.Token(s)
	}
	if prefix != "" {
		prefix += "."
	}
	state := "o"
	if r.Closed {
		state = "c"
	}
	h := nats.Header{"Sayso-Nonce": {"n" + a.ID}, "Sayso-State": {state}}
	if !r.Due.IsZero() {
		due := r.Due.UTC().Format(time.RFC3339Nano)
		h["Sayso-Due"] = []string{due}
		all = append(all, &nats.Msg{Subject: prefix + "due." + rest, Header: nats.Header{"Sayso-Due": {due}, "Nats-TTL": {"8640000"}}})
	}
	if r.TTL > 0 {
		h["Nats-TTL"] = []string{strconv.Itoa(int(r.TTL / time.Second))}
	}
	return append(all, &nats.Msg{Subject: prefix + r.area + "." + rest, Header: h, Data: r.Data})
}

// writeEarlier stores records as layout 1 did.
func writeEarlier(t testing.TB, nc *nats.Conn, prefix string, shards int, all []earlierRecord) {
	t.Helper()
	next := make(chan *nats.Msg)
	var writers sync.WaitGroup
	for range 128 {
		writers.Go(func() {
			for m := range next {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				reply, err := nc.RequestMsgWithContext(ctx, m)
				cancel()
				if err != nil || strings.Contains(string(reply.Data), "error") {
					t.Errorf("%s: %v", m.Subject, err)
				}
			}
		})
	}
	for i := range all {
		for _, m := range all[i].messages(prefix, shards) {
			next <- m
		}
	}
	close(next)
	writers.Wait()
	if t.Failed() {
		t.FailNow()
	}
}
