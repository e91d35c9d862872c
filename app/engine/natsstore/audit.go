package natsstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("natsstore: export the audit: %w", err)
	}
	if err := s.exportEarlier(ctx, dir); err != nil {
		return nil, fmt.Errorf("natsstore: export the audit of layout %s: %w", earlierLayout, err)
	}
	var heads []AuditHead
	for _, sh := range s.shards {
		head, err := s.exportShard(ctx, sh, dir)
		if err != nil {
			return heads, fmt.Errorf("natsstore: export the audit of shard %s: %w", sh.ss, err)
		}
		heads = append(heads, head)
	}
	return heads, nil
}

func (s *Store) exportShard(ctx context.Context, sh *shard, dir string) (AuditHead, error) {
	c, size, err := lastOfChain(dir, sh.ss)
	if err == errTorn {
		err = truncate(dir, c.file, size)
	}
	if err != nil {
		return AuditHead{}, err
	}
	if !s.opts.NoAudit {
		if err := s.bringUpToDate(ctx, sh); err != nil {
			return AuditHead{}, err
		}
	}
	line, err := s.lineage(ctx, sh)
	if err != nil {
		return AuditHead{}, err
	}
	known, err := common(line, c.last.Lineage, c.last.Seq)
	if err != nil {
		return AuditHead{}, err
	}
	after := c.last
	if line != after.Lineage {
		after = entry{} // the store is another: what of it was exported is known by its revisions
	}
	out := auditWriter{dir: dir, chain: c}
	err = errors.Join(s.closed(ctx, sh, &after, func(e *entry) error {
		if e.Seq <= known {
			return nil
		}
		known, e.Lineage = e.Seq, line
		return out.append(sh.ss, e)
	}), out.close())
	return AuditHead{sh.ss, out.last.N, out.sum}, err
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

// auditWriter appends lines to the files of a shard.
type auditWriter struct {
	dir string
	chain
	out *os.File
}

func (w *auditWriter) append(ss string, e *entry) error {
	e.N, e.Prev = w.last.N+1, w.sum
	line, sum, err := e.line()
	if err != nil {
		return err
	}
	if name := max(w.file, auditFile(ss, e.Time)); w.out == nil || name != w.file { // never back to an older file
		if err := w.close(); err != nil {
			return err
		}
		w.file = name
		if w.out, err = os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
			return err
		}
	}
	if _, err := w.out.Write(line); err != nil {
		return err
	}
	return w.follow(e, sum)
}

// close makes sure that what was written is on the disk.
func (w *auditWriter) close() error {
	if w.out == nil {
		return nil
	}
	err := errors.Join(w.out.Sync(), w.out.Close(), syncDir(w.dir))
	w.out = nil
	return err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
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
