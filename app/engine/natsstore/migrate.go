package natsstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The records of layout 1 are moved when a store is opened, in steps that can be cut off anywhere and begun again, by
// several processes at once:
//
//  1. Park. The streams of layout 1 get the version of this layout, so that an earlier program refuses them, and take no
//     more writes, so that one that runs already cannot add to them.
//  2. Copy. The streams of this layout are made, with subjects of their own for the copies: no hub can write into them
//     yet. Passes copy what is missing, until one finds everything as it should be.
//  3. Switch. A word in the metadata of the first stream of layout 1 says that this layout counts from now on. The new
//     streams get their subjects; whoever is still copying can no longer write into them.
//  4. Remove. The streams of layout 1 are removed, except for the first, which stays empty: an earlier program finds its
//     version there and does not begin anew.
const metaMoved = "sayso_moved"

// What metaMoved says.
const (
	movedCopy   = "copy"   // parked
	movedRemove = "remove" // every record has been moved; natsserver does not miss the stream when it is gone
	movedDone   = "done"
)

// Migration says how far the records of an earlier layout have been moved to this one.
type Migration struct {
	From     int           // the layout they are moved from
	Records  int           // how many there are, about
	Moved    int           // how many of them have been moved
	Checking bool          // all have been moved; each is looked at once more
	Damaged  int           // how many could not be read, and were moved as they are: the hub tells of each
	Done     bool          // all of them have been, and the streams of the earlier layout removed
	Took     time.Duration // since the beginning
}

// migration moves the records of one store.
type migration struct {
	*Store
	js      jetstream.JetStream
	earlier int // shards of layout 1
	shards  int // shards of this one
	state   string
	audited map[string]uint64 // by stream of layout 1: an audit stream has its tickets up to this revision
	began   time.Time
	told    time.Time
	report  Migration
}

// unmoved returns what is left to move to this layout, nil if nothing is. It sets the shards and replicas of the options.
func (s *Store) unmoved(ctx context.Context, js jetstream.JetStream) (*migration, error) {
	cfg, err := s.config(ctx, js, s.names.earlier(areaAsk, shardToken(0)))
	if err != nil || cfg == nil {
		return nil, err
	}
	state := cfg.Metadata[metaMoved]
	if cfg.Metadata[metaLayout] != earlierLayout && state == "" {
		return nil, nil // somebody else's
	}
	m := &migration{Store: s, js: js, state: state, began: time.Now()}
	if m.earlier, err = strconv.Atoi(cfg.Metadata[metaShards]); err != nil || m.earlier < 1 {
		return nil, fmt.Errorf("stream %s: %q is not a number of shards", cfg.Name, cfg.Metadata[metaShards])
	}
	if state == movedDone {
		return nil, s.ageOut(ctx, js, m.earlier)
	}
	next, err := s.config(ctx, js, s.names.stream(areaAsk, shardToken(0)))
	if err != nil {
		return nil, err
	}
	m.shards = cmp.Or(s.opts.Shards, max(m.earlier, s.opts.NewShards)) // the only time that there can be more
	if next != nil {
		if next.SubjectTransform == nil && state != movedRemove {
			return nil, fmt.Errorf("there is a store of layout %s beside one of layout %d: streams %s and %s. "+
				"If the first was restored by mistake, remove its streams; else move it to a server of its own", earlierLayout, LayoutVersion, cfg.Name, next.Name)
		}
		if m.shards, err = strconv.Atoi(next.Metadata[metaShards]); err != nil || m.shards < 1 {
			return nil, fmt.Errorf("stream %s: %q is not a number of shards", next.Name, next.Metadata[metaShards])
		}
	}
	s.opts.Replicas = cmp.Or(s.opts.Replicas, cfg.Replicas)
	s.opts.Shards = cmp.Or(s.opts.Shards, m.shards)
	m.report.From, _ = strconv.Atoi(earlierLayout)
	return m, nil
}

// copyAll moves every record, and says so in the first stream of layout 1.
func (m *migration) copyAll(ctx context.Context) error {
	if m.state == movedRemove {
		return nil
	}
	if err := m.checkpoint(); err != nil { // what is about to be changed is known as it is
		return err
	}
	if err := m.park(ctx); err != nil {
		return fmt.Errorf("park the streams of layout %s: %w", earlierLayout, err)
	}
	if err := m.parkAudit(ctx); err != nil {
		return fmt.Errorf("end the audit of layout %s: %w", earlierLayout, err)
	}
	if err := m.stage(ctx); err != nil {
		return fmt.Errorf("make the streams of layout %d: %w", LayoutVersion, err)
	}
	for pass := 0; ; pass++ {
		m.report.Checking = pass > 0
		missing, err := m.pass(ctx)
		switch {
		case err != nil:
			return err
		case missing == 0:
			return errors.Join(m.checkpoint(), m.mark(ctx, m.names.earlier(areaAsk, shardToken(0)), movedRemove))
		case pass == maxPasses:
			return fmt.Errorf("after %d passes %d records are still not as they should be", pass, missing)
		}
	}
}

// maxPasses is how often records are copied. Two are enough, unless others copy at the same time.
const maxPasses = 20

// streams of layout 1 that are there.
func (m *migration) each(ctx context.Context, areas []string, do func(cfg *jetstream.StreamConfig) error) error {
	for i := range m.earlier {
		for _, area := range areas {
			cfg, err := m.config(ctx, m.js, m.names.earlier(area, shardToken(i)))
			if err == nil && cfg != nil { // a backup has no small records
				err = do(cfg)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// park ends the writes into the streams of layout 1. Sequences, and what expires, stay as they are.
func (m *migration) park(ctx context.Context) error {
	err := m.each(ctx, earlierAreas[:], func(cfg *jetstream.StreamConfig) error {
		if cfg.Metadata[metaMoved] == "" {
			cfg.Metadata = maps.Clone(cfg.Metadata)
			cfg.Metadata[metaLayout], cfg.Metadata[metaMoved] = strconv.Itoa(LayoutVersion), movedCopy
			cfg.Subjects = append(slices.Clone(cfg.Subjects), m.names.parked(cfg.Name))
			cfg.MaxMsgSize = 1 // nothing with a header; a fence has none
			cfg.MaxMsgs, cfg.MaxBytes, cfg.SubjectDeleteMarkerTTL = -1, -1, 0
			if err := m.update(ctx, cfg); err != nil {
				return err
			}
		}
		m.report.Records += m.count(ctx, cfg.Name)
		return nil
	})
	m.tell(true)
	return err
}

// stage makes the streams of this layout, for copies only.
func (m *migration) stage(ctx context.Context) error {
	o := m.opts
	o.Shards = m.shards
	for i := range m.shards {
		for _, cfg := range m.names.streams(shardToken(i), &o) {
			own := m.names.staged(cfg.Name)
			cfg.SubjectTransform = &jetstream.SubjectTransformConfig{Source: own + ".>", Destination: ">"}
			cfg.Subjects, cfg.RePublish = []string{own + ".>"}, nil
			cfg.Metadata = map[string]string{metaLayout: strconv.Itoa(LayoutVersion), metaShards: strconv.Itoa(m.shards), metaLineage: movedLineage}
			if have, err := m.config(ctx, m.js, cfg.Name); err != nil || have != nil {
				if err != nil {
					return err
				}
				continue
			}
			err := m.patient(ctx, func() error {
				_, err := m.js.CreateStream(ctx, cfg)
				return err
			})
			if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // somebody else was first
				return fmt.Errorf("stream %s: %w", cfg.Name, err)
			}
		}
	}
	return nil
}

// staged begins the subjects of the copies for a stream. What follows is the subject of the record.
func (n names) staged(stream string) string { return n.space() + "staged." + stream }

// remove removes what layout 1 has left, once the streams of this layout have their subjects.
func (m *migration) remove(ctx context.Context) error {
	areas := append(slices.Clone(earlierAreas[:]), areaDue)
	err := m.each(ctx, areas, func(cfg *jetstream.StreamConfig) error { return m.mark(ctx, cfg.Name, movedRemove) })
	if err == nil {
		err = m.observed(ctx)
	}
	first := m.names.earlier(areaAsk, shardToken(0))
	if err == nil {
		err = m.each(ctx, areas, func(cfg *jetstream.StreamConfig) error {
			if cfg.Name != first {
				return m.delete(ctx, cfg.Name)
			}
			return m.patient(ctx, func() error {
				s, err := m.js.Stream(ctx, first)
				if err == nil {
					err = s.Purge(ctx)
				}
				return err
			})
		})
	}
	if err == nil {
		err = m.observed(ctx)
	}
	if err == nil {
		err = m.mark(ctx, first, movedDone)
	}
	if err == nil {
		err = m.ageOut(ctx, m.js, m.earlier)
	}
	if err != nil {
		return fmt.Errorf("remove the streams of layout %s: %w", earlierLayout, err)
	}
	m.report.Done = true
	m.tell(true)
	return nil
}

// observed waits until the guards of the nodes know what is about to be removed, or has been.
func (m *migration) observed(ctx context.Context) error {
	if err := m.checkpoint(); err != nil || m.opts.Replicas == 1 {
		return err
	}
	select { // the other nodes look once a second
	case <-time.After(3 * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkpoint lets the guard of this process's own server look at the streams.
func (m *migration) checkpoint() error {
	if mark, ok := m.opts.Mark.(interface{ Checkpoint() error }); ok {
		return mark.Checkpoint()
	}
	return nil
}

// mark says in the metadata of a stream of layout 1 how far it is.
func (m *migration) mark(ctx context.Context, stream, state string) error {
	cfg, err := m.config(ctx, m.js, stream)
	if err != nil || cfg == nil || cfg.Metadata[metaMoved] == state || cfg.Metadata[metaMoved] == movedDone {
		return err
	}
	cfg.Metadata = maps.Clone(cfg.Metadata)
	cfg.Metadata[metaLayout], cfg.Metadata[metaMoved] = strconv.Itoa(LayoutVersion), state
	return m.update(ctx, cfg)
}

func (m *migration) delete(ctx context.Context, stream string) error {
	err := m.patient(ctx, func() error { return m.js.DeleteStream(ctx, stream) })
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("stream %s: %w", stream, err)
	}
	return nil
}

func (m *migration) update(ctx context.Context, cfg *jetstream.StreamConfig) error {
	err := m.patient(ctx, func() error {
		_, err := m.js.UpdateStream(ctx, *cfg)
		return err
	})
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) { // somebody else was faster
		return fmt.Errorf("stream %s: %w", cfg.Name, err)
	}
	return nil
}

func (m *migration) count(ctx context.Context, stream string) int {
	state, err := m.Store.state(ctx, stream)
	if err != nil {
		return 0 // it is only for the report
	}
	return int(state.Messages)
}

// config returns how a stream is configured, nil if there is none.
func (s *Store) config(ctx context.Context, js jetstream.JetStream, stream string) (cfg *jetstream.StreamConfig, err error) {
	err = s.patient(ctx, func() error {
		st, err := js.Stream(ctx, stream)
		if err == nil {
			cfg = &st.CachedInfo().Config
		}
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at stream %s: %w", stream, err)
	}
	return cfg, nil
}

// tell reports how far it is, now or once a second.
func (m *migration) tell(now bool) {
	if m.opts.Migrating == nil || !now && time.Since(m.told) < time.Second {
		return
	}
	m.told = time.Now()
	m.report.Took = m.told.Sub(m.began)
	m.opts.Migrating(m.report)
}
