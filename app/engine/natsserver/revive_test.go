package natsserver_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// TestNothingComesBack answers a question, lets the answer expire and its block be rewritten, and crashes. nats-server
// 2.15.2 alone then serves the question again, as if nobody had answered it.
func TestNothingComesBack(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir)
	nc, err := s.Conn(t.Context(), "test")
	must(t, err)
	js, err := jetstream.New(nc)
	must(t, err)
	cfg := askConfig("ASK")
	cfg.SubjectDeleteMarkerTTL = time.Second
	ask, err := js.CreateStream(t.Context(), cfg)
	must(t, err)
	body := strings.Repeat("question ", 7000)
	write := func(subject, body, ttl string, replaces uint64) uint64 {
		m := nats.NewMsg(subject)
		m.Data = []byte(body)
		if ttl != "" {
			m.Header.Set("Nats-TTL", ttl)
		}
		ack, err := js.PublishMsg(t.Context(), m, jetstream.WithExpectLastSequencePerSubject(replaces))
		must(t, err)
		return ack.Sequence
	}
	const enough = 70 // to fill a block
	question := write("ask.once", "question", "", 0)
	for i := range enough {
		write(fmt.Sprintf("ask.waiting.%d", i), body, "", 0) // keep the question's block from being rewritten
	}
	write("ask.once", "answer", "1s", question)
	busy := make([]uint64, enough)
	for i := range busy {
		busy[i] = write(fmt.Sprintf("ask.busy.%d", i), body, "", 0)
	}
	for gone := false; !gone; <-time.After(50 * time.Millisecond) {
		_, err := ask.GetLastMsgForSubject(t.Context(), "ask.once")
		gone = errors.Is(err, jetstream.ErrMsgNotFound)
	}
	for range 2 { // the blocks of the answer and of its marker are rewritten
		for i := range busy {
			busy[i] = write(fmt.Sprintf("ask.busy.%d", i), body, "", busy[i])
		}
	}
	must(t, s.Checkpoint())

	crashed := func(tweaks ...func(*natsserver.Options)) (natsserver.Report, error) {
		o := &natsserver.Options{Dir: duplicate(t, dir)}
		for _, tweak := range tweaks {
			tweak(o)
		}
		s, err := natsserver.Start(t.Context(), o)
		must(t, err)
		defer closeServer(t, s)
		nc, err := s.Conn(t.Context(), "test")
		must(t, err)
		js, err := jetstream.New(nc)
		must(t, err)
		ask, err := js.Stream(t.Context(), "ASK")
		must(t, err)
		_, err = ask.GetLastMsgForSubject(t.Context(), "ask.once")
		return s.Report(), err
	}
	if r, err := crashed(); !errors.Is(err, jetstream.ErrMsgNotFound) || r.Store.Buried != 1 {
		t.Errorf("the answered question: %v (nil means it is back); %d buried, want 1", err, r.Store.Buried)
	}
	if _, err := crashed(natsserver.WithoutCheck); err != nil {
		t.Errorf("without the check: %v, want the question back: this test shows nothing", err)
	}
}
