package natsstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The audit streams of layout 1 are not moved. They stay, take in no more, and are exported before anything that was
// closed since, until what they hold has aged out. A closed ticket that was moved is not exported a second time: its
// headEarlier says that an audit stream has it.
const (
	movedKeep   = "keep"          // in metaMoved of an audit stream: it is to be exported still
	metaAudited = "sayso_audited" // in an audit stream of layout 1: it has the tickets up to this revision

	auditedWord = " audited" // in headEarlier: an audit stream of layout 1 has it as well
)

// movedLineage is in the lineage of what was moved from layout 1: no revision of it stands for the same as before.
const movedLineage = "layout2@0"

// parkAudit ends the copying into the audit streams of layout 1, once they have everything.
func (m *migration) parkAudit(ctx context.Context) error {
	m.audited = map[string]uint64{}
	for i := range m.earlier {
		ss := shardToken(i)
		ask := m.names.earlier(areaAsk, ss)
		cfg, err := m.config(ctx, m.js, m.names.earlier(areaAudit, ss))
		if err != nil {
			return err
		}
		if cfg == nil {
			continue
		}
		if cfg.Metadata[metaMoved] == "" {
			upTo, err := m.caughtUp(ctx, ask, cfg)
			if err != nil {
				return fmt.Errorf("stream %s: %w", cfg.Name, err)
			}
			of, err := m.config(ctx, m.js, ask)
			if err != nil {
				return err
			}
			cfg.Metadata = maps.Clone(cfg.Metadata)
			cfg.Metadata[metaLayout], cfg.Metadata[metaMoved] = strconv.Itoa(LayoutVersion), movedKeep
			cfg.Metadata[metaAudited] = strconv.FormatUint(upTo, 10)
			if of != nil {
				cfg.Metadata[metaLineage] = of.Metadata[metaLineage]
			}
			cfg.Sources, cfg.Subjects = nil, []string{m.names.parked(cfg.Name)}
			if err := m.update(ctx, cfg); err != nil {
				return err
			}
		}
		// As it is now: another process may have been faster.
		if cfg, err = m.config(ctx, m.js, cfg.Name); err != nil {
			return err
		}
		if m.audited[ask], err = strconv.ParseUint(cfg.Metadata[metaAudited], 10, 64); err != nil {
			return fmt.Errorf("stream %s: %w", cfg.Name, err)
		}
	}
	return nil
}

// caughtUp waits for an audit stream to have every ticket, and returns the revision up to which it has them. What it does
// not have after a while is exported from where it was moved to.
func (m *migration) caughtUp(ctx context.Context, ask string, audit *jetstream.StreamConfig) (upTo uint64, err error) {
	var want stored
	err = m.patient(ctx, func() (err error) {
		want, err = m.readLeader(ctx, ask, m.names.space()+areaAsk+"."+strings.TrimPrefix(ask, m.names.earlier(areaAsk, ""))+".*.*.*.*")
		return err
	})
	if err != nil || want.seq == 0 {
		return 0, err
	}
	var wait backoff
	for until := time.Now().Add(m.opts.RetryFor); ; {
		var last stored
		err = m.patient(ctx, func() (err error) {
			last, err = m.readLeader(ctx, audit.Name, ">")
			return err
		})
		if err != nil {
			return 0, err
		}
		if text := first(last.header, headSource); text != "" {
			if upTo, _, err = source(text); err != nil {
				return 0, err
			}
		}
		if upTo >= want.seq || time.Now().After(until) {
			return upTo, nil
		}
		if err := wait.sleep(ctx); err != nil {
			return 0, err
		}
	}
}

// source reads where a copy of the server comes from: "stream sequence filter transform subject …".
func source(text string) (seq uint64, subject string, err error) {
	part := strings.Fields(text)
	if len(part) < 5 {
		return 0, "", fmt.Errorf("header %s: %q", headSource, text)
	}
	if seq, err = strconv.ParseUint(part[1], 10, 64); err != nil {
		return 0, "", fmt.Errorf("header %s: %w", headSource, err)
	}
	return seq, part[4], nil
}

// from says where layout 1 had a record, for headEarlier.
func (m *migration) from(stream string, seq uint64) string {
	s := stream + " " + strconv.FormatUint(seq, 10)
	if upTo, ok := m.audited[stream]; ok && seq <= upTo {
		s += auditedWord
	}
	return s
}

// exportEarlier gives what the audit streams of layout 1 have behind the ends. Nothing is left to give once a later ticket
// has been.
func (s *Store) exportEarlier(ctx context.Context, ends AuditEnds, emit func(string, *entry) error) error {
	for i := range s.earlierAudit {
		ss := shardToken(i)
		end := *ends.of(ss)
		if strings.HasPrefix(end.Lineage, movedLineage) {
			continue
		}
		stream := s.names.earlier(areaAudit, ss)
		line, err := s.lineageOf(ctx, stream)
		if missing(err) {
			continue // it has aged out
		}
		if err != nil {
			return err
		}
		known, err := common(line, end.Lineage, end.Seq)
		if err != nil {
			return err
		}
		after := end.At
		if line != end.Lineage {
			after = 0
		}
		err = s.auditedEarlier(ctx, stream, after, func(e *entry) error {
			if e.Seq <= known {
				return nil
			}
			known, e.Lineage = e.Seq, line
			return emit(ss, e)
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", stream, err)
		}
	}
	return nil
}

// earlierStreams returns the streams of layout 1 that a backup needs: what is to be exported, and what says that it is.
func (s *Store) earlierStreams() (all []string) {
	if s.earlierAudit > 0 {
		all = append(all, s.names.earlier(areaAsk, shardToken(0)))
	}
	for i := range s.earlierAudit {
		all = append(all, s.names.earlier(areaAudit, shardToken(i)))
	}
	return all
}

// missing reports whether the server said that there is no such stream.
func missing(err error) bool {
	var api *apiError
	return errors.As(err, &api) && api.Code == 404
}

// auditedEarlier gives every closed ticket of an audit stream of layout 1 behind a sequence, in order.
func (s *Store) auditedEarlier(ctx context.Context, stream string, after uint64, each func(*entry) error) error {
	sc := scan{stream: stream, filters: []string{">"}, from: after + 1, more: true, walk: true}
	for sc.more {
		var bad error
		err := s.next(ctx, &sc, maxBatch, func(f found) bool {
			if first(f.header, headState) != stateClosed {
				return true
			}
			e := &entry{At: f.seq}
			var subject string
			if e.Seq, subject, bad = source(first(f.header, headSource)); bad != nil {
				return false
			}
			subject, ok := s.names.now(subject)
			if !ok {
				return true
			}
			var at time.Time
			if at, bad = f.time(); bad != nil {
				return false
			}
			if _, _, e.Address, bad = s.names.parse(subject); bad != nil {
				return false
			}
			e.Time = at.UTC()
			e.setData(f.data)
			bad = each(e)
			return bad == nil
		})
		if err := errors.Join(err, bad); err != nil {
			return err
		}
	}
	return nil
}

// ageOut finds the audit streams of layout 1, and removes those that hold nothing any more.
func (s *Store) ageOut(ctx context.Context, js jetstream.JetStream, shards int) error {
	s.earlierAudit = 0
	for i := range shards {
		cfg, err := s.config(ctx, js, s.names.earlier(areaAudit, shardToken(i)))
		if err != nil {
			return err
		}
		if cfg == nil || cfg.Metadata[metaMoved] == "" {
			continue
		}
		state, err := s.state(ctx, cfg.Name)
		if err != nil {
			return err
		}
		if state.Messages > 0 {
			s.earlierAudit = i + 1
			continue
		}
		m := &migration{Store: s, js: js}
		if err := m.mark(ctx, cfg.Name, movedRemove); err != nil {
			return err
		}
		if err := m.observed(ctx); err != nil {
			return err
		}
		if err := m.delete(ctx, cfg.Name); err != nil {
			return err
		}
	}
	return nil
}
