package natsstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// A hub that was started to be restored into has made its streams already, and they may have another number of shards and
// other replicas than those of the backup. So they are removed, if nobody has asked anything there.

// clearEmpty removes the streams of a store that holds no ticket and no draft. Anything else that is where the backup
// belongs is an error.
func clearEmpty(ctx context.Context, js jetstream.JetStream, b *backup, opts *RestoreOptions) error {
	n := names{b.Prefix}
	old, err := emptyStreams(ctx, js, n)
	if err != nil {
		return err
	}
	if len(old) > 0 {
		if err := removeStreams(ctx, js, old, opts.Observed); err != nil {
			return err
		}
	}
	taken := []string{n.earlier(areaAsk, shardToken(0))} // a store of layout 1
	for _, st := range b.Streams {
		taken = append(taken, st.Name)
	}
	for _, name := range taken {
		if _, err := js.Stream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
			return errors.Join(fmt.Errorf("%w: stream %s", ErrNotEmpty, name), err)
		}
	}
	return nil
}

// emptyStreams returns the streams of a store that holds nothing, none if there is no store.
func emptyStreams(ctx context.Context, js jetstream.JetStream, n names) (all []jetstream.StreamConfig, err error) {
	shards, _, err := layout(ctx, js, n)
	if err != nil {
		return nil, err
	}
	for i := range shards {
		ss := shardToken(i)
		for _, area := range []string{areaAsk, areaDraft, areaArchive, areaKey, areaAux, areaDue} {
			var look []jetstream.StreamInfoOpt
			if area == areaAsk { // the other subject is that of the fence
				look = append(look, jetstream.WithSubjectFilter(n.space()+area+"."+ss+".*.*.*.*.*"))
			}
			s, err := js.Stream(ctx, n.stream(area, ss))
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			info, err := s.Info(ctx, look...)
			if err != nil {
				return nil, err
			}
			held := info.State.Msgs
			switch area {
			case areaAsk:
				held = uint64(len(info.State.Subjects))
			case areaKey, areaAux, areaDue:
				held = 0 // what a hub makes as it starts, sessions of those who set it up, bookmarks
			}
			if held > 0 {
				return nil, fmt.Errorf("%w: stream %s has %d records", ErrNotEmpty, info.Config.Name, held)
			}
			all = append(all, info.Config)
		}
	}
	return all, nil
}

// removeStreams removes streams. Their guards learn before that they will be gone, and after it that they are.
func removeStreams(ctx context.Context, js jetstream.JetStream, all []jetstream.StreamConfig, observed func(context.Context) error) error {
	if observed == nil {
		observed = func(context.Context) error { return nil }
	}
	for _, cfg := range all {
		cfg.Metadata = maps.Clone(cfg.Metadata)
		cfg.Metadata[metaMoved] = movedRemove
		if _, err := js.UpdateStream(ctx, cfg); err != nil {
			return fmt.Errorf("stream %s: %w", cfg.Name, err)
		}
	}
	if err := observed(ctx); err != nil {
		return err
	}
	for _, cfg := range all {
		if err := js.DeleteStream(ctx, cfg.Name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("remove stream %s: %w", cfg.Name, err)
		}
	}
	return observed(ctx)
}

// area returns the area of a stream of this layout, empty of any other.
func (n names) area(stream string) string {
	for _, area := range []string{areaAsk, areaDraft, areaKey, areaAux, areaDue, areaArchive} {
		if strings.HasPrefix(stream, strings.TrimSuffix(n.stream(area, "x"), "x")) {
			return area
		}
	}
	return ""
}
