package hub_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/saysohq/sayso/hub"
)

func openWithKey(t testing.TB, key string) *hub.Hub {
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), &hub.Options{Key: []byte(key)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

func TestHandle(t *testing.T) {
	h, same, other := openWithKey(t, "0123456789abcdef"), openWithKey(t, "0123456789abcdef"), openWithKey(t, "another key of a hub")
	seen := map[string]hub.Address{}
	for _, addr := range []hub.Address{
		{Tenant: "acme", ID: "a"},
		{Tenant: "acme", Person: "a", ID: "b"},
		{Tenant: "acme", Conversation: "a", ID: "b"},
		{Tenant: "acmea", ID: "b"},
		{Tenant: "acme", Person: "ü.*>", Conversation: "\n", ID: strings.Repeat("x", 256)},
	} {
		handle := h.Handle(addr)
		if old, taken := seen[handle]; taken {
			t.Errorf("%q and %q have the same handle", old, addr)
		}
		seen[handle] = addr
		if got, err := same.Address(handle); err != nil || got != addr {
			t.Errorf("%q came back as %q, %v", addr, got, err)
		}
		if _, err := other.Address(handle); !errors.Is(err, hub.ErrHandle) {
			t.Errorf("another hub takes the handle: %v", err)
		}
	}
}

// TestHandleForged flips every bit of a handle, cuts it everywhere and adds to it.
func TestHandleForged(t *testing.T) {
	h := openWithKey(t, "0123456789abcdef")
	handle := h.Handle(hub.Address{Tenant: "acme", Person: "alice", Conversation: "c1", ID: "ask_1"})
	raw, _ := base64.RawURLEncoding.DecodeString(handle)
	refused := func(forged string) {
		t.Helper()
		if addr, err := h.Address(forged); !errors.Is(err, hub.ErrHandle) {
			t.Errorf("a forged handle %q opens %q, %v", forged, addr, err)
		}
	}
	for i := range raw {
		for bit := range 8 {
			forged := bytes.Clone(raw)
			forged[i] ^= 1 << bit
			refused(base64.RawURLEncoding.EncodeToString(forged))
		}
		refused(base64.RawURLEncoding.EncodeToString(raw[:i]))
	}
	for i := range handle {
		refused(handle[:i])
		refused(handle[:i] + "\n" + handle[i:])
	}
	refused(handle + "A")
	refused(handle + "=")
}

func FuzzHandle(f *testing.F) {
	h := openWithKey(f, "0123456789abcdef")
	f.Add(h.Handle(hub.Address{Tenant: "acme", ID: "a"}), "acme", "a")
	f.Fuzz(func(t *testing.T, handle, tenant, id string) {
		if addr, err := h.Address(handle); err == nil && h.Handle(addr) != handle {
			t.Errorf("%q opens %q and is not its handle", handle, addr)
		}
		want := hub.Address{Tenant: tenant, ID: id}
		if got, err := h.Address(h.Handle(want)); err != nil || got != want {
			t.Errorf("%q came back as %q, %v", want, got, err)
		}
	})
}

func TestShortKey(t *testing.T) {
	if _, err := hub.Open(t.Context(), hub.NewMemory(nil), &hub.Options{Key: []byte("short")}); err == nil {
		t.Error("a key of five bytes is taken")
	}
}
