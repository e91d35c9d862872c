package natsserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
)

// writer asks and answers without end, in a node's process, and prints every acknowledged write as "subject sequence", and
// "subject 0" before one that expires soon: a ledger outside of the store. Its arguments are a prefix of its subjects,
// the number of concurrent askers and, if it matters, how long the server's markers live.
func writer(ctx context.Context, s *natsserver.Server, args []string, out io.Writer) error {
	nc, err := s.Conn(ctx, "writer")
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	cfg := askConfig("ASK")
	if len(args) > 2 {
		if cfg.SubjectDeleteMarkerTTL, err = time.ParseDuration(args[2]); err != nil {
			return err
		}
	}
	patient, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if _, err := js.CreateOrUpdateStream(patient, cfg); err != nil {
		return err
	}
	askers, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	body := strings.Repeat("question ", 80)
	var group errgroup.Group
	for a := range askers {
		group.Go(func() error {
			for i := 0; ctx.Err() == nil; i++ {
				subject := fmt.Sprintf("ask.%s.%d.%d", args[0], a, i)
				var seq uint64
				for step := range 1 + i%3 { // every third is asked only, every third answered, every third answered and received
					m := nats.NewMsg(subject)
					m.Data = []byte(body)
					if step == 2 {
						m.Header.Set("Nats-TTL", "1s") // soon replaced by the server's marker: nobody can expect it later
						if _, err := fmt.Fprintf(out, "%s 0\n", subject); err != nil {
							return err
						}
					}
					ack, err := js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(seq))
					if err != nil {
						return err
					}
					seq = ack.Sequence
					if err := s.Note("ASK", seq); err != nil {
						return err
					}
					if step == 2 {
						continue
					}
					if _, err := fmt.Fprintf(out, "%s %d\n", subject, seq); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// ledger is the last acknowledged sequence of each subject.
type ledger map[string]uint64

func (l ledger) add(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		subject, seq, ok := strings.Cut(line, " ")
		n, err := strconv.ParseUint(seq, 10, 64)
		if !ok || err != nil {
			t.Fatalf("line %q of the ledger", line)
		}
		if n == 0 {
			delete(l, subject)
		} else {
			l[subject] = max(l[subject], n)
		}
	}
}

// lost counts the subjects whose last acknowledged record is not there any more. After a partition a server may still
// believe that it leads and answer beside the one that does: every answer counts for the question that it answers, the
// best of them, and what seems to be gone is asked for again.
func (l ledger) lost(t *testing.T, n *enginetest.Node) (lost int) {
	t.Helper()
	nc := n.Connect()
	defer nc.Close()
	const together, rounds = 500, 5
	inbox := nc.NewInbox()
	replies, err := nc.SubscribeSync(inbox + ".*")
	must(t, err)
	must(t, replies.SetPendingLimits(-1, -1))
	var asked []string // by the token of the reply
	var refusal error
	left, missed, found := make([]string, 0, len(l)), map[string]int{}, map[string]uint64{}
	for s := range l {
		left = append(left, s)
	}
	for limit, held := time.Now().Add(3*time.Minute), false; len(left) > 0; {
		if held { // a leader that was cut off refuses, or says nothing, until it knows
			if time.Now().After(limit) {
				t.Fatalf("%d records cannot be read: %v", len(left), refusal)
			}
			<-time.After(50 * time.Millisecond)
		}
		held = false
		batch := left[:min(together, len(left))]
		left = left[len(batch):]
		first := len(asked)
		for _, s := range batch {
			ask, err := json.Marshal(map[string]string{"last_by_subj": s})
			must(t, err)
			must(t, nc.PublishRequest("$JS.API.STREAM.MSG.GET.ASK", fmt.Sprintf("%s.%d", inbox, len(asked)), ask))
			asked = append(asked, s)
		}
		unread := map[string]bool{}
		for _, s := range batch {
			unread[s] = true
		}
		for answered := map[int]bool{}; len(answered) < len(batch); {
			m, err := replies.NextMsg(10 * time.Second)
			if errors.Is(err, nats.ErrTimeout) { // nobody led when it was asked
				refusal = err
				break
			}
			must(t, err)
			i, err := strconv.Atoi(m.Subject[len(inbox)+1:])
			must(t, err)
			var got struct {
				Error   *jetstream.APIError `json:"error"`
				Message struct {
					Seq uint64 `json:"seq"`
				} `json:"message"`
			}
			must(t, json.Unmarshal(m.Data, &got))
			found[asked[i]] = max(found[asked[i]], got.Message.Seq)
			if unread[asked[i]] = got.Error != nil && got.Error.Code != 404; unread[asked[i]] { // not now
				refusal = got.Error
			}
			if i >= first {
				answered[i] = true
			}
		}
		for _, s := range batch {
			switch {
			case found[s] >= l[s]:
			case unread[s]:
				held = true
				left = append(left, s)
			default:
				if missed[s]++; missed[s] < rounds {
					left = append(left, s)
					continue
				}
				lost++
				t.Logf("%s was acknowledged with sequence %d and is %d now (0: gone)", s, l[s], found[s])
			}
		}
	}
	return lost
}
