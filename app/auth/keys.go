package auth

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// A key reads sayso_<role>_<id>_<secret>. The secret has 256 bits.
const (
	keyPrefix   = "sayso_"
	idBytes     = 8
	secretBytes = 32
	maxName     = 128
)

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Key is what is known about a key. It is not the key itself, which is shown once.
type Key struct {
	ID      string
	Role    Role
	Tenant  string
	Subject string // the person who answers with it or the agent that asks; several keys may have one
	Created time.Time
	Expires time.Time
	Revoked time.Time // zero: it is not
}

// KeySpec says what key to make.
type KeySpec struct {
	Role    Role          // exactly one
	Tenant  string        // must be set
	Subject string        // default: the id of the key
	TTL     time.Duration // how long it holds, at most [MaxTTL]; default: 90 days
}

// MaxTTL is how long a key may hold: a year, and the day of a leap year.
const MaxTTL = 366 * 24 * time.Hour

// CheckTTL says what is wrong with how long a key is to hold.
func CheckTTL(ttl time.Duration) error {
	if ttl <= 0 || ttl > MaxTTL {
		return fmt.Errorf("a key cannot hold for %s; use more than 0 and at most %.0fh (366 days)", ttl, MaxTTL.Hours())
	}
	return nil
}

// Overlong reports whether the key holds for longer than one that is made today
// can. It was made by an earlier version and goes on to hold.
func (k Key) Overlong() bool { return k.Expires.Sub(k.Created) > MaxTTL }

// KeysOptions are the options of [OpenKeys]. Nil means the defaults.
type KeysOptions struct {
	Now  func() time.Time // default: time.Now
	Poll time.Duration    // how often the file is looked at for changes of other processes; default: 250 ms
}

// Keys is a file of keys, and their [Authenticator]. Several processes may use
// one file. All methods may be called from several goroutines.
type Keys struct {
	path string
	now  func() time.Time

	mu    sync.RWMutex
	keys  map[string]*record // by id
	order []string
	seen  fileID

	stop chan struct{}
	work sync.WaitGroup
}

// ErrNoKey says that there is no key with that id.
var ErrNoKey = errors.New("auth: no such key")

// OpenKeys reads the keys in the file, which need not exist yet, and follows its
// changes. Close them after use.
func OpenKeys(path string, opts *KeysOptions) (*Keys, error) {
	if opts == nil {
		opts = &KeysOptions{}
	}
	k := &Keys{path: path, now: opts.Now, keys: map[string]*record{}, stop: make(chan struct{})}
	if k.now == nil {
		k.now = time.Now
	}
	if err := k.load(); err != nil {
		return nil, err
	}
	k.work.Go(func() { k.follow(cmp.Or(opts.Poll, 250*time.Millisecond)) })
	return k, nil
}

// Close stops following the file. The keys go on to hold as they are.
func (k *Keys) Close() {
	close(k.stop)
	k.work.Wait()
}

// Create makes a key and returns it with what is known about it. Nobody can
// show it again.
func (k *Keys) Create(spec KeySpec) (secret string, key Key, err error) {
	if !slices.Contains([]Role{Asker, Answerer, Observer, Admin}, spec.Role) {
		return "", Key{}, errors.New("auth: a key has exactly one role")
	}
	spec.TTL = cmp.Or(spec.TTL, 90*24*time.Hour)
	if err := CheckTTL(spec.TTL); err != nil {
		return "", Key{}, fmt.Errorf("auth: %w", err)
	}
	now := k.now().UTC().Truncate(time.Second)
	key = Key{
		ID: random(idBytes), Role: spec.Role, Tenant: spec.Tenant, Subject: spec.Subject,
		Created: now, Expires: now.Add(spec.TTL),
	}
	key.Subject = cmp.Or(key.Subject, key.ID)
	for _, s := range []string{key.Tenant, key.Subject} {
		if s == "" || len(s) > maxName || !utf8.ValidString(s) || sayso.SafeLine(s) != s {
			return "", Key{}, fmt.Errorf("auth: a key needs a tenant and a subject of at most %d printable bytes", maxName)
		}
	}
	secret = keyPrefix + key.Role.String() + "_" + key.ID + "_" + random(secretBytes)
	sum := sha256.Sum256([]byte(secret))
	err = k.change(func(f *keyFile) error {
		f.Keys = append(f.Keys, keyLine{
			ID: key.ID, Role: key.Role.String(), Tenant: key.Tenant, Subject: key.Subject,
			SHA256: hex.EncodeToString(sum[:]), Created: key.Created, Expires: key.Expires,
		})
		return nil
	})
	if err != nil {
		return "", Key{}, err
	}
	return secret, key, nil
}

// List returns all keys, revoked and expired ones too, in the order they were made.
func (k *Keys) List() []Key {
	k.mu.RLock()
	defer k.mu.RUnlock()
	list := make([]Key, 0, len(k.order))
	for _, id := range k.order {
		list = append(list, k.keys[id].key)
	}
	return list
}

// Revoke ends a key, here at once and within a second elsewhere. Revoking again
// changes nothing; [ErrNoKey] says that there is no such key.
func (k *Keys) Revoke(id string) error {
	return k.change(func(f *keyFile) error {
		for i := range f.Keys {
			if f.Keys[i].ID != id {
				continue
			}
			if f.Keys[i].Revoked.IsZero() {
				f.Keys[i].Revoked = k.now().UTC().Truncate(time.Second)
			}
			return nil
		}
		return ErrNoKey
	})
}

// Authenticate takes a key from the Authorization header.
func (k *Keys) Authenticate(r *http.Request) (*Principal, error) {
	token, err := bearer(r)
	if err != nil {
		return nil, err
	}
	id, ok := keyID(token)
	if !ok {
		return nil, ErrNoCredential // some other authenticator's
	}
	sum := sha256.Sum256([]byte(token))
	rec := k.find(id)
	if rec == nil {
		k.refresh() // it may have been made a moment ago
		rec = k.find(id)
	}
	if rec == nil {
		rec = &record{} // compared all the same
	}
	same := subtle.ConstantTimeCompare(sum[:], rec.sum[:]) == 1
	if !same || !rec.holds(k.now()) {
		return nil, rec.rejected(same)
	}
	return &Principal{
		Tenant: rec.key.Tenant, ID: rec.key.Subject, Role: rec.key.Role, Key: rec.key.ID,
		Assurance: sayso.AssuranceKey, life: rec.life,
	}, nil
}

func (k *Keys) find(id string) *record {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.keys[id]
}

// keyID returns the id in a token that has the form of a key.
func keyID(token string) (string, bool) {
	rest, ok := strings.CutPrefix(token, keyPrefix)
	parts := strings.Split(rest, "_")
	if !ok || len(parts) != 3 {
		return "", false
	}
	_, err := ParseRole(parts[0])
	return parts[1], err == nil
}

// holds reports whether the key may be used at that time.
func (rec *record) holds(now time.Time) bool {
	return rec.life != nil && rec.life.Err() == nil && now.Before(rec.key.Expires)
}

// rejected says why the key does not hold: the one that was shown is the same, or
// only has its id.
func (rec *record) rejected(same bool) error {
	e := &RejectedError{Why: "secret", Tenant: rec.key.Tenant, Key: rec.key.ID, Role: rec.key.Role}
	switch {
	case e.Key == "":
		return ErrCredential
	case same && !rec.key.Revoked.IsZero():
		e.Why = "revoked"
	case same:
		e.Why = "expired"
	}
	return e
}
