package localhub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// Harm is what it means for people that a record cannot be read, or is gone.
type Harm struct {
	Stream   string `json:"stream"`
	Revision uint64 `json:"revision,omitzero"` // of the record, or of the first of several
	Records  uint64 `json:"records,omitzero"`  // how many; zero: cannot be told
	ID       string `json:"id,omitempty"`      // of the question; empty: it is none, or cannot be told
	Lost     bool   `json:"lost"`              // the question can no longer be read
	Unknown  bool   `json:"unknown,omitzero"`  // nobody can tell what is lost
	Text     string `json:"text"`              // in words
}

// Harms says what [Places.Accept] would cost, record by record. It changes nothing. A store that a process serves is an error
// for which [IsServed] is true.
func (p Places) Harms(ctx context.Context) ([]Harm, error) { return harms(ctx, p.engine()) }

// harms is Harms of the store in a folder.
func harms(ctx context.Context, dir string) (all []Harm, err error) {
	losses, err := natsserver.Losses(ctx, dir)
	for _, l := range losses {
		all = append(all, harm(&l))
	}
	return all, err
}

func harm(l *natsserver.Loss) Harm {
	h := Harm{Stream: l.Stream, Revision: l.Seq, Records: l.Records}
	what, addr, ok := natsstore.Filed(l.Subject)
	switch {
	case l.Removal:
		h.Text = "a removed record may come back"
		return h
	case !ok && strings.Count(l.Subject, ".") == 3 && strings.Contains(l.Subject, "._."):
		h.Text = "a mark of the storage itself is gone, and is made again"
		return h
	case !ok:
		h.Unknown = true
		h.Text = l.Why.String() + "; which records these are cannot be told"
		return h
	case l.Gone:
		h.Text = fmt.Sprintf("nothing is lost: an older version of %s", named(what, addr))
		return h
	}
	if what == natsstore.FiledTicket || what == natsstore.FiledClosed {
		h.ID = addr.ID
	}
	h.Text, h.Lost = cost(l, what, addr)
	if !l.Sure {
		h.Text += "; the record is read as far as it can be, so its id may be another"
	}
	return h
}

// cost says what is lost with a live record.
func cost(l *natsserver.Loss, what natsstore.Filing, addr hub.Address) (text string, lost bool) {
	name := named(what, addr)
	switch what {
	case natsstore.FiledTicket:
		for _, c := range l.Copies {
			if settled(&c) {
				return name + " stays: it is read from the archive, where lists find it 15 minutes after it was delivered", false
			}
		}
		if l.Back > 0 {
			return name + " goes back to how it was before its last change", false
		}
		return name + " is lost", true
	case natsstore.FiledClosed:
		for _, c := range l.Copies {
			if strings.HasPrefix(c.Stream, "ASK") {
				return name + " stays; an audit that has not been exported yet misses it", false
			}
		}
		return name + " is lost, and missing in an audit that has not been exported yet", true
	case natsstore.FiledDue:
		return name + " no longer ends at its deadline", false
	case natsstore.FiledSession:
		return "a browser of " + person(addr) + " is signed out", false
	case natsstore.FiledUsage:
		return "what a key has used counts from zero", false
	case natsstore.FiledKey:
		return "key " + addr.ID + " is gone: create another", false
	case natsstore.FiledSecret:
		return "a secret of the hub is gone and is made anew: handles or sessions from before it are unknown", false
	}
	return name + " is gone", false
}

// settled reports whether a question can be read from this copy alone.
func settled(c interface{ Header(string) string }) bool {
	return c.Header(natsstore.HeadState) == natsstore.StateSettled && c.Header(natsstore.HeadOrigin) != ""
}

func named(what natsstore.Filing, addr hub.Address) string {
	switch what {
	case natsstore.FiledTicket, natsstore.FiledDue:
		return "question " + addr.ID
	case natsstore.FiledClosed:
		return "closed question " + addr.ID
	case natsstore.FiledDraft:
		return fmt.Sprintf("what %s typed for question %s", person(addr), addr.ID)
	}
	return string(what) + " " + addr.ID
}

func person(addr hub.Address) string {
	if addr.Person == "" {
		return "somebody"
	}
	return addr.Person
}

// Accept makes a damaged store one that a hub can serve, without what [Places.Harms] says. It returns the folder with the
// damaged files as they were, empty if nothing was damaged.
func (p Places) Accept(ctx context.Context) (quarantine string, err error) {
	done, err := natsserver.Accept(ctx, p.engine())
	if err != nil || done == nil {
		return "", err
	}
	return done.Quarantine, nil
}

// Checked is what [Check] found in a folder.
type Checked struct {
	Backup  *natsstore.BackupReport // of a backup; nil: it is the folder of a hub
	Records uint64                  // of a hub: that were read
	Bytes   int64                   // of a hub: that were read
	Notes   []string                // what a person may want to know
	Damage  []string                // what is wrong, if anything is
	Harms   []Harm                  // of a hub: what that means
}

// ErrNoData says that a folder is neither a backup nor that of a hub.
var ErrNoData = errors.New("neither a backup nor the state folder of a hub")

// Check reads a backup, or the state folder of a hub that does not run, to its end. It changes nothing in them.
func Check(ctx context.Context, dir string) (*Checked, error) {
	switch kindOf(dir) {
	case "backup":
		report, err := natsstore.CheckBackup(natsstore.BackupFolder(dir))
		c := &Checked{Backup: report}
		if err != nil {
			c.Damage = strings.Split(err.Error(), "\n")
		}
		return c, nil
	case "state":
		return checkEngine(ctx, Places{State: dir}.engine())
	case "engine":
		return checkEngine(ctx, dir)
	}
	return nil, ErrNoData
}

func kindOf(dir string) string {
	for _, k := range []struct{ file, kind string }{{"manifest.json", "backup"}, {"engine", "state"}, {"jetstream", "engine"}} {
		if _, err := os.Stat(dir + string(os.PathSeparator) + k.file); err == nil {
			return k.kind
		}
	}
	if all, err := os.ReadDir(dir); err == nil {
		for _, f := range all {
			if strings.HasSuffix(f.Name(), ".snapshot") {
				return "backup" // without its manifest
			}
		}
	}
	return ""
}

func checkEngine(ctx context.Context, dir string) (*Checked, error) {
	found, err := natsserver.Look(ctx, dir, "")
	c := &Checked{Records: found.Records, Bytes: found.Bytes, Notes: found.Notes}
	var damaged *natsserver.DamagedError
	if !errors.As(err, &damaged) {
		return c, err
	}
	for i := range damaged.Damage {
		c.Damage = append(c.Damage, damaged.Damage[i].String())
	}
	c.Harms, err = harms(ctx, dir)
	return c, err
}
