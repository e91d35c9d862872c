package auth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func openKeys(t testing.TB, store hub.Store, opts *KeysOptions) *Keys {
	t.Helper()
	k, err := OpenKeys(t.Context(), store, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

func listed(t testing.TB, k interface {
	List(context.Context) ([]Key, error)
}) []Key {
	t.Helper()
	list, err := k.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func with(token string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func TestKeys(t *testing.T) {
	t.Parallel()
	store := hub.NewMemory(nil)
	k := openKeys(t, store, nil)
	secret, key, err := k.Create(t.Context(), KeySpec{Role: Answerer, Tenant: "acme", Subject: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^sayso_answerer_[a-z2-7]{13}_[a-z2-7]{52}$`).MatchString(secret) {
		t.Errorf("the key is %s", secret)
	}
	if d := key.Expires.Sub(key.Created); d != 90*24*time.Hour {
		t.Errorf("it holds for %v", d)
	}
	p, err := k.Authenticate(with(secret))
	if err != nil {
		t.Fatal(err)
	}
	if p.Tenant != "acme" || p.ID != "ada" || p.Role != Answerer || p.Key != key.ID || p.Assurance != sayso.AssuranceKey {
		t.Errorf("%+v", p)
	}
	r, err := store.Get(t.Context(), hub.KindKey, keyAddress(key.ID))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(r.Data), secret[len(secret)-52:]) {
		t.Error("the store holds the key")
	}
	again := openKeys(t, store, nil)
	if _, err := again.Authenticate(with(secret)); err != nil {
		t.Error("the key does not survive:", err)
	}
	for i := range 2 { // again changes nothing
		was, err := k.Revoke(t.Context(), key.ID)
		if err != nil || was.ID != key.ID || was.Revoked.IsZero() {
			t.Errorf("revoking, time %d: %+v, %v", i, was, err)
		}
	}
	if _, err := k.Authenticate(with(secret)); !errors.Is(err, ErrCredential) {
		t.Error("the key holds although it is revoked:", err)
	}
	if list := listed(t, k); len(list) != 1 || list[0].Revoked.IsZero() || list[0].ID != key.ID {
		t.Errorf("%+v", list)
	}
	if _, err := k.Revoke(t.Context(), "nobody"); !errors.Is(err, ErrNoKey) {
		t.Error(err)
	}
}

// A change by one process reaches another within a second, and ends what was
// begun with the key.
func TestKeysRevokedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		server, other := openKeys(t, store, nil), openKeys(t, store, nil)
		secret, key, err := other.Create(t.Context(), KeySpec{Role: Asker, Tenant: "acme"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := server.Authenticate(with(secret))
		if err != nil {
			t.Fatal("the key is not known elsewhere when it is made:", err)
		}
		if p.ID != key.ID {
			t.Errorf("a key without a subject is %q", p.ID)
		}
		ctx, cancel := p.Bind(t.Context())
		defer cancel()
		if _, err := other.Revoke(t.Context(), key.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !errors.Is(context.Cause(ctx), ErrCredential) {
			t.Error("what was begun goes on:", context.Cause(ctx))
		}
		if _, err := server.Authenticate(with(secret)); !errors.Is(err, ErrCredential) {
			t.Error(err)
		}
	})
}

// deaf is a store that tells nobody of changes.
type deaf struct{ hub.Store }

func (d deaf) Watch(ctx context.Context, _ hub.Query, ready func(), _ func(hub.Record)) error {
	ready()
	<-ctx.Done()
	return ctx.Err()
}

// TestKeysUntold: also if the store tells of no change, a key holds when it is made
// and ends within a second after it was revoked.
func TestKeysUntold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		server, other := openKeys(t, deaf{store}, nil), openKeys(t, store, nil)
		for range 2 {
			secret, key, err := other.Create(t.Context(), KeySpec{Role: Asker, Tenant: "acme", Subject: "ci"})
			if err != nil {
				t.Fatal(err)
			}
			p, err := server.Authenticate(with(secret))
			if err != nil || p.Key != key.ID {
				t.Fatalf("%+v, %v", p, err)
			}
			ctx, cancel := p.Bind(t.Context())
			defer cancel()
			if _, err := other.Revoke(t.Context(), key.ID); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if !errors.Is(context.Cause(ctx), ErrCredential) {
				t.Error("what was begun goes on after a second:", context.Cause(ctx))
			}
			if _, err := server.Authenticate(with(secret)); !errors.Is(err, ErrCredential) {
				t.Error("the revoked key holds after a second:", err)
			}
		}
	})
}

// counting counts what is asked of a store.
type counting struct {
	hub.Store
	gets, puts atomic.Int64
	broken     atomic.Bool
}

func (c *counting) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	c.gets.Add(1)
	if c.broken.Load() {
		return hub.Record{}, hub.ErrUndecided
	}
	return c.Store.Get(ctx, kind, addr)
}

func (c *counting) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	c.puts.Add(1)
	if c.broken.Load() {
		return 0, hub.ErrUndecided
	}
	return c.Store.Put(ctx, r, expect)
}

// TestKeysMadeUp: whoever makes up keys does not keep the store busy, and is refused.
func TestKeysMadeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &counting{Store: hub.NewMemory(nil)}
		k := openKeys(t, store, nil)
		try := func(id string) {
			if _, err := k.Authenticate(with("sayso_asker_" + id + "_b")); !errors.Is(err, ErrCredential) {
				t.Errorf("a key that nobody made: %v", err)
			}
		}
		for range 50 {
			try("aaaaaaaaaaaaa")
			try("short")
		}
		if n := store.gets.Load(); n != 1 {
			t.Errorf("the store was asked %d times for one id, want 1", n)
		}
		before, start := store.gets.Load(), time.Now()
		var work sync.WaitGroup
		for range 20 {
			work.Go(func() {
				for range 100 {
					try(random(idBytes))
				}
			})
		}
		work.Wait()
		asked, took := store.gets.Load()-before, time.Since(start)
		if most := int64(lookupBurst + lookupRate*took.Seconds() + 1); asked > most || asked < lookupBurst {
			t.Errorf("the store was asked for 2000 made-up ids %d times in %v, want %d to %d", asked, took, lookupBurst, most)
		}
		// The store cannot say: the key is not refused.
		store.broken.Store(true)
		time.Sleep(10 * time.Second)
		if _, err := k.Authenticate(with("sayso_asker_" + random(idBytes) + "_b")); errors.Is(err, ErrCredential) || !errors.Is(err, hub.ErrUndecided) {
			t.Errorf("the store cannot be read: %v", err)
		}
	})
}

// TestKeysUsed: the last use is written, by whichever process, and not at every use.
func TestKeysUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &counting{Store: hub.NewMemory(nil)}
		one, two := openKeys(t, store, nil), openKeys(t, store, nil)
		secret, key, err := one.Create(t.Context(), KeySpec{Role: Asker, Tenant: "acme"})
		if err != nil {
			t.Fatal(err)
		}
		if list := listed(t, two); !list[0].Used.IsZero() {
			t.Errorf("used at %v, and nobody has", list[0].Used)
		}
		use := func(k *Keys) *Principal {
			t.Helper()
			p, err := k.Authenticate(with(secret))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return p
		}
		before := store.puts.Load()
		ctx, cancel := use(one).Bind(t.Context())
		defer cancel()
		first := time.Now().UTC()
		for range 100 {
			time.Sleep(30 * time.Second)
			use(one)
			use(two)
		}
		if n := store.puts.Load() - before; n != 1 {
			t.Errorf("%d writes for 50 minutes of use, want 1", n)
		}
		if list := listed(t, two); !list[0].Used.Equal(first) {
			t.Errorf("used at %v, want %v", list[0].Used, first)
		}
		time.Sleep(time.Hour)
		store.broken.Store(true)
		use(two) // is let in all the same
		time.Sleep(2 * time.Second)
		store.broken.Store(false)
		use(two)
		if list := listed(t, one); !list[0].Used.Equal(time.Now().UTC()) {
			t.Errorf("used at %v, want %v", list[0].Used, time.Now().UTC())
		}
		if ctx.Err() != nil {
			t.Error("writing the use ended what was begun")
		}
		_, err = one.Revoke(t.Context(), key.ID)
		if synctest.Wait(); err != nil || ctx.Err() == nil {
			t.Errorf("revoked: %v, and what was begun goes on: %v", err, ctx.Err() == nil)
		}
	})
}

func TestKeysExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := openKeys(t, hub.NewMemory(nil), nil)
		secret, _, err := k.Create(t.Context(), KeySpec{Role: Observer, Tenant: "acme", TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		p, err := k.Authenticate(with(secret))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := p.Bind(t.Context())
		defer cancel()
		time.Sleep(time.Hour - time.Second)
		if _, err := k.Authenticate(with(secret)); err != nil {
			t.Error("it ends too early:", err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, err := k.Authenticate(with(secret)); !errors.Is(err, ErrCredential) {
			t.Error("it holds for too long:", err)
		}
		if ctx.Err() == nil {
			t.Error("what was begun goes on")
		}
	})
}

func TestKeysRefuse(t *testing.T) {
	t.Parallel()
	k := openKeys(t, hub.NewMemory(nil), nil)
	secret, _, err := k.Create(t.Context(), KeySpec{Role: Asker, Tenant: "acme", Subject: "bot"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		header []string
		want   error
	}{
		"nothing":              {nil, ErrNoCredential},
		"another's token":      {[]string{"Bearer ghp_123"}, ErrNoCredential},
		"another role":         {[]string{"Bearer " + strings.Replace(secret, "asker", "answerer", 1)}, ErrCredential},
		"another secret":       {[]string{"Bearer " + secret[:len(secret)-1] + "!"}, ErrCredential},
		"in capitals":          {[]string{"Bearer " + strings.ToUpper(secret)}, ErrNoCredential},
		"cut short":            {[]string{"Bearer " + secret[:len(secret)-1]}, ErrCredential},
		"nothing behind it":    {[]string{"Bearer "}, ErrCredential},
		"another scheme":       {[]string{"Basic " + secret}, ErrCredential},
		"two of them":          {[]string{"Bearer " + secret, "Bearer " + secret}, ErrCredential},
		"two, one of them bad": {[]string{"Bearer x", "Bearer " + secret}, ErrCredential},
	} {
		r := with("")
		if c.header != nil {
			r.Header["Authorization"] = c.header
		}
		if _, err := k.Authenticate(r); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, spec := range map[string]KeySpec{
		"no role":          {Tenant: "acme"},
		"two roles":        {Role: Asker | Answerer, Tenant: "acme"},
		"every role":       {Role: Everything, Tenant: "acme"},
		"no tenant":        {Role: Asker},
		"a hostile name":   {Role: Asker, Tenant: "acme", Subject: "ada\x1b[2J"},
		"a name too long":  {Role: Asker, Tenant: "acme", Subject: strings.Repeat("x", 129)},
		"an inverted name": {Role: Asker, Tenant: "acme", Subject: "ada\u202e"},
	} {
		if _, _, err := k.Create(t.Context(), spec); err == nil {
			t.Errorf("a key with %s was made", name)
		}
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	for _, name := range roleNames {
		r, err := ParseRole(name)
		if err != nil || r.String() != name || !r.Is(Everything) || r.Is(Everything&^r) {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
	if _, err := ParseRole("god"); err == nil {
		t.Error("there is a god")
	}
	if s := Everything.String(); s != "asker+answerer+observer+admin" {
		t.Error(s)
	}
}
