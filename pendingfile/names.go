package pendingfile

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// admit returns the ask as it is stored, or why it cannot be asked through a file.
func (d *Dir) admit(a *sayso.Ask) (*sayso.Ask, error) {
	refuse := func(why string) error {
		return fmt.Errorf("pendingfile: %w: %s", sayso.ErrUnreachable, why)
	}
	switch {
	case len(a.To) > 0:
		return nil, refuse("the ask is to somebody by name, and a file does not know who edits it")
	case a.MinAssurance > sayso.AssuranceLocal:
		return nil, refuse("the ask wants to be sure of the person, and a file does not know who edits it")
	}
	for i := range a.Questions {
		if a.Questions[i].Secret {
			return nil, refuse("a secret must not be kept in a file")
		}
	}
	a = a.Clone()
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		return nil, fmt.Errorf("pendingfile: write: %w", err)
	}
	if a.ID == "" {
		a.ID = contentID(a)
	}
	if a.AskedAt.IsZero() {
		a.AskedAt = d.now()
	}
	a.AskedAt = a.AskedAt.UTC().Round(0)
	return a, nil
}

// ownFile returns the name of the file of an ask that is not in DefaultFile. Only
// lower case, as some systems do not tell the cases apart.
func ownFile(id string) string {
	if !plainID(id) {
		id = "id_" + hashed(id)
	}
	return ownPrefix + id + suffix
}

// ours reports whether a file with this name holds an ask.
func ours(name string) bool {
	id, own := strings.CutPrefix(strings.TrimSuffix(name, suffix), ownPrefix)
	return name == DefaultFile || own && plainID(id) && strings.HasSuffix(name, suffix)
}

func plainID(id string) bool {
	for _, c := range []byte(id) {
		if c != '_' && c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

// contentID names an ask that has no tool call: the same questions in the same
// conversation are the same ask, so that running the program again finds it.
func contentID(a *sayso.Ask) string {
	return "file_" + hashed(a.Origin.Conversation+"\x00"+a.Digest())
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}
