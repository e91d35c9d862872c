package natsstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// LayoutVersion is the version of the streams and records that this package writes.
const LayoutVersion = 2

// The keys of the metadata of our streams.
const (
	metaLayout = "sayso_layout"
	metaShards = "sayso_shards"
	metaConfig = "sayso_config" // fingerprint of the configuration that we set

	metaLineage = "sayso_lineage"
	metaStreams = "sayso_streams" // streamsVersion of the program that set it
)

// streamsVersion grows with every change of the streams' configuration. While programs of two versions share the streams,
// the older one leaves them as the newer one needs them.
const streamsVersion = 2

const (
	markerTTL    = 5 * time.Minute        // how long a forgotten subject is remembered as such
	maxMsgSize   = 1 << 20                // headers and data
	minDedup     = 100 * time.Millisecond // the least the server takes; our nonce does the work
	maxSmall     = 2_000_000              // drafts, or small records, in a shard
	maxConsumers = 8                      // for a person who looks in: the store needs none
)

// streams returns the configurations of a shard, in the order in which they are made.
func (n names) streams(ss string, o *Options) []jetstream.StreamConfig {
	base := jetstream.StreamConfig{
		Storage: jetstream.FileStorage, Replicas: o.Replicas,
		AllowDirect: true, Duplicates: minDedup, MaxMsgSize: maxMsgSize, MaxConsumers: maxConsumers,
	}

	ask := base
	ask.Name = n.stream(areaAsk, ss)
	ask.Description = "sayso: tickets"
	ask.Subjects = []string{n.space() + areaAsk + "." + ss + ".*.*.*.*.*", n.fence(ss)}
	// With two, the question would come back when the answer is forgotten.
	ask.MaxMsgsPerSubject = 1
	ask.Discard = jetstream.DiscardNew
	// It has no limits: the store itself keeps new asks out at the quota. With one, its files would be twice as large, and
	// a read after a pause takes as long as it takes to read a file.
	ask.AllowMsgTTL, ask.SubjectDeleteMarkerTTL, ask.AllowRollup = true, markerTTL, true
	ask.RePublish = n.republish(areaAsk, ss)

	draft := base
	draft.Name = n.stream(areaDraft, ss)
	draft.Description = "sayso: what people have typed and not sent"
	draft.Subjects = []string{n.space() + areaDraft + "." + ss + ".*.*.*.*.*"}
	draft.MaxMsgsPerSubject = 1
	draft.MaxMsgs, draft.MaxAge = maxSmall, o.DraftAge
	draft.AllowMsgTTL = true
	draft.RePublish = n.republish(areaDraft, ss)

	aux := base
	aux.Name = n.stream(areaAux, ss)
	aux.Description = "sayso: small records that need no audit"
	aux.MaxMsgsPerSubject = 1
	aux.MaxMsgs = maxSmall
	aux.AllowMsgTTL = true
	aux.Subjects = n.subjects(areaAux, ss)
	aux.RePublish = &jetstream.RePublish{Source: n.space() + ">", Destination: n.space() + areaEvent + ".>"}

	key := base
	key.Name = n.stream(areaKey, ss)
	key.Description = "sayso: keys, and what the hub signs with"
	key.Subjects = n.subjects(areaKey, ss)
	key.MaxMsgsPerSubject = 1
	key.Discard = jetstream.DiscardNew
	key.AllowMsgTTL = true
	key.RePublish = aux.RePublish

	due := base
	due.Name = n.stream(areaDue, ss)
	due.Description = "sayso: which tickets have a deadline"
	due.Subjects = []string{n.space() + areaDue + "." + ss + ".*.*.*.*.*", n.bookmark(ss)}
	due.MaxMsgsPerSubject = 1
	due.AllowMsgTTL = true

	all := []jetstream.StreamConfig{ask, draft, aux, due}
	if ss == shardToken(0) {
		all = append(all, key)
	}
	if !o.NoAudit {
		all = append(all, n.archiveStream(base, ss, o))
	}
	return all
}

// subjects are those of a stream that several areas share.
func (n names) subjects(stream, ss string) (all []string) {
	for _, a := range areas {
		if a.stream == stream {
			all = append(all, n.space()+a.area+"."+ss+".*.*.*.*.*")
		}
	}
	return all
}

func (n names) republish(area, ss string) *jetstream.RePublish {
	return &jetstream.RePublish{Source: n.all(area, ss), Destination: n.space() + areaEvent + "." + area + "." + ss + ".>"}
}

// layOut makes the streams that are missing and adapts those that differ. It sets the shards and replicas of the options.
func layOut(ctx context.Context, js jetstream.JetStream, n names, o *Options) error {
	have, replicas, err := layout(ctx, js, n)
	if err != nil {
		return err
	}
	if have != 0 && o.Shards != 0 && have != o.Shards {
		return fmt.Errorf("the store has %d shards and cannot be opened with %d: records are found by their number", have, o.Shards)
	}
	o.Shards = cmp.Or(o.Shards, have, o.NewShards, 1)
	o.Replicas = cmp.Or(o.Replicas, replicas, 1)
	var all []jetstream.StreamConfig
	for i := range o.Shards {
		all = append(all, n.streams(shardToken(i), o)...)
	}
	one := func(cfg jetstream.StreamConfig) error {
		if err := ensure(ctx, js, cfg, o.Shards); err != nil {
			return fmt.Errorf("stream %s: %w", cfg.Name, err)
		}
		return nil
	}
	// The first says how many shards there are, so it is there before the others.
	if err := one(all[0]); err != nil {
		return err
	}
	room := make(gate, maxLayOut)
	return each(len(all)-1, func(i int) error {
		if err := room.enter(ctx); err != nil {
			return err
		}
		defer room.leave()
		return one(all[i+1])
	})
}

// maxLayOut is how many streams are made, or looked at, at a time.
const maxLayOut = 16

// layout returns how many shards the store has and how many replicas, zero if there is none yet.
func layout(ctx context.Context, js jetstream.JetStream, n names) (shards, replicas int, err error) {
	name := n.stream(areaAsk, shardToken(0))
	s, err := js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("look at stream %s: %w", name, err)
	}
	meta := s.CachedInfo().Config.Metadata
	if err := checkVersion(meta); err != nil {
		return 0, 0, fmt.Errorf("stream %s: %w", name, err)
	}
	shards, err = strconv.Atoi(meta[metaShards])
	if err != nil || shards < 1 {
		return 0, 0, fmt.Errorf("stream %s: %q is not a number of shards", name, meta[metaShards])
	}
	return shards, s.CachedInfo().Config.Replicas, nil
}

func checkVersion(meta map[string]string) error {
	switch v := meta[metaLayout]; v {
	case strconv.Itoa(LayoutVersion):
		return nil
	case "":
		return errors.New("somebody else made it: it has no layout version; use another account or a prefix")
	default:
		return fmt.Errorf("a newer sayso wrote it (layout version %s, this program reads %d)", v, LayoutVersion)
	}
}

// ensure makes the stream or brings it up to date. Several processes may do so at once.
func ensure(ctx context.Context, js jetstream.JetStream, cfg jetstream.StreamConfig, shards int) error {
	mark, err := fingerprint(cfg)
	if err != nil {
		return err
	}
	cfg.Metadata = map[string]string{
		metaLayout: strconv.Itoa(LayoutVersion), metaShards: strconv.Itoa(shards), metaConfig: mark, metaStreams: strconv.Itoa(streamsVersion),
	}
	s, err := js.Stream(ctx, cfg.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = js.CreateStream(ctx, cfg)
		return err
	}
	if err != nil {
		return err
	}
	meta := s.CachedInfo().Config.Metadata
	if err := checkVersion(meta); err != nil {
		return err
	}
	if newer, err := strconv.Atoi(meta[metaStreams]); meta[metaConfig] == mark || err == nil && newer > streamsVersion {
		return nil
	}
	if line := meta[metaLineage]; line != "" {
		cfg.Metadata[metaLineage] = line
	}
	_, err = js.UpdateStream(ctx, cfg)
	return err
}

func fingerprint(cfg jetstream.StreamConfig) (string, error) {
	b, err := json.Marshal(cfg)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}
