package journal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Attend says that a host is there; see Journal. The server forgets the message
// when its time is over, so no two machines need to have the same clock.
func (j *NATS) Attend(ctx context.Context, o Owner, ttl time.Duration) error {
	subject := j.hostsSpace + token(o.Name)
	for {
		j.mu.Lock()
		after, known := j.attended[o]
		j.mu.Unlock()
		last, _, life, err := lastMessage(ctx, j.hosts, subject)
		switch {
		case err != nil:
			return fmt.Errorf("journal: attend: %w", err)
		case known && last != 0 && string(life) != o.Life:
			return ErrReplaced
		case !known || last == 0: // the name is to be taken, or was given up while this host was slow
			after = last
		}
		seq, err := j.write(ctx, j.hosts, &nats.Msg{
			Subject: subject, Data: []byte(o.Life),
			Header: nats.Header{headTTL: {strconv.Itoa(max(1, int(ttl/time.Second)))}},
		}, after)
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err != nil {
			return fmt.Errorf("journal: attend: %w", err)
		}
		j.mu.Lock()
		j.attended[o] = seq
		j.mu.Unlock()
		return nil
	}
}

// Leave says that a host is gone; see Journal.
func (j *NATS) Leave(ctx context.Context, o Owner) error {
	seq, _, life, err := lastMessage(ctx, j.hosts, j.hostsSpace+token(o.Name))
	if err != nil || seq == 0 || string(life) != o.Life {
		return err
	}
	return j.hosts.DeleteMsg(ctx, seq)
}

// Attends reports whether a host is there; see Journal.
func (j *NATS) Attends(ctx context.Context, o Owner) (bool, error) {
	seq, _, life, err := lastMessage(ctx, j.hosts, j.hostsSpace+token(o.Name))
	if err != nil {
		return false, fmt.Errorf("journal: attends: %w", err)
	}
	return seq != 0 && string(life) == o.Life, nil
}

// Hosts returns who is there; see Journal.
func (j *NATS) Hosts(ctx context.Context) ([]Owner, error) {
	info, err := j.hosts.Info(ctx, jetstream.WithSubjectFilter(j.hostsSpace+"*"))
	if err != nil {
		return nil, fmt.Errorf("journal: hosts: %w", err)
	}
	var all []Owner
	for subject := range info.State.Subjects {
		name, err := untoken(strings.TrimPrefix(subject, j.hostsSpace))
		if err != nil {
			return nil, fmt.Errorf("journal: hosts: subject %s: %w", subject, err)
		}
		seq, _, life, err := lastMessage(ctx, j.hosts, subject)
		if err != nil {
			return nil, fmt.Errorf("journal: hosts: %w", err)
		}
		if seq != 0 {
			all = append(all, Owner{name, string(life)})
		}
	}
	return all, nil
}
