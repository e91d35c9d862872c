package localhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
)

// keysPath is where the person's own programs see to the keys. It is not part of
// the API: only the same user reaches it, through the socket.
const keysPath = "/local/keys"

// openKeys opens the keys in the store, after it has taken over those that were made
// before the hub ran.
func openKeys(ctx context.Context, p Places, e *Engine, log *slog.Logger) (*auth.Keys, error) {
	n, err := (&auth.KeyFile{Path: p.Keys()}).Import(ctx, e.Store)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		log.Info("the storage has the keys of the file", "keys", n, "renamed", p.Keys()+auth.Imported)
	}
	return auth.OpenKeys(ctx, e.Store, nil)
}

// keysControl sees to the keys for the person's own programs.
type keysControl struct {
	peers    *auth.Peers
	keys     *auth.Keys
	security *securitylog.Log
}

// newKey is what a program asks for.
type newKey struct {
	Role    auth.Role     `json:"role"`
	Tenant  string        `json:"tenant"`
	Subject string        `json:"subject,omitempty"`
	TTL     time.Duration `json:"ttl,omitempty"`
}

// madeKey is what it gets, once.
type madeKey struct {
	auth.Key
	Secret string `json:"key"`
}

// beside serves the person's own programs, and lets everybody else through.
func (c *keysControl) beside(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+keysPath, c.list)
	mux.HandleFunc("POST "+keysPath, c.create)
	mux.HandleFunc("DELETE "+keysPath+"/{id}", c.revoke)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != keysPath && !strings.HasPrefix(r.URL.Path, keysPath+"/") {
			next.ServeHTTP(w, r)
			return
		}
		if _, err := c.peers.Authenticate(r); err != nil {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

func (c *keysControl) list(w http.ResponseWriter, r *http.Request) {
	list, err := c.keys.List(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	json.NewEncoder(w).Encode(list)
}

func (c *keysControl) create(w http.ResponseWriter, r *http.Request) {
	var want newKey
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10)).Decode(&want); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	secret, key, err := c.keys.Create(r.Context(), auth.KeySpec(want))
	if err != nil {
		status := http.StatusServiceUnavailable
		if errors.Is(err, auth.ErrKeySpec) {
			status = http.StatusBadRequest
		}
		http.Error(w, err.Error(), status)
		return
	}
	c.note(securitylog.KeyCreated, key)
	json.NewEncoder(w).Encode(madeKey{key, secret})
}

func (c *keysControl) revoke(w http.ResponseWriter, r *http.Request) {
	key, err := c.keys.Revoke(r.Context(), r.PathValue("id"))
	switch {
	case errors.Is(err, auth.ErrNoKey):
		http.Error(w, err.Error(), http.StatusGone) // not 404, which an older hub answers
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		c.note(securitylog.KeyRevoked, key)
		json.NewEncoder(w).Encode(key)
	}
}

func (c *keysControl) note(what securitylog.Name, key auth.Key) {
	c.security.Note(securitylog.Event{Name: what, Tenant: key.Tenant, Key: key.ID, Role: key.Role.String()})
}

// KeyStore is where keys are made: the hub, or a file while there is none.
type KeyStore interface {
	Create(context.Context, auth.KeySpec) (secret string, key auth.Key, err error)
	List(context.Context) ([]auth.Key, error)
	Revoke(ctx context.Context, id string) (auth.Key, error)
}

// Keys calls do with the keys of the hub, which is started where it does not run. In
// a folder that never had a hub they are in a file that its first one takes over:
// only who starts that knows what kind it is to be. offline says which it was.
func (s *Starter) Keys(ctx context.Context, do func(keys KeyStore, offline bool) error) error {
	began, err := s.Places.began()
	if err != nil {
		return err
	}
	if began {
		return do(hubKeys{s}, false)
	}
	if err := private(s.Places.State); err != nil {
		return err
	}
	// No hub starts while the file is in use.
	f, err := lock(ctx, s.Places.hubLock(), func() bool { return true })
	switch {
	case errors.Is(err, errNotNeeded):
		return do(hubKeys{s}, false)
	case err != nil && !errors.Is(err, errNoLocalHub):
		return err
	case err == nil:
		defer f.Close()
	}
	return do(&auth.KeyFile{Path: s.Places.Keys()}, true)
}

// began reports whether a hub has served the folder before.
func (p Places) began() (bool, error) {
	for _, name := range []string{p.format(), p.engine()} {
		if _, err := os.Stat(name); err == nil {
			return true, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// hubKeys are the keys of a hub that runs, or is started.
type hubKeys struct{ s *Starter }

func (k hubKeys) Create(ctx context.Context, spec auth.KeySpec) (string, auth.Key, error) {
	var made madeKey
	err := k.ask(ctx, http.MethodPost, keysPath, newKey(spec), &made)
	return made.Secret, made.Key, err
}

func (k hubKeys) List(ctx context.Context) (list []auth.Key, err error) {
	return list, k.ask(ctx, http.MethodGet, keysPath, nil, &list)
}

func (k hubKeys) Revoke(ctx context.Context, id string) (key auth.Key, err error) {
	return key, k.ask(ctx, http.MethodDelete, keysPath+"/"+url.PathEscape(id), nil, &key)
}

// ask makes a request about keys.
func (k hubKeys) ask(ctx context.Context, method, path string, body, into any) error {
	err := k.s.ask(ctx, method, path, body, into)
	var refused *refusedError
	switch {
	case errors.As(err, &refused) && refused.status == http.StatusGone:
		return auth.ErrNoKey
	case errors.As(err, &refused) && refused.status == http.StatusBadRequest:
		return fmt.Errorf("%w: %s", auth.ErrKeySpec, refused.said)
	}
	return err
}
