package journal

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// shard is one of the streams that the logs are spread over. A single node flushes
// every write of a stream by itself, but those of several beside each other.
type shard struct {
	stream jetstream.Stream
	name   string // of the stream
	space  string // what the subjects begin with
}

// maxShards is how many there can be: their names have two digits.
const maxShards = 100

// shard returns where the log of a conversation is.
func (j *NATS) shard(id string) *shard {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return &j.shards[h.Sum32()%uint32(len(j.shards))]
}

// openShards opens the streams of the logs. The first one says how many there are,
// also to another host that opens them at the same time.
func (j *NATS) openShards(ctx context.Context, js jetstream.JetStream, space, name string) error {
	n := max(j.o.Shards, 1)
	if n > maxShards {
		return fmt.Errorf("%d shards are too many: there can be %d", n, maxShards)
	}
	for i := 0; i < n; i++ {
		s := shard{name: fmt.Sprintf("%sCNV-%02d", name, i)}
		cfg := j.stream(s.name, "sayso: conversations", fmt.Sprintf("%scnv.%02d.*.*", space, i))
		var have int
		var err error
		if s.stream, have, err = ensure(ctx, js, cfg, n); err != nil {
			return err
		}
		if i == 0 {
			n = have
		}
		s.space = fmt.Sprintf("%scnv.%02d.%s.", space, i, token(j.o.Tenant))
		j.shards = append(j.shards, s)
	}
	return nil
}

// stream is what all streams have in common.
func (j *NATS) stream(name, description, subjects string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Description: description, Subjects: []string{subjects},
		Storage: jetstream.FileStorage, Replicas: j.o.Replicas, AllowDirect: true, Duplicates: 100 * time.Millisecond,
		Discard: jetstream.DiscardNew, MaxMsgSize: 1 << 20,
	}
}

// ensure makes a stream that is missing, as one of so many, and returns of how many
// it is one. Several hosts may do so at once.
func ensure(ctx context.Context, js jetstream.JetStream, cfg jetstream.StreamConfig, shards int) (jetstream.Stream, int, error) {
	s, err := js.Stream(ctx, cfg.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		cfg.Replicas = max(cfg.Replicas, 1)
		cfg.Metadata = map[string]string{metaLayout: "1"}
		if shards > 1 {
			cfg.Metadata = map[string]string{metaLayout: strconv.Itoa(LayoutVersion), metaShards: strconv.Itoa(shards)}
		}
		s, err = js.CreateStream(ctx, cfg)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by another host, with other options
			s, err = js.Stream(ctx, cfg.Name)
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("stream %s: %w", cfg.Name, err)
	}
	meta := s.CachedInfo().Config.Metadata
	switch v := meta[metaLayout]; v {
	case "1":
		return s, 1, nil
	case strconv.Itoa(LayoutVersion):
		n, err := strconv.Atoi(meta[metaShards])
		if err != nil || n < 1 || n > maxShards {
			return nil, 0, fmt.Errorf("stream %s: %q is no number of shards", cfg.Name, meta[metaShards])
		}
		return s, n, nil
	default:
		return nil, 0, fmt.Errorf("stream %s: it has layout version %q, this program knows 1 to %d", cfg.Name, v, LayoutVersion)
	}
}
