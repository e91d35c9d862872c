package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
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
	ID      string    `json:"id"`
	Role    Role      `json:"role"`
	Tenant  string    `json:"tenant"`
	Subject string    `json:"subject"` // the person who answers with it or the agent that asks; several keys may have one
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Revoked time.Time `json:"revoked,omitzero"` // zero: it is not
	Used    time.Time `json:"used,omitzero"`    // the last use, give or take KeysOptions.Used; zero: it was never used
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
	Now    func() time.Time // default: time.Now
	Reread time.Duration    // how often changes are looked for that nobody told of; default: 1 s
	Used   time.Duration    // how often the use of a key is written down; default: 1 h
}

// Keys are the keys in a store, and their [Authenticator]. Several processes may
// use one store. All methods may be called from several goroutines.
type Keys struct {
	store hub.Store
	opts  KeysOptions

	mu       sync.RWMutex
	keys     map[string]*record // by id
	position *hub.Position      // all up to there is known
	expires  time.Time          // of the next one that does

	unknown lookups
	recheck chan struct{}
	uses    chan *record

	stop context.CancelFunc
	work sync.WaitGroup
}

// ErrNoKey says that there is no key with that id.
var ErrNoKey = errors.New("auth: no such key")

// ErrKeySpec says that no key can be made as it is asked for.
var ErrKeySpec = errors.New("auth: there can be no such key")

// OpenKeys reads the keys in the store and follows their changes. Close them after
// use.
func OpenKeys(ctx context.Context, store hub.Store, opts *KeysOptions) (*Keys, error) {
	k := &Keys{store: store, keys: map[string]*record{}, recheck: make(chan struct{}, 1), uses: make(chan *record, maxUses)}
	if opts != nil {
		k.opts = *opts
	}
	if k.opts.Now == nil {
		k.opts.Now = time.Now
	}
	k.opts.Reread = cmp.Or(k.opts.Reread, time.Second)
	k.opts.Used = cmp.Or(k.opts.Used, time.Hour)
	k.unknown.init(k.opts.Now)
	if err := k.reread(ctx); err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(context.Background())
	k.stop = stop
	k.work.Go(func() { k.watch(life) })
	k.work.Go(func() { k.follow(life) })
	k.work.Go(func() { k.noteUses(life) })
	return k, nil
}

// Close stops following the store. The keys go on to hold as they are.
func (k *Keys) Close() {
	k.stop()
	k.work.Wait()
}

// newKey makes a key, which nobody has yet.
func newKey(spec KeySpec, now time.Time) (secret string, key Key, err error) {
	if !slices.Contains([]Role{Asker, Answerer, Observer, Admin}, spec.Role) {
		return "", Key{}, fmt.Errorf("%w: it has exactly one role", ErrKeySpec)
	}
	spec.TTL = cmp.Or(spec.TTL, 90*24*time.Hour)
	if err := CheckTTL(spec.TTL); err != nil {
		return "", Key{}, fmt.Errorf("%w: %w", ErrKeySpec, err)
	}
	now = now.UTC().Truncate(time.Second)
	key = Key{
		ID: random(idBytes), Role: spec.Role, Tenant: spec.Tenant, Subject: spec.Subject,
		Created: now, Expires: now.Add(spec.TTL),
	}
	key.Subject = cmp.Or(key.Subject, key.ID)
	for _, s := range []string{key.Tenant, key.Subject} {
		if s == "" || len(s) > maxName || !utf8.ValidString(s) || sayso.SafeLine(s) != s {
			return "", Key{}, fmt.Errorf("%w: it needs a tenant and a subject of at most %d printable bytes", ErrKeySpec, maxName)
		}
	}
	return keyPrefix + key.Role.String() + "_" + key.ID + "_" + random(secretBytes), key, nil
}

// Create makes a key and returns it with what is known about it. It holds in every
// process over the store when Create returns. Nobody can show it again.
func (k *Keys) Create(ctx context.Context, spec KeySpec) (secret string, key Key, err error) {
	now := k.opts.Now()
	secret, key, err = newKey(spec, now)
	if err != nil {
		return "", Key{}, err
	}
	line := newLine(key, sha256.Sum256([]byte(secret)))
	line.Order = now.UnixNano()
	r := line.stored()
	r.Fresh = true
	if r.Revision, err = k.store.Put(ctx, r, 0); err != nil {
		return "", Key{}, fmt.Errorf("auth: storing the key: %w", err)
	}
	k.apply(r)
	return secret, key, nil
}

// List returns all keys, revoked and expired ones too, in the order they were made.
func (k *Keys) List(ctx context.Context) ([]Key, error) {
	if err := k.reread(ctx); err != nil {
		return nil, err
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	all := make([]*record, 0, len(k.keys))
	for _, rec := range k.keys {
		all = append(all, rec)
	}
	slices.SortFunc(all, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.line.Order, b.line.Order), cmp.Compare(a.key.ID, b.key.ID))
	})
	list := make([]Key, len(all))
	for i, rec := range all {
		list[i] = rec.key
	}
	return list, nil
}

// Revoke ends a key, here at once and within a second elsewhere, and returns what is
// known about it. Revoking again changes nothing; [ErrNoKey] says that there is no
// such key.
func (k *Keys) Revoke(ctx context.Context, id string) (Key, error) {
	for {
		r, err := k.store.Get(ctx, hub.KindKey, keyAddress(id))
		if errors.Is(err, hub.ErrNotFound) {
			return Key{}, ErrNoKey
		}
		if err != nil {
			return Key{}, fmt.Errorf("auth: reading the key: %w", err)
		}
		rec, err := parseKey(r)
		if err != nil {
			return Key{}, err
		}
		if rec.key.Revoked.IsZero() {
			line := rec.line
			line.Revoked = k.opts.Now().UTC().Truncate(time.Second)
			next := line.stored()
			next.Revision, err = k.store.Put(ctx, next, r.Revision)
			if errors.Is(err, hub.ErrConflict) {
				continue // it was used meanwhile, or revoked
			}
			if err != nil {
				return Key{}, fmt.Errorf("auth: revoking the key: %w", err)
			}
			r, rec.key.Revoked = next, line.Revoked
		}
		k.apply(r)
		return rec.key, nil
	}
}

// Authenticate takes a key from the Authorization header. An error that is neither
// [ErrNoCredential] nor [ErrCredential] says that nobody can tell now.
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
	if rec == nil { // it may have been made a moment ago
		if rec, err = k.lookup(r.Context(), id); err != nil {
			return nil, err
		}
	}
	if rec == nil {
		rec = &record{} // compared all the same
	}
	same := subtle.ConstantTimeCompare(sum[:], rec.sum[:]) == 1
	now := k.opts.Now()
	if !same || !rec.holds(now) {
		return nil, rec.rejected(same)
	}
	k.used(rec, now)
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

// lookups bounds how often the store is asked for keys that nobody here knows:
// whoever makes up keys must not keep the store busy.
type lookups struct {
	now   func() time.Time
	rate  *rate.Limiter
	mu    sync.Mutex
	known map[string]time.Time // ids that the store has not, until then
}

const (
	lookupRate  = 50 // a second
	lookupBurst = 100
	lookupWait  = time.Second // for its turn
	lookupTime  = 3 * time.Second
	noKeyFor    = 10 * time.Second // that an id is not looked up again
	maxNoKeys   = 10_000
)

func (l *lookups) init(now func() time.Time) {
	l.now, l.rate, l.known = now, rate.NewLimiter(lookupRate, lookupBurst), map[string]time.Time{}
}

// has reports whether the store was asked for the id a moment ago, and has no such key.
func (l *lookups) has(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	until, ok := l.known[id]
	return ok && l.now().Before(until)
}

func (l *lookups) add(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxNoKeys {
		l.known = map[string]time.Time{}
	}
	l.known[id] = l.now().Add(noKeyFor)
}

// lookup reads a key that another process has made. It is nil if there is none, or if
// too many are looked for: then the next change that the store tells of has it.
func (k *Keys) lookup(ctx context.Context, id string) (*record, error) {
	if len(id) != base32Lower.EncodedLen(idBytes) || k.unknown.has(id) {
		return nil, nil
	}
	turn, cancel := context.WithTimeout(ctx, lookupWait)
	err := k.unknown.rate.Wait(turn)
	cancel()
	if err != nil {
		return k.find(id), ctx.Err()
	}
	ctx, cancel = context.WithTimeout(ctx, lookupTime)
	defer cancel()
	r, err := k.store.Get(ctx, hub.KindKey, keyAddress(id))
	switch {
	case errors.Is(err, hub.ErrNotFound):
		k.unknown.add(id)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("auth: reading a key: %w", err)
	}
	k.apply(r)
	return k.find(id), nil
}
