package auth

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
)

func openKeys(t testing.TB, path string, opts *KeysOptions) *Keys {
	t.Helper()
	k, err := OpenKeys(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
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
	path := filepath.Join(t.TempDir(), "state", "keys.json")
	k := openKeys(t, path, nil)
	secret, key, err := k.Create(KeySpec{Role: Answerer, Tenant: "acme", Subject: "ada"})
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
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), secret[len(secret)-52:]) {
		t.Error("the file holds the key")
	}
	if runtime.GOOS != "windows" {
		filepath.WalkDir(filepath.Dir(path), func(name string, d fs.DirEntry, _ error) error {
			info, err := d.Info()
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %v", name, info.Mode())
			}
			return nil
		})
	}
	again := openKeys(t, path, nil)
	if _, err := again.Authenticate(with(secret)); err != nil {
		t.Error("the key does not survive:", err)
	}
	if err := k.Revoke(key.ID); err != nil {
		t.Fatal(err)
	}
	if err := k.Revoke(key.ID); err != nil {
		t.Error("revoking again:", err)
	}
	if _, err := k.Authenticate(with(secret)); !errors.Is(err, ErrCredential) {
		t.Error("the key holds although it is revoked:", err)
	}
	if list := k.List(); len(list) != 1 || list[0].Revoked.IsZero() || list[0].ID != key.ID {
		t.Errorf("%+v", list)
	}
	if err := k.Revoke("nobody"); !errors.Is(err, ErrNoKey) {
		t.Error(err)
	}
}

// A change by one process reaches another within a second, and ends what was
// begun with the key.
func TestKeysRevokedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "keys.json")
		server, cli := openKeys(t, path, nil), openKeys(t, path, nil)
		secret, key, err := cli.Create(KeySpec{Role: Asker, Tenant: "acme"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		p, err := server.Authenticate(with(secret))
		if err != nil {
			t.Fatal("the key is not known after a second:", err)
		}
		if p.ID != key.ID {
			t.Errorf("a key without a subject is %q", p.ID)
		}
		ctx, cancel := p.Bind(t.Context())
		defer cancel()
		if err := cli.Revoke(key.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !errors.Is(context.Cause(ctx), ErrCredential) {
			t.Error("what was begun goes on after a second:", context.Cause(ctx))
		}
		if _, err := server.Authenticate(with(secret)); !errors.Is(err, ErrCredential) {
			t.Error(err)
		}
	})
}

// TestKeysMadeElsewhere: a key works as soon as another process has made it, however
// seldom the file is looked at.
func TestKeysMadeElsewhere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	hub := openKeys(t, path, &KeysOptions{Poll: time.Hour})
	command := openKeys(t, path, nil)
	for range 2 { // the file is new, and then changed
		secret, key, err := command.Create(KeySpec{Role: Asker, Tenant: "acme", Subject: "ci"})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := hub.Authenticate(with(secret)); err != nil || p.Key != key.ID {
			t.Errorf("%+v, %v", p, err)
		}
	}
	if _, err := hub.Authenticate(with("sayso_asker_aaaaaaaaaaaaa_b")); !errors.Is(err, ErrCredential) {
		t.Errorf("a key that nobody made: %v", err)
	}
}

func TestKeysExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := openKeys(t, filepath.Join(t.TempDir(), "keys.json"), nil)
		secret, _, err := k.Create(KeySpec{Role: Observer, Tenant: "acme", TTL: time.Hour})
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
	k := openKeys(t, filepath.Join(t.TempDir(), "keys.json"), nil)
	secret, _, err := k.Create(KeySpec{Role: Asker, Tenant: "acme", Subject: "bot"})
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
		if _, _, err := k.Create(spec); err == nil {
			t.Errorf("a key with %s was made", name)
		}
	}
}

// Keys that others could read are not used.
func TestKeysFileIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs file modes, which Windows has not: the access list of the folder holds")
	}
	path := filepath.Join(t.TempDir(), "keys.json")
	k := openKeys(t, path, nil)
	if _, _, err := k.Create(KeySpec{Role: Asker, Tenant: "acme"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKeys(path, nil); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
	for _, text := range []string{"", "{}", `{"version":2}`, `{"version":1,"keys":[{"id":"x","role":"god"}]}`, `{"version":1,"keys":[{"id":"x","role":"asker","sha256":"00"}]}`} {
		bad := filepath.Join(t.TempDir(), "keys.json")
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenKeys(bad, nil); err == nil {
			t.Errorf("%q is read as keys", text)
		}
	}
}

// Several processes may change the file at once; none loses the other's change.
func TestKeysTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	var work sync.WaitGroup
	for range 4 {
		k := openKeys(t, path, nil)
		work.Go(func() {
			for range 5 {
				if _, _, err := k.Create(KeySpec{Role: Asker, Tenant: "acme"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if n := len(openKeys(t, path, nil).List()); n != 20 {
		t.Errorf("%d keys, want 20", n)
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
