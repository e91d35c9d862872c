package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/saysohq/sayso/hub"
)

// SharedSecret returns the secret of that name, which all processes over the store
// share. The first of them makes it. If there is a file of an earlier version, which
// kept it there, it takes that one: what was signed with it stays good.
func SharedSecret(ctx context.Context, store hub.Store, name, earlier string) ([]byte, error) {
	addr := hub.Address{Tenant: secretTenant, ID: name}
	for {
		r, err := store.Get(ctx, hub.KindSecret, addr)
		if err == nil {
			return r.Data, nil
		}
		if !errors.Is(err, hub.ErrNotFound) {
			return nil, fmt.Errorf("auth: reading the secret %q: %w", name, err)
		}
		secret, err := os.ReadFile(earlier)
		if errors.Is(err, fs.ErrNotExist) {
			secret, err = []byte(rand.Text()+rand.Text()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("auth: reading the secret %q: %w", name, err)
		}
		_, err = store.Put(ctx, hub.Record{Kind: hub.KindSecret, Address: addr, Data: secret}, 0)
		switch {
		case err == nil:
			return secret, nil
		case !errors.Is(err, hub.ErrConflict): // another process was faster
			return nil, fmt.Errorf("auth: storing the secret %q: %w", name, err)
		}
	}
}

// secretTenant is where the secrets are. They are of no tenant, and an address needs one.
const secretTenant = "hub"
