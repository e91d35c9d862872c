package httpapi_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// The client over this API keeps the contract of a hub in the same process.
func TestAsker(t *testing.T) {
	hubtest.RunAsker(t, func(t *testing.T) hubtest.Party {
		party := served(t)
		return hubtest.Party{Asker: party(auth.Asker, "robot", "test"), Person: party(auth.Answerer, "ann", "terminal").Inbox()}
	})
}

func TestDesk(t *testing.T) {
	hubtest.RunDesk(t, func(t *testing.T) hubtest.Team {
		party := served(t)
		desk := func(name string) hub.Desk { return party(auth.Answerer, name, "terminal").Inbox().(hub.Desk) }
		return hubtest.Team{Asker: party(auth.Asker, "robot", "test"), Ann: desk("ann"), Bea: desk("bea"), Cat: desk("cat")}
	})
}

// served serves a hub, and returns who makes clients of it.
func served(t *testing.T) func(role auth.Role, subject, surface string) *client.Client {
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), &hub.Options{People: func(ctx context.Context, tenant string) ([]string, error) {
		return auth.People(ctx, store, tenant, time.Now())
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	keys, err := auth.OpenKeys(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(keys.Close)
	handler, err := httpapi.New(h, &httpapi.Options{Auth: keys})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() { handler.Close(); server.Close() })
	return func(role auth.Role, subject, surface string) *client.Client {
		secret, _, err := keys.Create(t.Context(), auth.KeySpec{Role: role, Tenant: "acme", Subject: subject})
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.New(server.URL, &client.Options{Key: secret, Surface: surface})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
}
