package storecheck

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Accepted says what a person accepted. It is written to guard/accepted as JSON, with these names.
type Accepted struct {
	At         time.Time `json:"at"`
	Damage     []Damage  `json:"damage"`
	Quarantine string    `json:"quarantine"` // the folder that holds every file as it was
}

// Accept makes a damaged store one that can be served, at the price of what is lost: blocks keep every record that can be
// read, files that cannot be trusted go to a quarantine beside the store, and no sequence is ever given out twice. What was
// accepted is kept in guard/accepted. It returns nil when there is nothing to accept.
func (g *Guard) Accept(ctx context.Context) (*Accepted, error) {
	_, err := g.Check(ctx)
	var found *DamagedError
	if !errors.As(err, &found) {
		return nil, err
	}
	at := time.Now().UTC()
	stamp := at.Format("20060102T150405.000000000Z")
	a := &acceptance{Guard: g, quarantine: filepath.Join(g.dir, "quarantine", stamp)}
	if err := os.MkdirAll(a.quarantine, 0o700); err != nil {
		return nil, err
	}
	if err := g.Begin(); err != nil { // whatever happens now, the next start checks the long way
		return nil, err
	}
	all, err := folders(g.root)
	if err != nil {
		return nil, err
	}
	for _, d := range found.Damage {
		i := slices.IndexFunc(all, func(f folder) bool { return f.id == d.Stream })
		var f *folder
		if i >= 0 {
			f = &all[i]
		}
		if err := a.one(ctx, f, &d); err != nil {
			return nil, fmt.Errorf("accept that %s: %w", d.String(), err)
		}
	}
	done := &Accepted{At: at, Damage: found.Damage, Quarantine: a.quarantine}
	if err := g.record(done, stamp); err != nil {
		return nil, err
	}
	if _, err := g.Check(ctx); err != nil {
		return nil, fmt.Errorf("after the loss was accepted: %w", err)
	}
	return done, nil
}

type acceptance struct {
	*Guard
	quarantine string
}

// one deals with one damage; f is nil when the stream has no folder.
func (a *acceptance) one(ctx context.Context, f *folder, d *Damage) error {
	if f == nil {
		return a.marks.forget(d.Stream)
	}
	if err := f.drop(append(unsummed, indexFile)...); err != nil {
		return err
	}
	switch d.What {
	case unreadable:
		if err := a.salvage(f); err != nil {
			return err
		}
	case foreign, badPosition:
		return a.move(filepath.Join(a.root, filepath.FromSlash(d.File)))
	case lostFile:
		if path := filepath.Join(a.root, filepath.FromSlash(d.File)); filepath.Base(path) == positionFile {
			return a.move(path) // the consumer begins anew
		}
	case badDescription:
		if err := a.describeAnew(f); err != nil {
			return err
		}
	case noMark:
		return a.marks.forget(d.Stream)
	}
	return a.settle(ctx, f)
}

// salvage rewrites every block of the stream that has unreadable parts, without them.
func (a *acceptance) salvage(f *folder) error {
	indexes, err := f.blocks()
	if err != nil {
		return err
	}
	for _, i := range indexes {
		buf, err := readFile(f.blockPath(i), nil)
		if err != nil {
			return err
		}
		b := readBlock(f.name, i, buf, maphash.MakeSeed(), false)
		if len(b.unreadable) == 0 {
			continue
		}
		good, from := make([]byte, 0, len(buf)), 0
		for _, s := range b.unreadable {
			good = append(good, buf[from:s.from]...)
			from = s.to
		}
		good = append(good, buf[from:]...)
		if err := a.move(f.blockPath(i)); err != nil {
			return err
		}
		if err := writeFile(f.blockPath(i), good); err != nil {
			return err
		}
	}
	return nil
}

// describeAnew trusts a description that can still be parsed; else the stream goes to quarantine.
func (a *acceptance) describeAnew(f *folder) error {
	path := filepath.Join(f.path, metaFile)
	b, err := os.ReadFile(path)
	var c config
	if err != nil || json.Unmarshal(b, &c) != nil || c.Name != f.name {
		return errors.Join(a.move(f.path), a.marks.forget(f.id))
	}
	h := keyedHash(f.name)
	h.Write(b)
	return writeFile(filepath.Join(f.path, metaSumFile), []byte(hex.EncodeToString(h.Sum(nil))))
}

// settle makes the stream go on behind its mark, so that no sequence is given out twice, and forgets the accounting. What
// other nodes have too goes on where it ends: the node gets the rest from them.
func (a *acceptance) settle(ctx context.Context, f *folder) error {
	was, known := a.marks.get(f.id)
	if !known {
		return nil
	}
	blocks, err := f.read(ctx, maphash.MakeSeed(), false)
	if err != nil {
		return err
	}
	c, err := f.describe()
	shared := err == nil && c.Replicas > 1
	if lastSequence(blocks) < was.mark && !shared {
		next, when := uint32(1), time.Now().UnixNano()
		if n := len(blocks); n > 0 {
			next = blocks[n-1].index + 1
		}
		if err := os.MkdirAll(filepath.Join(f.path, blocksDir), 0o700); err != nil {
			return err
		}
		if err := writeFile(f.blockPath(next), appendTombstone(nil, was.mark, when, blockHash(f.name, next))); err != nil {
			return err
		}
	}
	return a.marks.update(f.id, func(s *State) bool {
		*s = State{Created: s.Created, mark: s.mark}
		return true
	})
}

// move puts a file or folder into the quarantine, at the place it had in the store.
func (a *acceptance) move(path string) error {
	rel, err := filepath.Rel(a.dir, path)
	if err != nil {
		return err
	}
	to := filepath.Join(a.quarantine, rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Rename(path, to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// record keeps what was accepted.
func (g *Guard) record(a *Accepted, stamp string) error {
	b, err := json.MarshalIndent(a, "", "\t")
	if err != nil {
		return err
	}
	dir := filepath.Join(g.dir, "guard", "accepted")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, stamp+".json"), b)
}
