package natsstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso/hub"
)

// AuditHead is the end of one shard's audit. Whoever keeps it elsewhere notices later when the audit was cut off before it.
type AuditHead struct {
	Shard string `json:"shard"`
	Lines uint64 `json:"lines"`
	Sum   string `json:"sum"` // of the last line
}

// ExportAudit appends every closed ticket that the archive has and the files in dir have not. The questions are in
// the record of a closed ticket, so open ones are left out. Each line of the files carries the sum of the line before. One
// process exports into a folder at a time; it may be called as often as one likes, after a crash, and after a restore: then
// it goes on with what is new, and keeps what the backup did not have.
//
// With Options.NoAudit it reads the tickets themselves, and has to be called before they are forgotten.
func (s *Store) ExportAudit(ctx context.Context, dir string) ([]AuditHead, error) {
	out, err := OpenAudit(dir)
	if err != nil {
		return nil, fmt.Errorf("natsstore: export the audit: %w", err)
	}
	err = s.AuditAfter(ctx, out.Ends(), out.Add)
	heads, closing := out.Close()
	if err := errors.Join(err, closing); err != nil {
		return heads, err
	}
	for _, sh := range s.shards {
		if !slices.ContainsFunc(heads, func(h AuditHead) bool { return h.Shard == sh.ss }) {
			heads = append(heads, AuditHead{Shard: sh.ss})
		}
	}
	slices.SortFunc(heads, func(a, b AuditHead) int { return cmp.Compare(a.Shard, b.Shard) })
	return heads, nil
}

// AuditEnd is where the audit of a shard ends that somebody has.
type AuditEnd struct {
	Shard   string `json:"shard"`
	Lineage string `json:"lineage,omitempty"` // of the store that it was exported from
	Seq     uint64 `json:"seq"`               // the revision of the last ticket
	At      uint64 `json:"at"`                // where the archive has it
}

// AuditEntry is a closed ticket on its way into an audit. Its JSON has the shard, when it was stored, its address and the
// record.
type AuditEntry struct {
	Shard   string          `json:"shard"`
	Seq     uint64          `json:"seq"` // the other fields are those of a line
	At      uint64          `json:"at"`
	Time    time.Time       `json:"time"`
	Lineage string          `json:"lineage,omitempty"`
	Address hub.Address     `json:"address"`
	Record  json.RawMessage `json:"record,omitempty"`
	Bytes   []byte          `json:"bytes,omitempty"`
}

// AuditEnds are ends by their shards. A shard without one begins with the first ticket.
type AuditEnds map[string]*AuditEnd

func (a AuditEnds) of(shard string) *AuditEnd {
	if a[shard] == nil {
		a[shard] = &AuditEnd{Shard: shard}
	}
	return a[shard]
}

// AuditAfter gives every closed ticket that is behind the ends, shard by shard in the order in which they were stored, and
// moves the ends.
func (s *Store) AuditAfter(ctx context.Context, ends AuditEnds, each func(*AuditEntry) error) error {
	emit := func(ss string, e *entry) error {
		if err := each(&AuditEntry{ss, e.Seq, e.At, e.Time, e.Lineage, e.Address, e.Record, e.Bytes}); err != nil {
			return err
		}
		*ends.of(ss) = AuditEnd{ss, e.Lineage, e.Seq, e.At}
		return nil
	}
	if err := s.exportEarlier(ctx, ends, emit); err != nil {
		return fmt.Errorf("natsstore: export the audit of layout %s: %w", earlierLayout, err)
	}
	for _, sh := range s.shards {
		if err := s.exportShard(ctx, sh, *ends.of(sh.ss), emit); err != nil {
			return fmt.Errorf("natsstore: export the audit of shard %s: %w", sh.ss, err)
		}
	}
	return nil
}

// AuditTail returns ends behind which there are about n closed tickets in each shard.
func (s *Store) AuditTail(ctx context.Context, n int) (AuditEnds, error) {
	ends := AuditEnds{}
	for _, sh := range s.shards {
		line, err := s.lineage(ctx, sh)
		if err != nil {
			return nil, err
		}
		stream := sh.archive
		if s.opts.NoAudit {
			stream = sh.ask
		} else if err := s.bringUpToDate(ctx, sh); err != nil {
			return nil, err
		}
		state, err := s.state(ctx, stream)
		if err != nil {
			return nil, err
		}
		end := &AuditEnd{Shard: sh.ss, Lineage: line}
		if from := state.Last - min(state.Last, uint64(max(0, n))); s.opts.NoAudit {
			end.Seq = from
		} else {
			end.At = from
		}
		ends[sh.ss] = end
	}
	return ends, nil
}

func (s *Store) exportShard(ctx context.Context, sh *shard, end AuditEnd, emit func(string, *entry) error) error {
	if err := s.bringUpToDate(ctx, sh); err != nil {
		return err
	}
	line, err := s.lineage(ctx, sh)
	if err != nil {
		return err
	}
	known, err := common(line, end.Lineage, end.Seq)
	if err != nil {
		return err
	}
	after := entry{Seq: end.Seq, At: end.At}
	if line != end.Lineage {
		after = entry{} // the store is another: what of it was exported is known by its revisions
	}
	return s.closed(ctx, sh, &after, func(e *entry) error {
		if e.Seq <= known {
			return nil
		}
		known, e.Lineage = e.Seq, line
		return emit(sh.ss, e)
	})
}

// closed gives every closed ticket of a shard that may be later than an entry, in order.
func (s *Store) closed(ctx context.Context, sh *shard, after *entry, each func(*entry) error) error {
	sc := scan{stream: sh.archive, filters: []string{">"}, from: after.At + 1, more: true, walk: true}
	if s.opts.NoAudit {
		sc.stream, sc.from = sh.ask, after.Seq+1
	}
	state, err := s.state(ctx, sc.stream)
	if err != nil {
		return err
	}
	if sc.from > state.Last+1 {
		sc.from = 1 // the stream was made anew; what was exported is known by its revision
	}
	for sc.more {
		var bad error
		err := s.next(ctx, &sc, maxBatch, func(f found) bool {
			var e *entry
			if e, bad = s.audited(f); e != nil && bad == nil {
				bad = each(e)
			}
			return bad == nil
		})
		if err := errors.Join(err, bad); err != nil {
			return err
		}
	}
	return nil
}

// audited makes an entry of a closed ticket or of its copy in the archive; nil of anything else.
func (s *Store) audited(f found) (*entry, error) {
	if !isClosed(f.header) || strings.HasSuffix(first(f.header, headEarlier), auditedWord) {
		return nil, nil
	}
	e := &entry{}
	if first(f.header, headOrigin) != "" {
		a, err := s.original(f)
		if err != nil {
			return nil, err
		}
		e.Seq, e.At, e.Time, e.Address = a.Revision, f.seq, a.stored.UTC(), a.Address
	} else {
		r, ok, err := s.record(f.subject, f.header, f.data, f.seq)
		if err != nil || !ok {
			return nil, err
		}
		at, err := f.time()
		if err != nil {
			return nil, err
		}
		e.Seq, e.Time, e.Address = f.seq, at.UTC(), r.Address
	}
	e.setData(f.data)
	return e, nil
}

// VerifyAudit checks the files in dir: that no line was changed, removed, added or moved, and that every record is what the
// rules stored. Heads of earlier exports that were kept elsewhere must still be part of it, so that nobody cuts off the end
// or writes everything anew. It returns the heads. The error is an *AuditError if something was changed.
func VerifyAudit(dir string, known ...AuditHead) ([]AuditHead, error) {
	shards, err := auditShards(dir)
	if err != nil {
		return nil, err
	}
	var heads []AuditHead
	for _, ss := range shards {
		c, _, err := readChain(dir, ss, func(e *entry, sum string) error {
			if i := slices.IndexFunc(known, func(h AuditHead) bool { return h.Shard == ss && h.Lines == e.N }); i >= 0 && known[i].Sum != sum {
				return errors.New("its sum is not the one that was known")
			}
			return hub.Verify(hub.Record{Kind: hub.KindTicket, Address: e.Address, Closed: true, Data: e.data(), Revision: e.Seq})
		})
		if err != nil {
			return heads, err
		}
		heads = append(heads, AuditHead{ss, c.last.N, c.sum})
	}
	for _, h := range known {
		i := slices.IndexFunc(heads, func(now AuditHead) bool { return now.Shard == h.Shard })
		if h.Lines > 0 && (i < 0 || heads[i].Lines < h.Lines) {
			return heads, &AuditError{File: filepath.Join(dir, "audit-"+h.Shard+"-*"), Line: int(h.Lines), Problem: errors.New("it was there and is gone")}
		}
	}
	return heads, nil
}
