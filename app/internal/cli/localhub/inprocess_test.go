package localhub

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// TestClientOf: a door does what its caller may do, and nothing else.
func TestClientOf(t *testing.T) {
	t.Parallel()
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	boot, token := auth.NewBoot(auth.Principal{Tenant: "t", Role: auth.Everything})
	api, err := httpapi.New(h, &httpapi.Options{Auth: boot})
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	list := func(change func(*http.Request)) error {
		from := httptest.NewRequest(http.MethodPost, "http://localhost/door", nil)
		from.Header.Set("Authorization", "Bearer "+token)
		if change != nil {
			change(from)
		}
		c, err := clientOf(api, from, &client.Options{Key: "not the caller's", Patience: -1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.List(t.Context(), nil)
		return err
	}
	if err := list(nil); err != nil {
		t.Error(err)
	}
	if err := list(func(r *http.Request) { r.Header.Del("Authorization") }); !errors.Is(err, client.ErrCredential) {
		t.Errorf("without a credential: %v", err)
	}
	status := func(err error) int {
		var e *client.Error
		errors.As(err, &e)
		if e == nil {
			return 0
		}
		return e.Status
	}
	if err := list(func(r *http.Request) { r.Host = "evil.example" }); status(err) != http.StatusMisdirectedRequest {
		t.Errorf("by another name: %v", err)
	}
	if err := list(func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); status(err) != http.StatusForbidden {
		t.Errorf("from a foreign page: %v", err)
	}
}

// TestInProcess: a response streams, breaks off where the handler does, and ends
// with its request.
func TestInProcess(t *testing.T) {
	t.Parallel()
	type key struct{}
	gone := make(chan struct{})
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panic":
			w.Write([]byte("half"))
			panic(http.ErrAbortHandler)
		case "/stream":
			w.Header().Set("X-Caller", r.Context().Value(key{}).(string))
			w.Write([]byte("first"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			close(gone)
		case "/silent":
			<-r.Context().Done()
		}
	})
	from := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	from = from.WithContext(context.WithValue(from.Context(), key{}, "ann"))
	c := &http.Client{Transport: &inProcess{api, from}}

	resp, err := c.Get("http://localhost/stream")
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 5)
	if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != "first" || resp.Header.Get("X-Caller") != "ann" {
		t.Errorf("got %q of %q: %v", first, resp.Header.Get("X-Caller"), err)
	}
	resp.Body.Close()
	<-gone

	if resp, err = c.Get("http://localhost/panic"); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(resp.Body); string(b) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", b, err)
	}
	resp.Body.Close()

	if resp, err = c.Get("http://localhost/nothing"); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	resp.Body.Close()

	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/silent", nil)
	cancel()
	if _, err := c.Do(r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
