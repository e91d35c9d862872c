package faulttest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// copyOf returns what a node holds of a stream: the last message of every subject. It makes the node lead first, because
// only who leads answers these requests; a node that cannot take the lead returns errAway, until ctx ends.
func copyOf(ctx context.Context, nc *nats.Conn, stream, node string) (map[string]string, error) {
	if err := lead(ctx, nc, stream, node); err != nil {
		return nil, err
	}
	var info struct {
		Error *jetstream.APIError `json:"error"`
		State struct {
			Subjects map[string]int `json:"subjects"`
		} `json:"state"`
	}
	held := map[string]string{}
	for { // a hundred thousand at a time
		page := len(held)
		if err := ask(ctx, nc, "$JS.API.STREAM.INFO."+stream, map[string]any{"subjects_filter": ">", "offset": page}, &info); err != nil {
			return nil, err
		}
		for s := range info.State.Subjects {
			held[s] = ""
		}
		if len(held) == page {
			break
		}
		info.State.Subjects = nil
	}
	return held, readAll(ctx, nc, stream, held)
}

// readAll fills in what is stored under each subject.
func readAll(ctx context.Context, nc *nats.Conn, stream string, held map[string]string) error {
	replies, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return err
	}
	defer replies.Unsubscribe()
	if err := replies.SetPendingLimits(-1, -1); err != nil {
		return err
	}
	var asked int
	receive := func() error {
		m, err := replies.NextMsgWithContext(ctx)
		if err != nil {
			return err
		}
		asked--
		var got struct {
			Error   *jetstream.APIError `json:"error"`
			Message struct {
				Subject string `json:"subject"`
				Seq     uint64 `json:"seq"`
				Data    []byte `json:"data"`
			} `json:"message"`
		}
		if err := json.Unmarshal(m.Data, &got); err != nil {
			return err
		}
		if got.Error != nil {
			return fmt.Errorf("a message cannot be read: %w", got.Error)
		}
		held[got.Message.Subject] = fmt.Sprintf("%d %x", got.Message.Seq, sha256.Sum256(got.Message.Data))
		return nil
	}
	subjects := make([]string, 0, len(held))
	for s := range held {
		subjects = append(subjects, s)
	}
	for _, s := range subjects {
		b, err := json.Marshal(map[string]string{"last_by_subj": s})
		if err != nil {
			return err
		}
		if err := nc.PublishRequest("$JS.API.STREAM.MSG.GET."+stream, replies.Subject, b); err != nil {
			return err
		}
		if asked++; asked > 100 {
			if err := receive(); err != nil {
				return err
			}
		}
	}
	for asked > 0 {
		if err := receive(); err != nil {
			return err
		}
	}
	return nil
}

// errAway says that a node does not take part, which the cluster knows and tells.
var errAway = errors.New("it cannot take the lead")

// lead makes a node the leader of a stream. It makes others step down less and less often: a node that seems to be
// current may still be catching up, and needs a leader that stays.
func lead(ctx context.Context, nc *nats.Conn, stream, node string) error {
	const look = 100 * time.Millisecond
	wait, next := time.Second, time.Now()
	for {
		var info jetstream.StreamInfo
		var failed any
		if err := ask(ctx, nc, "$JS.API.STREAM.INFO."+stream, nil, &info); err != nil {
			failed = err
		} else if info.Cluster != nil && info.Cluster.Leader == node {
			return nil
		} else if info.Cluster != nil {
			failed = "unknown to " + info.Cluster.Leader
			for _, r := range info.Cluster.Replicas {
				if r.Name != node {
					continue
				}
				failed = *r
				if now := time.Now(); r.Current && !now.Before(next) {
					wait = min(2*wait, 10*time.Second)
					next = now.Add(wait)
					var done struct{}
					_ = ask(ctx, nc, "$JS.API.STREAM.LEADER.STEPDOWN."+stream, map[string]any{"placement": map[string]string{"preferred": node}}, &done)
				}
			}
		}
		if !pause(ctx, look) {
			return fmt.Errorf("%w: %+v", errAway, failed)
		}
	}
}

// ask sends a request to the server's API.
func ask(ctx context.Context, nc *nats.Conn, subject string, request, reply any) error {
	b, err := json.Marshal(request)
	if request == nil {
		b = nil
	}
	if err != nil {
		return err
	}
	once, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	m, err := nc.RequestWithContext(once, subject, b)
	if err != nil {
		return err
	}
	return json.Unmarshal(m.Data, reply)
}
