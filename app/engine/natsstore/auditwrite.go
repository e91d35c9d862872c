package natsstore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// AuditFolder appends closed tickets to the audit in a folder. One process writes into a folder at a time.
type AuditFolder struct {
	dir    string
	shards map[string]*auditWriter
	added  int
}

// OpenAudit opens the audit in a folder, which is made if it is not there. A line that a crash has cut short is removed: it
// is written again.
func OpenAudit(dir string) (*AuditFolder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	shards, err := auditShards(dir)
	if err != nil {
		return nil, err
	}
	f := &AuditFolder{dir: dir, shards: map[string]*auditWriter{}}
	for _, ss := range shards {
		c, size, err := lastOfChain(dir, ss)
		if err == errTorn {
			err = truncate(dir, c.file, size)
		}
		if err != nil {
			return nil, err
		}
		f.shards[ss] = &auditWriter{dir: dir, chain: c}
	}
	return f, nil
}

// Ends returns where the audit of each shard ends.
func (f *AuditFolder) Ends() AuditEnds {
	ends := AuditEnds{}
	for ss, w := range f.shards {
		ends[ss] = &AuditEnd{ss, w.last.Lineage, w.last.Seq, w.last.At}
	}
	return ends
}

// Add appends a ticket. It is safe once Close returns.
func (f *AuditFolder) Add(e *AuditEntry) error {
	w := f.shards[e.Shard]
	if w == nil {
		w = &auditWriter{dir: f.dir}
		f.shards[e.Shard] = w
	}
	f.added++
	return w.append(e.Shard, &entry{Seq: e.Seq, At: e.At, Time: e.Time, Lineage: e.Lineage, Address: e.Address, Record: e.Record, Bytes: e.Bytes})
}

// Added returns how many tickets were appended.
func (f *AuditFolder) Added() int { return f.added }

// Close makes sure that everything is on the disk, and returns the heads.
func (f *AuditFolder) Close() (heads []AuditHead, err error) {
	for _, ss := range sortedShards(f.shards) {
		w := f.shards[ss]
		err = errors.Join(err, w.close())
		heads = append(heads, AuditHead{ss, w.last.N, w.sum})
	}
	return heads, err
}

func sortedShards(m map[string]*auditWriter) (all []string) {
	for ss := range m {
		all = append(all, ss)
	}
	slices.Sort(all)
	return all
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
	w.joins = false
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
